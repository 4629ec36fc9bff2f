package embedded

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// EnsureSearchAttributes adds the custom search attributes that the namespace lacks. It serves
// the embedded server and a cluster alike, and may be called by several processes at once.
// An attribute of another type is an error, as no query would find what it expects.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) error {
	missing, err := missingAttributes(ctx, c, namespace, want)
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok { // somebody else was faster
		missing, err = missingAttributes(ctx, c, namespace, want)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("search attributes %v keep missing", missing)
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("add search attributes to %s: %w", namespace, err)
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
