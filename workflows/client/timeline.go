package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
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
	flow, known := run.FlowOf(found.GetWorkflowExecutionInfo().GetType().GetName())
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

// folding turns the events of a history into steps, one event after the other. Whatever an event
// carries is shown only by the words of package timeline.
type folding struct {
	run.Timeline
	flow     run.Flow
	attempts map[string]int // of activities under way

	open     map[int64]int // steps under way, by the event that began them
	named    map[int64]run.Description
	children map[int64]bool
	standing string // where the run stands, by its last result
	anew     bool   // the next timer is the pause before a step that failed is tried again
	unnamed  []string
}

// fold tells a history, or its beginning.
func fold(flow run.Flow, events []*history.HistoryEvent, attempts map[string]int) *folding {
	f := &folding{
		flow: flow, attempts: attempts, open: map[int64]int{}, named: map[int64]run.Description{}, children: map[int64]bool{},
		Timeline: run.Timeline{Flow: flow.Word, State: run.Running, Events: len(events)},
	}
	for _, event := range events {
		f.tell(event)
	}
	return f
}

// tell tells one event. Those that are about Temporal itself, like its tasks, are counted only.
func (f *folding) tell(e *history.HistoryEvent) {
	f.tellActivity(e)
	f.tellChild(e)
	f.tellMessage(e)
	f.tellEnd(e)
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		f.StartedAt = timeOf(e)
		f.learn(e.GetWorkflowExecutionStartedEventAttributes().GetInput())
	case enums.EVENT_TYPE_MARKER_RECORDED:
		f.tellMarker(timeOf(e), e.GetMarkerRecordedEventAttributes())
	case enums.EVENT_TYPE_TIMER_STARTED:
		f.tellTimer(e)
	case enums.EVENT_TYPE_TIMER_FIRED:
		f.close(e.GetTimerFiredEventAttributes().GetStartedEventId(), timeOf(e), run.Done)
	case enums.EVENT_TYPE_TIMER_CANCELED:
		f.close(e.GetTimerCanceledEventAttributes().GetStartedEventId(), timeOf(e), run.Cancelled)
	default:
	}
}

func timeOf(e *history.HistoryEvent) time.Time { return e.GetEventTime().AsTime() }

// begin adds a step that is under way.
func (f *folding) begin(id int64, at time.Time, stage run.Stage, title string, facts []run.Fact) *run.Step {
	f.open[id] = len(f.Steps)
	f.Steps = append(f.Steps, run.Step{At: at, Stage: stage, Title: title, State: run.Running, Facts: facts})
	return &f.Steps[len(f.Steps)-1]
}

// note adds a step that is done at once.
func (f *folding) note(at time.Time, stage run.Stage, title string, state run.State) *run.Step {
	f.Steps = append(f.Steps, run.Step{At: at, EndedAt: &at, Stage: stage, Title: title, State: state})
	return &f.Steps[len(f.Steps)-1]
}

// close ends the step that an event began. It has none if the step has no name.
func (f *folding) close(id int64, at time.Time, state run.State) *run.Step {
	i, known := f.open[id]
	if !known {
		return nil
	}
	delete(f.open, id)
	step := &f.Steps[i]
	step.EndedAt, step.State = &at, state
	return step
}

// end ends the run, and with it whatever is still under way. Runs of their own go on.
func (f *folding) end(state run.State, at time.Time) {
	f.State, f.EndedAt = state, &at
	for id := range f.open {
		if f.children[id] {
			f.close(id, at, run.Continued)
		} else {
			f.close(id, at, run.Cancelled)
		}
	}
}

// unknown notes what has no name, so that a test can see what was forgotten.
func (f *folding) unknown(what, name string) { f.unnamed = append(f.unnamed, what+" "+name) }

// learn keeps what a value says of what the run is about and where it stands.
func (f *folding) learn(p *common.Payloads) {
	value := first(p)
	if said := run.Word(value, f.flow.Subject); said != "" && f.Subject == "" {
		f.Subject = said
	}
	if said := run.Word(value, f.flow.Standing); said != "" {
		f.standing = said
	}
}

// facts are what may be shown of a value.
func (f *folding) facts(p *common.Payloads, fields []run.Field) []run.Fact {
	if f.flow.Quiet {
		return nil
	}
	return run.Facts(first(p), fields)
}

// first is the one value that our messages carry.
func first(p *common.Payloads) []byte {
	if len(p.GetPayloads()) == 0 {
		return nil
	}
	return p.GetPayloads()[0].GetData()
}

func (f *folding) tellTimer(e *history.HistoryEvent) {
	title, known := f.flow.Wait(f.standing)
	if f.anew {
		title, known = "Waited before the step was tried again", true
	}
	f.anew = false
	if !known {
		f.unknown("timer", f.standing)
		return
	}
	var facts []run.Fact
	if !f.flow.Quiet {
		wait := e.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration()
		facts = []run.Fact{{Name: "For at most", Value: run.InWords(wait)}}
	}
	f.begin(e.GetEventId(), timeOf(e), run.Plan, title, facts)
}

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
