// Package run says what may be told of a run in public: for every flow, by an allow-list,
// which of its steps have a name for strangers and which of their values may be shown. What does
// not stand on the list is not shown. Values in, values out.
package run

import (
	"slices"
	"time"
)

// Flow is what may be told of the runs of one workflow. Everything else of them is counted, and
// not shown.
type Flow struct {
	Word  string // the product's, like post
	Title string
	Says  string // what its runs do, in a sentence
	// Listing is where strangers find its runs. Whoever has a run's ID may open it anyway.
	Listing Listing
	// Quiet flows carry what is somebody's own. Their steps have titles, and nothing else.
	Quiet bool

	Subject  string            // the field of its input, or of a result, that names what it is about
	Standing string            // the field of results that says where it stands: waits are named by it
	Waits    map[string]string // titles of timers, by where it stands; under "" for all others
	Signals  map[string]string
	Updates  map[string]Description
	Children map[string]Description // by workflow
	Result   []Field
}

// Description is a step that has a name for strangers.
type Description struct {
	Stage Stage // of a step; signals, updates and children have the same in all flows
	Title string
	In    []Field // of what it was asked
	Out   []Field // of what it answered
}

// Listing says where strangers find the runs of a flow.
type Listing int

const (
	// Unlisted runs are in no list. Their IDs are somebody's own, like that of a receipt.
	Unlisted Listing = iota
	// Asked runs are listed for who asks for this flow: housekeeping would fill the other list.
	Asked
	// Listed runs are in the list of all.
	Listed
)

// FlowOf finds what may be told of a workflow. What is not found is shown to nobody.
func FlowOf(workflow string) (Flow, bool) {
	flow, known := flows[workflow]
	return flow, known
}

// FlowNamed finds a flow by the product's word.
func FlowNamed(word string) (Flow, bool) {
	for _, flow := range flows {
		if flow.Word == word {
			return flow, true
		}
	}
	return Flow{}, false
}

// Workflows names those whose runs are listed: of one flow, or with no word given of all that
// stand in the list of all. None: there is no such list.
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

// Wait names a timer, by where the run stands.
func (f Flow) Wait(standing string) (title string, known bool) {
	if title, known = f.Waits[standing]; !known {
		title, known = f.Waits[""]
	}
	return title, known
}

// State is how a run, or a step of one, stands.
type State string

const (
	Running    State = "running"
	Done       State = "done"
	Failed     State = "failed"
	Cancelled  State = "cancelled"
	Terminated State = "terminated"
	TimedOut   State = "timed_out"
	Continued  State = "continued" // goes on in another run
)

// Timeline is a run, as strangers see it.
type Timeline struct {
	WorkflowID string
	RunID      string
	Flow       string // the product's word, like post
	Subject    string // the ID of what it is about; empty: the workflow's says so, or nothing may
	State      State
	StartedAt  time.Time
	EndedAt    *time.Time
	Steps      []Step // oldest first
	Events     int    // in the history
	Cut        bool   // the history goes on
	Result     []Fact // what the run came to
}

// Stage is the part that a step plays in the loop that every flow goes round: the page
// /agent-demo plays a run by it. Every entry of the allow-list names one.
type Stage string

const (
	Notice Stage = "notice" // something came in: a request, a signal, a probe that failed
	Plan   Stage = "plan"   // what is to be done, and when: waits, prices, drafts
	Guard  Stage = "guard"  // limits are held: slots, leases, budgets
	Act    Stage = "act"    // the call to the world outside
	Check  Stage = "check"  // looking at what really happened
	Record Stage = "record" // the result is written down
)

// Step is something that happened in a run.
type Step struct {
	At      time.Time
	EndedAt *time.Time // nil: at once, or not yet
	Stage   Stage
	Title   string // in words, like Asked X to publish
	State   State
	Attempt int    // 0: not counted
	Facts   []Fact // values that may be shown
	Failure string // why it failed: a code or a fixed sentence, never a raw message
}

// Fact is a value with its name.
type Fact struct{ Name, Value string }

// Brief is a run in a list.
type Brief struct {
	WorkflowID string
	RunID      string
	Flow       string
	State      State
	StartedAt  time.Time
	EndedAt    *time.Time
}
