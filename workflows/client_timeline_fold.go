package workflows

import (
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/run"
)

// folding turns the events of a history into steps, one event after the other. Whatever an event
// carries is shown only by the words of package timeline.
type folding struct {
	run.Timeline
	flow     run.Flow
	attempts map[string]int // of activities under way

	open     map[int64]int // steps under way, by the event that began them
	named    map[int64]run.Told
	children map[int64]bool
	standing string // where the run stands, by its last result
	anew     bool   // the next timer is the pause before a step that failed is tried again
	unnamed  []string
}

// fold tells a history, or its beginning.
func fold(flow run.Flow, events []*history.HistoryEvent, attempts map[string]int) *folding {
	f := &folding{
		flow: flow, attempts: attempts, open: map[int64]int{}, named: map[int64]run.Told{}, children: map[int64]bool{},
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
