package rig

import (
	"context"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// Run is a workflow run as Temporal lists it.
type Run struct {
	WorkflowID, RunID string
	Status            enums.WorkflowExecutionStatus
}

// Open says whether it goes on.
func (r Run) Open() bool { return r.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING }

// ListRuns lists the runs that match, the latest first. Temporal's list lags a little behind.
func (s *Stage) ListRuns(ctx context.Context, query string) ([]Run, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{PageSize: 500, Query: query}
	var runs []Run
	for {
		page, err := s.Runs.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list the runs: %w", err)
		}
		for _, info := range page.Executions {
			runs = append(runs, Run{info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId(), info.GetStatus()})
		}
		if len(page.NextPageToken) == 0 {
			return runs, nil
		}
		request.NextPageToken = page.NextPageToken
	}
}
