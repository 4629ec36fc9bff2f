package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
)

const adminKeyHeader = "X-Admin-Key"

// maxBody bounds what an ordinary request may send.
const maxBody = 64 << 10

// operation adds a handler to the contract and answers for its failures. Who may call it
// stands in the access table, which the router holds every request against.
func operation[In, Out any](
	contract huma.API, op huma.Operation, handle func(context.Context, *In) (*Out, error),
) {
	op.MaxBodyBytes = max(op.MaxBodyBytes, maxBody)
	op.Security = security(access[routeName(op.Method, op.Path)])
	more := takeOut(&op)
	huma.Register(contract, op, func(ctx context.Context, in *In) (*Out, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, answer(ctx, op.OperationID, err)
		}
		return out, nil
	})
	complete(op, more)
}

// security says in the contract what a rule asks for. Any one of the list will do.
func security(r rule) []map[string][]string {
	if !r.login {
		return nil
	}
	ways := []map[string][]string{{"session": {}}}
	if r.key {
		ways = append(ways, map[string][]string{"founder": {}})
	}
	if r.scope != "" {
		ways = append(ways, map[string][]string{"token": {}})
	}
	return ways
}
