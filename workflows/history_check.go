package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
)

var historian *activities.HistoryCheck // nil: only names activities

// HistoryCheckInput names a run of any workflow.
type HistoryCheckInput struct{ WorkflowID, RunID string }

// HistoryCheckID is the workflow ID of a check.
func HistoryCheckID(workflowID, runID string) string {
	return "history-check:" + workflowID + ":" + runID
}

// HistoryCheck replays the stored history of a run with the code of today.
func HistoryCheck(ctx workflow.Context, in HistoryCheckInput) (chaos.HistoryCheck, error) {
	return call(remote(ctx, 20*time.Second, time.Minute), historian.CheckHistory, activities.HistoryRef(in))
}
