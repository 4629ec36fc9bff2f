package activities

import (
	"context"
	"errors"
	"log/slog"

	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
)

type MendCellInput struct{ Step heal.Step }

// MendCell carries out one step, once. That it could not be done is a result, too: the next
// round looks at what fails then. Every order is safe to repeat.
func (a *SelfHeal) MendCell(ctx context.Context, in MendCellInput) (heal.Mended, error) {
	began := a.Now()
	err := a.carryOut(ctx, in.Step)
	mended := heal.Mended{Kind: in.Step.Kind, Files: in.Step.Files, At: began, MS: int(a.Now().Sub(began).Milliseconds())}
	if err != nil {
		slog.WarnContext(ctx, "the cell could not be mended", "step", in.Step.Kind, "error", err)
		mended.Error = "The keeper gave no clear answer."
		if refused, ok := errors.AsType[*problem.Error](err); ok {
			mended.Error = refused.Message
		}
	}
	return mended, nil
}

func (a *SelfHeal) carryOut(ctx context.Context, step heal.Step) error {
	switch step.Kind {
	case heal.RestoreFiles:
		return a.Cell.RestoreFiles(ctx, step.Files)
	case heal.RestoreDatabase:
		return a.Cell.RestoreDatabase(ctx)
	case heal.Restart:
		return a.Cell.Restart(ctx)
	}
	return problem.New(problem.Internal, "Nobody knows how to do that.")
}
