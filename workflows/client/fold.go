package client

import (
	"cmp"
	"encoding/json"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/run"
)

// folding converts the events of a history to steps. Only the texts of package run describe what an
// event carries.
type folding struct {
	run.Timeline
	flow     run.Flow
	attempts map[string]int // of running activities

	open     map[int64]int // running steps, by the event that started them
	named    map[int64]run.Description
	children map[int64]bool
	status   string // by the last result of the run
	retrying bool   // the next timer is the pause before a retry
	unnamed  []string
}

// fold converts a history, or its beginning.
func fold(flow run.Flow, events []*history.HistoryEvent, attempts map[string]int) *folding {
	f := &folding{
		flow: flow, attempts: attempts, open: map[int64]int{}, named: map[int64]run.Description{}, children: map[int64]bool{},
		Timeline: run.Timeline{Flow: flow.Word, State: run.Running, Events: len(events)},
	}
	for _, event := range events {
		f.addEvent(event)
	}
	return f
}

// addEvent converts one event. Events about Temporal itself, like its tasks, are only counted.
func (f *folding) addEvent(e *history.HistoryEvent) {
	f.endStep(e)
	f.endRun(e)
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		f.StartedAt = timeOf(e)
		f.learn(e.GetWorkflowExecutionStartedEventAttributes().GetInput())
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		scheduled := e.GetActivityTaskScheduledEventAttributes()
		step := f.begin(e, "activity", scheduled.GetActivityType().GetName(), run.Activities, "", scheduled.GetInput())
		step.Attempt = f.attempts[scheduled.GetActivityId()]
	case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		started := e.GetActivityTaskStartedEventAttributes()
		if i, known := f.open[started.GetScheduledEventId()]; known {
			f.Steps[i].Attempt = int(started.GetAttempt())
		}
	case enums.EVENT_TYPE_MARKER_RECORDED:
		f.addMarker(timeOf(e), e.GetMarkerRecordedEventAttributes())
	case enums.EVENT_TYPE_TIMER_STARTED:
		f.addTimer(e)
	case enums.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
		f.children[e.GetEventId()] = true
		f.begin(e, "child", e.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetWorkflowType().GetName(), f.flow.Children, run.Act, nil)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
		name := e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName()
		if title, known := f.flow.Signals[name]; known {
			f.note(timeOf(e), run.Notice, title, run.Done)
		} else { // an operator can send any signal
			f.unknown("signal", name)
		}
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
		f.note(timeOf(e), run.Notice, "An operator requested cancellation of the run", run.Done)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
		accepted := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest()
		f.begin(e, "update", accepted.GetInput().GetName(), f.flow.Updates, run.Notice, nil)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:
		f.endUpdate(e)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_REJECTED:
		refused := e.GetWorkflowExecutionUpdateRejectedEventAttributes()
		if description, known := f.flow.Updates[refused.GetRejectedRequest().GetInput().GetName()]; known {
			f.note(timeOf(e), run.Notice, description.Title, run.Failed).Failure = f.why(refused.GetFailure())
		}
	default:
	}
}

func (f *folding) endUpdate(e *history.HistoryEvent) {
	answered := e.GetWorkflowExecutionUpdateCompletedEventAttributes()
	outcome, state := answered.GetOutcome(), run.Done
	if outcome.GetFailure() != nil {
		state = run.Failed
	}
	f.answer(answered.GetAcceptedEventId(), timeOf(e), state, outcome.GetSuccess(), outcome.GetFailure())
}

func timeOf(e *history.HistoryEvent) time.Time { return e.GetEventTime().AsTime() }

// begin adds a running step, if it has a public title.
func (f *folding) begin(
	e *history.HistoryEvent, what, name string, among map[string]run.Description, stage run.Stage, in *common.Payloads,
) *run.Step {
	description, known := among[name]
	if !known {
		f.unknown(what, name)
		return &run.Step{}
	}
	f.named[e.GetEventId()] = description
	return f.add(e, cmp.Or(description.Stage, stage), description.Title, f.facts(in, description.In))
}

