package client

import (
	"encoding/json"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/run"
)

// tellActivity tells of steps that were handed out.
func (f *folding) tellActivity(e *history.HistoryEvent) {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		f.tellScheduled(e)
	case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		started := e.GetActivityTaskStartedEventAttributes()
		if i, known := f.open[started.GetScheduledEventId()]; known {
			f.Steps[i].Attempt = int(started.GetAttempt())
		}
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		done := e.GetActivityTaskCompletedEventAttributes()
		f.answer(done.GetScheduledEventId(), timeOf(e), run.Done, done.GetResult(), nil)
	case enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		failed := e.GetActivityTaskFailedEventAttributes()
		f.answer(failed.GetScheduledEventId(), timeOf(e), run.Failed, nil, failed.GetFailure())
	case enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		late := e.GetActivityTaskTimedOutEventAttributes()
		f.answer(late.GetScheduledEventId(), timeOf(e), run.TimedOut, nil, late.GetFailure())
	case enums.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
		cancelled := e.GetActivityTaskCanceledEventAttributes()
		f.answer(cancelled.GetScheduledEventId(), timeOf(e), run.Cancelled, nil, nil)
	default:
	}
}

func (f *folding) tellScheduled(e *history.HistoryEvent) {
	ordered := e.GetActivityTaskScheduledEventAttributes()
	name := ordered.GetActivityType().GetName()
	told, known := run.Activity(name)
	if !known {
		f.unknown("activity", name)
		return
	}
	step := f.begin(e.GetEventId(), timeOf(e), run.StageOf(name), told.Title, f.facts(ordered.GetInput(), told.In))
	step.Attempt = f.attempts[ordered.GetActivityId()]
	f.named[e.GetEventId()] = told
}

// answer ends a step with what came of it.
func (f *folding) answer(
	id int64, at time.Time, state run.State, result *common.Payloads, failed *failure.Failure,
) {
	f.learn(result)
	told := f.named[id]
	step := f.close(id, at, state)
	if step == nil {
		return
	}
	step.Facts = append(step.Facts, f.facts(result, told.Out)...)
	if failed != nil {
		step.Failure = f.why(failed)
	}
}

// localActivity is what the SDK writes of a step that was done in the flow's own worker.
type localActivity struct {
	ActivityType string
	Attempt      int
	Backoff      time.Duration // above 0: it is tried again after so long
}

// tellMarker tells of a step that was done in the flow's own worker. Other markers are about
// versions of the code.
func (f *folding) tellMarker(at time.Time, marker *history.MarkerRecordedEventAttributes) {
	if marker.GetMarkerName() != "LocalActivity" {
		return
	}
	var done localActivity
	if json.Unmarshal(first(marker.GetDetails()["data"]), &done) != nil {
		f.unknown("marker", marker.GetMarkerName())
		return
	}
	result := marker.GetDetails()["result"]
	f.learn(result)
	f.anew = marker.GetFailure() != nil && done.Backoff > 0
	told, known := run.Activity(done.ActivityType)
	if !known {
		f.unknown("activity", done.ActivityType)
		return
	}
	step := f.note(at, run.StageOf(done.ActivityType), told.Title, run.Done)
	step.Attempt, step.Facts = done.Attempt, f.facts(result, told.Out)
	if failed := marker.GetFailure(); failed != nil {
		step.State, step.Failure = run.Failed, f.why(failed)
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

// tellMessage tells of what the run was told and asked.
func (f *folding) tellMessage(e *history.HistoryEvent) {
	switch e.GetEventType() {
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
		name := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput().GetName()
		if told, known := f.flow.Updates[name]; known {
			f.begin(e.GetEventId(), timeOf(e), run.Notice, told.Title, nil)
			f.named[e.GetEventId()] = told
		} else {
			f.unknown("update", name)
		}
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:
		answered := e.GetWorkflowExecutionUpdateCompletedEventAttributes()
		outcome, state := answered.GetOutcome(), run.Done
		if outcome.GetFailure() != nil {
			state = run.Failed
		}
		f.answer(answered.GetAcceptedEventId(), timeOf(e), state, outcome.GetSuccess(), outcome.GetFailure())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_REJECTED:
		refused := e.GetWorkflowExecutionUpdateRejectedEventAttributes()
		if told, known := f.flow.Updates[refused.GetRejectedRequest().GetInput().GetName()]; known {
			f.note(timeOf(e), run.Notice, told.Title, run.Failed).Failure = f.why(refused.GetFailure())
		}
	default:
	}
}

// tellChild tells of runs that this one began.
func (f *folding) tellChild(e *history.HistoryEvent) {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
		name := e.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetWorkflowType().GetName()
		told, known := f.flow.Children[name]
		if !known {
			f.unknown("child", name)
			return
		}
		f.begin(e.GetEventId(), timeOf(e), run.Act, told.Title, nil)
		f.named[e.GetEventId()], f.children[e.GetEventId()] = told, true
	case enums.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED:
		f.closeChild(e, e.GetStartChildWorkflowExecutionFailedEventAttributes().GetInitiatedEventId(), run.Failed, nil, nil)
	case enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED:
		done := e.GetChildWorkflowExecutionCompletedEventAttributes()
		f.closeChild(e, done.GetInitiatedEventId(), run.Done, done.GetResult(), nil)
	case enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED:
		failed := e.GetChildWorkflowExecutionFailedEventAttributes()
		f.closeChild(e, failed.GetInitiatedEventId(), run.Failed, nil, failed.GetFailure())
	case enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED:
		f.closeChild(e, e.GetChildWorkflowExecutionCanceledEventAttributes().GetInitiatedEventId(), run.Cancelled, nil, nil)
	case enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT:
		f.closeChild(e, e.GetChildWorkflowExecutionTimedOutEventAttributes().GetInitiatedEventId(), run.TimedOut, nil, nil)
	case enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED:
		f.closeChild(e, e.GetChildWorkflowExecutionTerminatedEventAttributes().GetInitiatedEventId(), run.Terminated, nil, nil)
	default:
	}
}

// closeChild leaves alone what the child's result says of where it stands: that is not the
// parent's standing.
func (f *folding) closeChild(
	e *history.HistoryEvent, id int64, state run.State, result *common.Payloads, failed *failure.Failure,
) {
	standing := f.standing
	f.answer(id, timeOf(e), state, result, failed)
	f.standing = standing
}

// tellEnd tells how the run ended.
func (f *folding) tellEnd(e *history.HistoryEvent) {
	at := timeOf(e)
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		result := e.GetWorkflowExecutionCompletedEventAttributes().GetResult()
		f.learn(result)
		f.Result = f.facts(result, f.flow.Result)
		f.finish(at, run.Done, "The run ended", "")
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		f.finish(at, run.Failed, "The run failed", f.why(e.GetWorkflowExecutionFailedEventAttributes().GetFailure()))
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		f.finish(at, run.Cancelled, "The run was cancelled", "")
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		f.finish(at, run.Terminated, "The run was ended by force", "")
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
		f.finish(at, run.TimedOut, "The run took too long", run.TookLong)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
		f.finish(at, run.Continued, "It goes on in another run, so that the history stays short", "")
	default:
	}
}

func (f *folding) finish(at time.Time, state run.State, title, why string) {
	f.end(state, at)
	f.note(at, run.Record, title, state).Failure = why
}
