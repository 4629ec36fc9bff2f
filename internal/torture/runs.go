package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/post"
	"customerzero/workflows"
)

// flow is a workflow run of a post.
type flow struct {
	postID, runID string
	status        enums.WorkflowExecutionStatus
	result        post.Status // of a completed run
}

func (f flow) open() bool { return f.status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING }

// readRuns lists every run of every post. Temporal's list lags a little behind, and so do
// runs behind their rows: the wanted number of open ones may have to be waited for.
func (w *world) readRuns(ctx context.Context, wantOpen int) ([]flow, error) {
	var runs []flow
	var err error
	until(ctx, 20*time.Second, func() bool {
		runs, err = w.listRuns(ctx)
		open := 0
		for _, run := range runs {
			if run.open() {
				open++
			}
		}
		return err == nil && open == wantOpen
	})
	for i, run := range runs {
		if run.status != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED || err != nil {
			continue
		}
		var result workflows.PostResult
		err = w.runs.GetWorkflow(ctx, workflows.PostID(run.postID), run.runID).Get(ctx, &result)
		runs[i].result = result.Status
	}
	return runs, err
}

func (w *world) listRuns(ctx context.Context) ([]flow, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{PageSize: 500, Query: "WorkflowType = 'Post'"}
	var runs []flow
	for {
		page, err := w.runs.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list the runs: %w", err)
		}
		for _, info := range page.Executions {
			runs = append(runs, asFlow(info))
		}
		if len(page.NextPageToken) == 0 {
			return runs, nil
		}
		request.NextPageToken = page.NextPageToken
	}
}

func asFlow(info *workflow.WorkflowExecutionInfo) flow {
	id := strings.TrimPrefix(info.GetExecution().GetWorkflowId(), workflows.PostID(""))
	return flow{postID: id, runID: info.GetExecution().GetRunId(), status: info.GetStatus()}
}