func (f *folding) add(e *history.HistoryEvent, stage run.Stage, title string, facts []run.Fact) *run.Step {
	f.open[e.GetEventId()] = len(f.Steps)
	f.Steps = append(f.Steps, run.Step{At: timeOf(e), Stage: stage, Title: title, State: run.Running, Facts: facts})
	return &f.Steps[len(f.Steps)-1]
}

// note adds a step that has already ended.
func (f *folding) note(at time.Time, stage run.Stage, title string, state run.State) *run.Step {
	f.Steps = append(f.Steps, run.Step{At: at, EndedAt: &at, Stage: stage, Title: title, State: state})
	return &f.Steps[len(f.Steps)-1]
}

// close ends the step that an event started, or returns nil if the step is not shown.
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

// stepEnds are the events that end a step.
var stepEnds = map[enums.EventType]run.State{
	enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:               run.Done,
	enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:                  run.Failed,
	enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:               run.TimedOut,
	enums.EVENT_TYPE_ACTIVITY_TASK_CANCELED:                run.Cancelled,
	enums.EVENT_TYPE_TIMER_FIRED:                           run.Done,
	enums.EVENT_TYPE_TIMER_CANCELED:                        run.Cancelled,
	enums.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED: run.Failed,
	enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED:    run.Done,
	enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED:       run.Failed,
	enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED:     run.Cancelled,
	enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT:    run.TimedOut,
	enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED:   run.Terminated,
}

func (f *folding) endStep(e *history.HistoryEvent) {
	state, ends := stepEnds[e.GetEventType()]
	if !ends {
		return
	}
	message := e.ProtoReflect()
	set := message.WhichOneof(message.Descriptor().Oneofs().ByName("attributes"))
	attributes := message.Get(set).Message().Interface()
	var id int64
	switch a := attributes.(type) { // activities and children also name the event of their start
	case interface{ GetScheduledEventId() int64 }:
		id = a.GetScheduledEventId()
	case interface{ GetInitiatedEventId() int64 }:
		id = a.GetInitiatedEventId()
	case interface{ GetStartedEventId() int64 }:
		id = a.GetStartedEventId()
	}
	done, _ := attributes.(interface{ GetResult() *common.Payloads })
	failed, _ := attributes.(interface{ GetFailure() *failure.Failure })
	switch {
	case done != nil:
		f.answer(id, timeOf(e), state, done.GetResult(), nil)
	case failed != nil:
		f.answer(id, timeOf(e), state, nil, failed.GetFailure())
	default:
		f.answer(id, timeOf(e), state, nil, nil)
	}
}

// answer ends a step with its result. A child's status is not its parent's.
func (f *folding) answer(id int64, at time.Time, state run.State, result *common.Payloads, failed *failure.Failure) {
	status := f.status
	f.learn(result)
	if f.children[id] {
		f.status = status
	}
	step := f.close(id, at, state)
	if step == nil {
		return
	}
	step.Facts = append(step.Facts, f.facts(result, f.named[id].Out)...)
	if failed != nil {
		step.Failure = f.why(failed)
	}
}

