package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/internal/problem"
)

const adminKeyHeader = "X-Admin-Key"

// maxBody bounds what an ordinary request may send.
const maxBody = 64 << 10

// access says who may call an operation.
type access int

const (
	anyone access = iota
	founders
)

// operation adds a handler to the contract, guards it, and answers for its failures.
func operation[In, Out any](
	s *Server, contract huma.API, who access, op huma.Operation, handle func(context.Context, *In) (*Out, error),
) {
	op.MaxBodyBytes = max(op.MaxBodyBytes, maxBody)
	if who == founders {
		op.Security = []map[string][]string{{"founder": {}}}
		op.Middlewares = append(op.Middlewares, s.requireFounder(contract))
	}
	huma.Register(contract, op, func(ctx context.Context, in *In) (*Out, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, answer(ctx, op.OperationID, err)
		}
		return out, nil
	})
}

func (s *Server) requireFounder(contract huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if s.isFounder(ctx.Header(adminKeyHeader)) {
			next(ctx)
			return
		}
		refusal := newProblem(ctx.Context(), problem.Unauthorized,
			"Only founders may do this. Send the founders' key; customerzero up prints it once, and doctor says where it is.", nil)
		writeProblem(contract, ctx, refusal)
	}
}

// isFounder compares digests, so that the time taken says nothing about the key.
func (s *Server) isFounder(key string) bool {
	given, want := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(s.AdminKey))
	return s.AdminKey != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
}
