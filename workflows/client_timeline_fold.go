package workflows

import (
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"

	"customerzero/internal/timeline"
)

// folding turns the events of a history into steps, one event after the other. Whatever an event
// carries is shown only by the words of package timeline.
type folding struct {
	timeline.Timeline
	flow     timeline.Flow
	attempts map[string]int // of activities under way

	open     map[int64]int // steps under way, by the event that began them
	named    map[int64]timeline.Told
	children map[int64]bool
	standing string // where the run stands, by its last result
	anew     bool   // the next timer is the pause before a step that failed is tried again
	unnamed  []string
}

// fold tells a history, or its beginning.
func fold(flow timeline.Flow, events []*history.HistoryEvent, attempts map[string]int) *folding {
	f := &folding{
		flow: flow, attempts: attempts, open: map[int64]int{}, named: map[int64]timeline.Told{}, children: map[int64]bool{},
		Timeline: timeline.Timeline{Flow: flow.Word, State: timeline.Running, Events: len(events)},
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
		f.close(e.GetTimerFiredEventAttributes().GetStartedEventId(), timeOf(e), timeline.Done)
	case enums.EVENT_TYPE_TIMER_CANCELED:
		f.close(e.GetTimerCanceledEventAttributes().GetStartedEventId(), timeOf(e), timeline.Cancelled)
	default:
	}
}

func timeOf(e *history.HistoryEvent) time.Time { return e.GetEventTime().AsTime() }

// begin adds a step that is under way.
func (f *folding) begin(id int64, at time.Time, stage timeline.Stage, title string, facts []timeline.Fact) *timeline.Step {
	f.open[id] = len(f.Steps)
	f.Steps = append(f.Steps, timeline.Step{At: at, Stage: stage, Title: title, State: timeline.Running, Facts: facts})
	return &f.Steps[len(f.Steps)-1]
}

// note adds a step that is done at once.
func (f *folding) note(at time.Time, stage timeline.Stage, title string, state timeline.State) *timeline.Step {
	f.Steps = append(f.Steps, timeline.Step{At: at, EndedAt: &at, Stage: stage, Title: title, State: state})
	return &f.Steps[len(f.Steps)-1]
}

// close ends the step that an event began. It has none if the step has no name.
func (f *folding) close(id int64, at time.Time, state timeline.State) *timeline.Step {
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
func (f *folding) end(state timeline.State, at time.Time) {
	f.State, f.EndedAt = state, &at
	for id := range f.open {
		if f.children[id] {
			f.close(id, at, timeline.Continued)
		} else {
			f.close(id, at, timeline.Cancelled)
		}
	}
}

// unknown notes what has no name, so that a test can see what was forgotten.
func (f *folding) unknown(what, name string) { f.unnamed = append(f.unnamed, what+" "+name) }

// learn keeps what a value says of what the run is about and where it stands.
func (f *folding) learn(p *common.Payloads) {
	value := first(p)
	if said := timeline.Word(value, f.flow.Subject); said != "" && f.Subject == "" {
		f.Subject = said
	}
	if said := timeline.Word(value, f.flow.Standing); said != "" {
		f.standing = said
	}
}

// facts are what may be shown of a value.
func (f *folding) facts(p *common.Payloads, fields []timeline.Field) []timeline.Fact {
	if f.flow.Quiet {
		return nil
	}
	return timeline.Facts(first(p), fields)
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
	var facts []timeline.Fact
	if !f.flow.Quiet {
		wait := e.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration()
		facts = []timeline.Fact{{Name: "For at most", Value: timeline.InWords(wait)}}
	}
	f.begin(e.GetEventId(), timeOf(e), timeline.Plan, title, facts)
}
