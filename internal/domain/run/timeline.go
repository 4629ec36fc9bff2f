// Package run says what may be told of a run in public: for every flow, by an allow-list,
// which of its steps have a name for strangers and which of their values may be shown. What does
// not stand on the list is not shown. Values in, values out.
package run

import "time"

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
