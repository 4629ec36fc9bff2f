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

// folding turns the events of a history into steps, one event after the other. Whatever an event
// carries is shown only by the words of package run.
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
	f.tellStepEnd(e)
	f.tellRunEnd(e)
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		f.StartedAt = timeOf(e)
		f.learn(e.GetWorkflowExecutionStartedEventAttributes().GetInput())
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		ordered := e.GetActivityTaskScheduledEventAttributes()
		step := f.begin(e, "activity", ordered.GetActivityType().GetName(), run.Activities, "", ordered.GetInput())
		step.Attempt = f.attempts[ordered.GetActivityId()]
	case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		started := e.GetActivityTaskStartedEventAttributes()
		if i, known := f.open[started.GetScheduledEventId()]; known {
			f.Steps[i].Attempt = int(started.GetAttempt())
		}
	case enums.EVENT_TYPE_MARKER_RECORDED:
		f.tellMarker(timeOf(e), e.GetMarkerRecordedEventAttributes())
	case enums.EVENT_TYPE_TIMER_STARTED:
		f.tellTimer(e)
	case enums.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
		f.children[e.GetEventId()] = true
		f.begin(e, "child", e.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetWorkflowType().GetName(), f.flow.Children, run.Act, nil)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
		name := e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName()
		if title, known := f.flow.Signals[name]; known {
			f.note(timeOf(e), run.Notice, title, run.Done)
		} else { // the console can send anything
			f.unknown("signal", name)
		}
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
		f.note(timeOf(e), run.Notice, "Somebody asked in the console to cancel the run", run.Done)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
		accepted := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest()
		f.begin(e, "update", accepted.GetInput().GetName(), f.flow.Updates, run.Notice, nil)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:
		f.tellAnswer(e)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_REJECTED:
		refused := e.GetWorkflowExecutionUpdateRejectedEventAttributes()
		if told, known := f.flow.Updates[refused.GetRejectedRequest().GetInput().GetName()]; known {
			f.note(timeOf(e), run.Notice, told.Title, run.Failed).Failure = f.why(refused.GetFailure())
		}
	default:
	}
}

func (f *folding) tellAnswer(e *history.HistoryEvent) {
	answered := e.GetWorkflowExecutionUpdateCompletedEventAttributes()
	outcome, state := answered.GetOutcome(), run.Done
	if outcome.GetFailure() != nil {
		state = run.Failed
	}
	f.answer(answered.GetAcceptedEventId(), timeOf(e), state, outcome.GetSuccess(), outcome.GetFailure())
}

func timeOf(e *history.HistoryEvent) time.Time { return e.GetEventTime().AsTime() }

// begin adds a step that is under way, if it has a name for strangers.
func (f *folding) begin(
	e *history.HistoryEvent, what, name string, among map[string]run.Description, stage run.Stage, in *common.Payloads,
) *run.Step {
	told, known := among[name]
	if !known {
		f.unknown(what, name)
		return &run.Step{}
	}
	f.named[e.GetEventId()] = told
	return f.add(e, cmp.Or(told.Stage, stage), told.Title, f.facts(in, told.In))
}

func (f *folding) add(e *history.HistoryEvent, stage run.Stage, title string, facts []run.Fact) *run.Step {
	f.open[e.GetEventId()] = len(f.Steps)
	f.Steps = append(f.Steps, run.Step{At: timeOf(e), Stage: stage, Title: title, State: run.Running, Facts: facts})
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

// stepEnds are the events that end a step that an earlier one began.
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

func (f *folding) tellStepEnd(e *history.HistoryEvent) {
	state, ends := stepEnds[e.GetEventType()]
	if !ends {
		return
	}
	message := e.ProtoReflect()
	set := message.WhichOneof(message.Descriptor().Oneofs().ByName("attributes"))
	attributes := message.Get(set).Message().Interface()
	var id int64
	switch a := attributes.(type) { // activities and children name the event of their start, too
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

// answer ends a step with what came of it. Where a child stands is not where its parent does.
func (f *folding) answer(id int64, at time.Time, state run.State, result *common.Payloads, failed *failure.Failure) {
	standing := f.standing
	f.learn(result)
	if f.children[id] {
		f.standing = standing
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

// runEnds are the events that end the run, and the last step that each is told as.
var runEnds = map[enums.EventType]run.Step{
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:        {State: run.Done, Title: "The run ended"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:           {State: run.Failed, Title: "The run failed", Failure: run.Failure},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:         {State: run.Cancelled, Title: "The run was cancelled"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:       {State: run.Terminated, Title: "The run was ended by force"},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:        {State: run.TimedOut, Title: "The run took too long", Failure: run.TookLong},
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: {State: run.Continued, Title: "It goes on in another run, so that the history stays short"},
}

// tellRunEnd ends the run, and with it whatever is still under way. Runs of their own go on.
func (f *folding) tellRunEnd(e *history.HistoryEvent) {
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

// tellMarker tells of a step that was done in the flow's own worker. Other markers are about
// versions of the code.
func (f *folding) tellMarker(at time.Time, marker *history.MarkerRecordedEventAttributes) {
	if marker.GetMarkerName() != "LocalActivity" {
		return
	}
	var done struct { // what the SDK writes of it
		ActivityType string
		Attempt      int
		Backoff      time.Duration // above 0: it is tried again after so long
	}
	if json.Unmarshal(first(marker.GetDetails()["data"]), &done) != nil {
		f.unknown("marker", marker.GetMarkerName())
		return
	}
	result := marker.GetDetails()["result"]
	f.learn(result)
	f.anew = marker.GetFailure() != nil && done.Backoff > 0
	told, known := run.Activities[done.ActivityType]
	if !known {
		f.unknown("activity", done.ActivityType)
		return
	}
	step := f.note(at, told.Stage, told.Title, run.Done)
	step.Attempt, step.Facts = done.Attempt, f.facts(result, told.Out)
	if failed := marker.GetFailure(); failed != nil {
		step.State, step.Failure = run.Failed, f.why(failed)
	}
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
	step := f.add(e, run.Plan, title, nil)
	if !f.flow.Quiet {
		wait := e.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration()
		step.Facts = []run.Fact{{Name: "For at most", Value: run.InWords(wait)}}
	}
}

// why says in fixed words what a failure is.
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
	case failed.GetApplicationFailureInfo() == nil && failed.GetCause() != nil: // of a step, or of a run of its own
		return f.why(failed.GetCause())
	case f.flow.Quiet:
		return run.Failure
	}
	return run.Why(failed.GetApplicationFailureInfo().GetType())
}
