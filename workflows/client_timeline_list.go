package workflows

import (
	"context"
	"slices"
	"strings"

	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

// mostListed is as many as anybody may ask for.
const mostListed = 100

// NewestRuns lists runs of a flow, newest first; empty: of every public one.
func (c *Client) NewestRuns(ctx context.Context, flow string, limit int) ([]run.Brief, error) {
	names := run.Workflows(flow)
	if len(names) == 0 {
		return nil, problem.New(problem.Invalid, "Runs of this kind are not listed.")
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	// The server on SQL sorts in no way but its own: what runs by its start, what ended by its
	// end. Asked for both apart, neither hides the other.
	kind := "WorkflowType IN ('" + strings.Join(names, "', '") + "')"
	running, err := c.newest(ctx, kind+" AND ExecutionStatus = 'Running'", limit)
	if err != nil {
		return nil, unread(ctx, err)
	}
	ended, err := c.newest(ctx, kind+" AND ExecutionStatus != 'Running'", limit)
	if err != nil {
		return nil, unread(ctx, err)
	}
	briefs := unique(append(running, ended...))
	slices.SortStableFunc(briefs, func(a, b run.Brief) int { return b.StartedAt.Compare(a.StartedAt) })
	return briefs[:min(limit, len(briefs))], nil
}

// unique drops a run that ended between the two questions.
func unique(briefs []run.Brief) []run.Brief {
	seen := map[string]bool{}
	return slices.DeleteFunc(briefs, func(b run.Brief) bool {
		known := seen[b.RunID]
		seen[b.RunID] = true
		return known
	})
}

func (c *Client) newest(ctx context.Context, query string, limit int) ([]run.Brief, error) {
	if limit < 1 || limit > mostListed {
		limit = mostListed
	}
	page, err := c.Temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: int32(limit), Query: query})
	if err != nil {
		return nil, err
	}
	var briefs []run.Brief
	for _, found := range page.GetExecutions() {
		if flow, known := run.Of(found.GetType().GetName()); known {
			briefs = append(briefs, brief(flow, found))
		}
	}
	return briefs, nil
}

func brief(flow run.Flow, found *workflow.WorkflowExecutionInfo) run.Brief {
	b := run.Brief{
		WorkflowID: found.GetExecution().GetWorkflowId(), RunID: found.GetExecution().GetRunId(),
		Flow: flow.Word, State: stateOf(found.GetStatus()), StartedAt: found.GetStartTime().AsTime(),
	}
	if found.GetCloseTime() != nil {
		ended := found.GetCloseTime().AsTime()
		b.EndedAt = &ended
	}
	return b
}
