// Package run holds the allow-list of what is public about workflow runs: for every workflow, the steps
// with a public name and the values that may be shown. Everything else is hidden. Pure functions: no
// clock, no I/O.
package run

import (
	"slices"
	"time"
)

// Flow describes the public view of a workflow. Other events are only counted.
type Flow struct {
	Word        string // ID in the product, such as post
	Title       string
	Description string // what its runs do; a sentence
	// Listing selects the public lists. A run can always be opened by its ID.
	Listing Listing
	// Quiet flows carry personal data; only the titles of their steps are shown.
	Quiet bool

	Subject  string            // field of the input or a result with the ID of the run's subject
	Standing string            // field of results with the state, which selects the title of a wait
	Waits    map[string]string // titles of timers by state; "" for all others
	Signals  map[string]string
	Updates  map[string]Description
	Children map[string]Description // by workflow name
	Result   []Field
}

// Description is the public view of a step.
type Description struct {
	Stage Stage // of activities; fixed for signals, updates and children
	Title string
	In    []Field // of the input
	Out   []Field // of the result
}

// Listing selects the public lists in which a flow's runs appear.
type Listing int

const (
	// Unlisted runs are in no list, because their IDs are private, such as that of a receipt.
	Unlisted Listing = iota
	// Asked runs are listed only if this flow is requested, so that housekeeping does not fill the main list.
	Asked
	// Listed runs are in the main list.
	Listed
)

// FlowOf returns the description of a workflow. Workflows without one are never shown.
func FlowOf(workflow string) (Flow, bool) {
	flow, known := flows[workflow]
	return flow, known
}

// FlowNamed returns the flow with the word.
func FlowNamed(word string) (Flow, bool) {
	for _, flow := range flows {
		if flow.Word == word {
			return flow, true
		}
	}
	return Flow{}, false
}

// Workflows returns the names of the listed workflows: of one flow, or of the main list if word is empty.
// It is empty if there is no such list.
func Workflows(word string) []string {
	var names []string
	for name, flow := range flows {
		if word == "" && flow.Listing == Listed || word != "" && flow.Word == word && flow.Listing != Unlisted {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Wait returns the title of a timer in a state of the run.
func (f Flow) Wait(standing string) (title string, known bool) {
	if title, known = f.Waits[standing]; !known {
		title, known = f.Waits[""]
	}
	return title, known
}

// State is the state of a run or a step.
type State string

const (
	Running    State = "running"
	Done       State = "done"
	Failed     State = "failed"
	Cancelled  State = "cancelled"
	Terminated State = "terminated"
	TimedOut   State = "timed_out"
	Continued  State = "continued" // continued in a new run
)

// Timeline is the public view of a run.
type Timeline struct {
	WorkflowID string
	RunID      string
	Flow       string // Flow.Word
	Subject    string // ID of the run's subject, or empty
	State      State
	StartedAt  time.Time
	EndedAt    *time.Time
	Steps      []Step // oldest first
	Events     int    // number of history events
	Cut        bool   // the history is longer
	Result     []Fact // result of the run
}

// Stage is a step's part in the control loop that the page /agent-demo shows. Every activity has one.
type Stage string

const (
	Notice Stage = "notice" // an input: a request, a signal, a failed probe
	Plan   Stage = "plan"   // decisions: waits, prices, drafts
	Guard  Stage = "guard"  // limits: slots, leases, budgets
	Act    Stage = "act"    // external calls
	Check  Stage = "check"  // verification of the outcome
	Record Stage = "record" // storing the result
)

// Step is an event of a run.
type Step struct {
	At      time.Time
	EndedAt *time.Time // nil: instantaneous, or not ended
	Stage   Stage
	Title   string // such as Asked X to publish
	State   State
	Attempt int // 0: not counted
	Facts   []Fact
	Failure string // a code or a fixed sentence, never a raw message
}

// Fact is a named public value.
type Fact struct{ Name, Value string }

// Brief is a run as shown in lists.
type Brief struct {
	WorkflowID string
	RunID      string
	Flow       string
	State      State
	StartedAt  time.Time
	EndedAt    *time.Time
}