// runEnds are the events that end the run, with the last step shown for each.
var runEnds = map[enums.EventType]run.Step{
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:        {State: run.Done, Title: "The run ended"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:           {State: run.Failed, Title: "The run failed", Failure: run.Failure},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:         {State: run.Cancelled, Title: "The run was cancelled"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:       {State: run.Terminated, Title: "The run was terminated"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:        {State: run.TimedOut, Title: "The run took too long", Failure: run.TookLong},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: {State: run.Continued, Title: "Continued in another run, so that the history stays short"},
}

// endRun ends the run and its running steps. Child runs continue.
func (f *folding) endRun(e *history.HistoryEvent) {
	end, ended := runEnds[e.GetEventType()]
	if !ended {
		return
	}
	result, at := e.GetWorkflowExecutionCompletedEventAttributes().GetResult(), timeOf(e)
	f.learn(result)
	f.Result = f.facts(result, f.flow.Result)
	if failed := e.GetWorkflowExecutionFailedEventAttributes().GetFailure(); failed != nil {
		end.Failure = f.why(failed)
	}
	f.State, f.EndedAt = end.State, &at
	for id := range f.open {
		f.close(id, at, map[bool]run.State{true: run.Continued, false: run.Cancelled}[f.children[id]])
	}
	f.note(at, run.Record, end.Title, end.State).Failure = end.Failure
}

// unknown records a name without a public title, for a test that finds missing ones.
func (f *folding) unknown(what, name string) { f.unnamed = append(f.unnamed, what+" "+name) }

// learn reads the subject and the status from a value.
func (f *folding) learn(p *common.Payloads) {
	value := first(p)
	if word := run.Word(value, f.flow.Subject); word != "" && f.Subject == "" {
		f.Subject = word
	}
	if word := run.Word(value, f.flow.Standing); word != "" {
		f.status = word
	}
}

// facts returns the public facts of a value.
func (f *folding) facts(p *common.Payloads, fields []run.Field) []run.Fact {
	if f.flow.Quiet {
		return nil
	}
	return run.Facts(first(p), fields)
}

// first returns the only value of a message.
func first(p *common.Payloads) []byte {
	if len(p.GetPayloads()) == 0 {
		return nil
	}
	return p.GetPayloads()[0].GetData()
}

// addMarker adds the step of a local activity. Other markers are about code versions.
func (f *folding) addMarker(at time.Time, marker *history.MarkerRecordedEventAttributes) {
	if marker.GetMarkerName() != "LocalActivity" {
		return
	}
	var done struct { // as written by the SDK
		ActivityType string
		Attempt      int
		Backoff      time.Duration // until the next attempt, if above 0
	}
	if json.Unmarshal(first(marker.GetDetails()["data"]), &done) != nil {
		f.unknown("marker", marker.GetMarkerName())
		return
	}
	result := marker.GetDetails()["result"]
	f.learn(result)
	f.retrying = marker.GetFailure() != nil && done.Backoff > 0
	description, known := run.Activities[done.ActivityType]
	if !known {
		f.unknown("activity", done.ActivityType)
		return
	}
	step := f.note(at, description.Stage, description.Title, run.Done)
	step.Attempt, step.Facts = done.Attempt, f.facts(result, description.Out)
	if failed := marker.GetFailure(); failed != nil {
		step.State, step.Failure = run.Failed, f.why(failed)
	}
}

func (f *folding) addTimer(e *history.HistoryEvent) {
	title, known := f.flow.Wait(f.status)
	if f.retrying {
		title, known = "Waited before retrying the step", true
	}
	f.retrying = false
	if !known {
		f.unknown("timer", f.status)
		return
	}
	step := f.add(e, run.Plan, title, nil)
	if !f.flow.Quiet {
		wait := e.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration()
		step.Facts = []run.Fact{{Name: "For at most", Value: run.InWords(wait)}}
	}
}

// why returns the fixed text of a failure.
func (f *folding) why(failed *failure.Failure) string {
	switch {
	case failed.GetTimeoutFailureInfo().GetTimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		return run.Lost
	case failed.GetTimeoutFailureInfo() != nil:
		return run.TookLong
	case failed.GetCanceledFailureInfo() != nil:
		return run.Withdrawn
	case failed.GetTerminatedFailureInfo() != nil:
		return run.Forced
	case failed.GetApplicationFailureInfo() == nil && failed.GetCause() != nil: // of a step or a child run
		return f.why(failed.GetCause())
	case f.flow.Quiet:
		return run.Failure
	}
	return run.Why(failed.GetApplicationFailureInfo().GetType())
}
