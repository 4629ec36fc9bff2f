package client

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

const (
	// mostEvents bounds the events read of a history; Temporal stores up to 51,200.
	mostEvents = 2000
	// readWithin bounds a read of runs.
	readWithin = 5 * time.Second
)

// Timeline reads a run, or the newest run of its workflow if runID is empty.
func (c *Client) Timeline(ctx context.Context, workflowID, runID string) (run.Timeline, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	found, err := c.Temporal.DescribeWorkflowExecution(ctx, workflowID, runID)
	if err != nil {
		return run.Timeline{}, readFailure(ctx, err)
	}
	flow, known := run.FlowOf(found.GetWorkflowExecutionInfo().GetType().GetName())
	if !known { // a workflow of Temporal itself
		return run.Timeline{}, noSuchRun()
	}
	events, more, err := c.events(ctx, workflowID, found.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		return run.Timeline{}, readFailure(ctx, err)
	}
	folded := fold(flow, events, attemptsOf(found))
	folded.addInfo(found, len(events), more)
	return folded.Timeline, nil
}

// events reads the beginning of a history, and reports whether there is more.
func (c *Client) events(ctx context.Context, workflowID, runID string) (events []*history.HistoryEvent, more bool, err error) {
	pages := c.Temporal.GetWorkflowHistory(ctx, workflowID, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		if len(events) == mostEvents {
			return events, true, nil
		}
		event, err := pages.Next()
		if err != nil {
			return nil, false, err
		}
		events = append(events, event)
	}
	return events, false, nil
}

// addInfo adds what the history lacks. If the history was cut, only the server has the run's result.
func (f *folding) addInfo(run *workflowservice.DescribeWorkflowExecutionResponse, read int, more bool) {
	info := run.GetWorkflowExecutionInfo()
	f.WorkflowID, f.RunID = info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId()
	f.StartedAt = info.GetStartTime().AsTime()
	f.Events, f.Cut = max(read, int(info.GetHistoryLength())), more
	if f.EndedAt == nil && more && info.GetCloseTime() != nil {
		ended := info.GetCloseTime().AsTime()
		f.State, f.EndedAt = stateOf(info.GetStatus()), &ended
	}
}

// attemptsOf returns the attempts of running activities, which the history contains only after their
// end.
func attemptsOf(run *workflowservice.DescribeWorkflowExecutionResponse) map[string]int {
	attempts := map[string]int{}
	for _, pending := range run.GetPendingActivities() {
		attempts[pending.GetActivityId()] = int(pending.GetAttempt())
	}
	return attempts
}

func stateOf(status enums.WorkflowExecutionStatus) run.State {
	return cmp.Or(map[enums.WorkflowExecutionStatus]run.State{
		enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:        run.Done,
		enums.WORKFLOW_EXECUTION_STATUS_FAILED:           run.Failed,
		enums.WORKFLOW_EXECUTION_STATUS_CANCELED:         run.Cancelled,
		enums.WORKFLOW_EXECUTION_STATUS_TERMINATED:       run.Terminated,
		enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW: run.Continued,
		enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:        run.TimedOut,
	}[status], run.Running)
}

// readFailure converts an error of a read to a problem. A malformed ID names no run.
func readFailure(ctx context.Context, err error) error {
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return noSuchRun()
	}
	if _, malformed := errors.AsType[*serviceerror.InvalidArgument](err); malformed {
		return noSuchRun()
	}
	_, away := errors.AsType[*serviceerror.Unavailable](err)
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	_, busy := errors.AsType[*serviceerror.ResourceExhausted](err)
	if away || late || busy || errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return problem.New(problem.Unavailable, "The workflow service is unavailable. Try again in a moment.")
	}
	return err
}

func noSuchRun() error {
	return problem.New(problem.NotFound, "There is no such run, or its history has expired.")
}

// mostListed bounds the size of a list.
const mostListed = 100

// NewestRuns lists runs of a workflow, or of every public one if flow is empty, newest first.
func (c *Client) NewestRuns(ctx context.Context, flow string, limit int) ([]run.Brief, error) {
	names := run.Workflows(flow)
	if len(names) == 0 {
		return nil, problem.New(problem.Invalid, "Runs of this workflow are not public.")
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	// A Temporal server on SQL has a fixed order: open runs by start, ended ones by end. Two queries keep one
	// kind from hiding the other.
	kind := "WorkflowType IN ('" + strings.Join(names, "', '") + "')"
	running, err := c.newest(ctx, kind+" AND ExecutionStatus = 'Running'", limit)
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	ended, err := c.newest(ctx, kind+" AND ExecutionStatus != 'Running'", limit)
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	briefs := unique(append(running, ended...))
	slices.SortStableFunc(briefs, func(a, b run.Brief) int { return b.StartedAt.Compare(a.StartedAt) })
	return briefs[:min(limit, len(briefs))], nil
}

// unique removes a run that ended between the two queries.
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
		if flow, known := run.FlowOf(found.GetType().GetName()); known {
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
