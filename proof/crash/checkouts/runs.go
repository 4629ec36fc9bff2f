package checkouts

import (
	"context"
	"strings"

	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/checkout"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

// flow is a run of a checkout.
type flow struct {
	rig.Run
	checkoutID string
	result     checkout.State // of a completed run
}

// readRuns lists the runs of every checkout, the latest of each first.
func (w *world) readRuns(ctx context.Context) ([]flow, error) {
	listed, err := w.ListRuns(ctx, "WorkflowType = 'Checkout'")
	var runs []flow
	for _, r := range listed {
		f := flow{Run: r, checkoutID: strings.TrimPrefix(r.WorkflowID, workflows.CheckoutID(""))}
		if r.Status == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED && err == nil {
			var result workflows.CheckoutResult
			err = w.Runs.GetWorkflow(ctx, r.WorkflowID, r.RunID).Get(ctx, &result)
			f.result = result.State
		}
		runs = append(runs, f)
	}
	return runs, err
}

// readFailures lists the runs, of whatever kind, that did not end well. Those without an end go on
// as new ones now and then.
func (w *world) readFailures(ctx context.Context) ([]string, error) {
	listed, err := w.ListRuns(ctx, "ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')")
	var failed []string
	for _, r := range listed {
		if !strings.HasPrefix(r.WorkflowID, "canary:") {
			failed = append(failed, r.WorkflowID+" "+strings.ToLower(r.Status.String())+" (run "+r.RunID+")")
		}
	}
	return failed, err
}
