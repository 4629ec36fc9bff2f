package workflows

import (
	"context"

	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// OpenRun is a run that is under way.
type OpenRun struct{ Flow, WorkflowID, RunID string }

// OpenRuns lists the runs that are under way, by flow: the newest and the oldest of each, as
// many of either as most says. Zero is all.
func (c *Client) OpenRuns(ctx context.Context, most int) (map[string][]OpenRun, error) {
	found := map[string][]OpenRun{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: `ExecutionStatus="Running"`}
	for {
		page, err := c.Temporal.ListWorkflow(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, run := range page.Executions { // the newest first
			flow := run.GetType().GetName()
			found[flow] = keepEnds(append(found[flow], openRun(run)), most)
		}
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return found, nil
		}
	}
}

// keepEnds keeps the first and the last of a list that grows at its end.
func keepEnds(runs []OpenRun, most int) []OpenRun {
	if most == 0 || len(runs) <= 2*most {
		return runs
	}
	return append(runs[:most], runs[len(runs)-most:]...)
}

func openRun(run *workflow.WorkflowExecutionInfo) OpenRun {
	return OpenRun{Flow: run.GetType().GetName(), WorkflowID: run.GetExecution().GetWorkflowId(), RunID: run.GetExecution().GetRunId()}
}
