package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/problem"
)

// giveUp is the order to cancel, given by cancelling the run in the console. What cannot be
// done ends the run, unless somebody decided otherwise meanwhile.
func (f *postFlow) giveUp(ctx workflow.Context) error {
	stood := f.state.Status
	_, refusal := f.cancel(ctx)
	if refusal == nil || f.state.Status != stood { // done, or the row had gone on: so do we
		return nil
	}
	// Ended now, the run would leave the orders that wait without an answer.
	if err := workflow.Await(ctx, func() bool { return f.orders == 0 }); err != nil {
		return err
	}
	if f.state.Status != stood {
		f.givenUp = false
		return nil
	}
	return f.kept(refusal)
}

// kept is the end of a run whose post stays as it is. The run fails, as only a run that
// failed may be followed by another, which the next order starts.
func (f *postFlow) kept(reason error) error {
	return temporal.NewApplicationErrorWithOptions(
		"The post was not given up. It stays "+string(f.state.Status)+"; retry or cancel it again.", string(problem.Unavailable),
		temporal.ApplicationErrorOptions{NonRetryable: true, Cause: reason, Details: []any{f.result()}})
}
