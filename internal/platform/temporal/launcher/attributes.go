package launcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// EnsureSearchAttributes adds the custom search attributes that the namespace lacks. It serves
// the embedded server and a cluster alike, and may be called by several processes at once.
// An attribute of another type is an error, as no query would find what it expects. It returns when
// the server knows what it added: its services look for changes every few seconds.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) error {
	missing, err := missingAttributes(ctx, c, namespace, want)
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok { // somebody else was faster
		left, err := missingAttributes(ctx, c, namespace, want)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return fmt.Errorf("search attributes %v keep missing", left)
		}
		return awaitAttributes(ctx, c, namespace, missing)
	}
	if err != nil {
		return fmt.Errorf("add search attributes to %s: %w", namespace, err)
	}
	return awaitAttributes(ctx, c, namespace, missing)
}

// knownWithin is longer than the server's caches keep a namespace as it was.
const knownWithin = 30 * time.Second

// awaitAttributes asks for runs by each attribute until the server knows what is meant.
func awaitAttributes(ctx context.Context, c client.Client, namespace string, added map[string]enums.IndexedValueType) error {
	ctx, cancel := context.WithTimeoutCause(ctx, knownWithin, errors.New("the server does not use its new search attributes"))
	defer cancel()
	for name := range added {
		for {
			_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: name + " IS NOT NULL"})
			if err == nil {
				break
			}
			if _, unknown := errors.AsType[*serviceerror.InvalidArgument](err); !unknown {
				return fmt.Errorf("ask for runs by %s: %w", name, err)
			}
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

func missingAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) (map[string]enums.IndexedValueType, error) {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("list search attributes of %s: %w", namespace, err)
	}
	missing := map[string]enums.IndexedValueType{}
	for name, kind := range want {
		switch found, ok := have.CustomAttributes[name]; {
		case !ok:
			missing[name] = kind
		case found != kind:
			return nil, fmt.Errorf("search attribute %s is %s on the server, not %s", name, found, kind)
		}
	}
	return missing, nil
}
