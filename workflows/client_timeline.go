package workflows

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

const (
	// mostEvents of a history are read: nobody looks at more, and Temporal keeps up to 51,200.
	mostEvents = 2000
	// readWithin is how long Temporal may take to tell of runs.
	readWithin = 5 * time.Second
)

// Timeline reads a run, the newest of its workflow if runID is empty.
func (c *Client) Timeline(ctx context.Context, workflowID, runID string) (run.Timeline, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	found, err := c.Temporal.DescribeWorkflowExecution(ctx, workflowID, runID)
	if err != nil {
		return run.Timeline{}, unread(ctx, err)
	}
	flow, known := run.Of(found.GetWorkflowExecutionInfo().GetType().GetName())
	if !known { // Temporal's own
		return run.Timeline{}, noSuchRun()
	}
	events, more, err := c.events(ctx, workflowID, found.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		return run.Timeline{}, unread(ctx, err)
	}
	told := fold(flow, events, attemptsOf(found))
	told.whole(found, len(events), more)
	return told.Timeline, nil
}

// events reads the beginning of a history, and says whether it goes on.
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

// whole adds what the server knows of the run beside its history. Of one whose history was cut
// only the server knows how it ended.
func (f *folding) whole(run *workflowservice.DescribeWorkflowExecutionResponse, read int, more bool) {
	info := run.GetWorkflowExecutionInfo()
	f.WorkflowID, f.RunID = info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId()
	f.StartedAt = info.GetStartTime().AsTime()
	f.Events, f.Cut = max(read, int(info.GetHistoryLength())), more
	if f.EndedAt == nil && more && info.GetCloseTime() != nil {
		ended := info.GetCloseTime().AsTime()
		f.State, f.EndedAt = stateOf(info.GetStatus()), &ended
	}
}

// attemptsOf says how often the steps under way were tried: their histories tell only at the end.
func attemptsOf(run *workflowservice.DescribeWorkflowExecutionResponse) map[string]int {
	attempts := map[string]int{}
	for _, pending := range run.GetPendingActivities() {
		attempts[pending.GetActivityId()] = int(pending.GetAttempt())
	}
	return attempts
}

func stateOf(status enums.WorkflowExecutionStatus) run.State {
	switch status {
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return run.Done
	case enums.WORKFLOW_EXECUTION_STATUS_FAILED:
		return run.Failed
	case enums.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return run.Cancelled
	case enums.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return run.Terminated
	case enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return run.Continued
	case enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return run.TimedOut
	default:
		return run.Running
	}
}

// unread is why runs cannot be read, for people. An ID that is none names no run.
func unread(ctx context.Context, err error) error {
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
		return problem.New(problem.Unavailable, "The workflow service cannot be reached. Try again in a moment.")
	}
	return err
}

func noSuchRun() error {
	return problem.New(problem.NotFound, "There is no such run, or its history is older than its retention.")
}
