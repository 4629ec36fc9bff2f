// Package stats is how the product stands by its rows, in numbers: what operators watch, and what
// alarms are made of.
package stats

import (
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
)

// Reading is everything that is read at once.
type Reading struct {
	Posts   map[post.Status]int
	Overdue Waiting // their time has come, and nothing holds them back
	Held    int     // theirs, too, but the bot is paused, or not connected
	Armed   Waiting
	// Undecided are those of which nobody knows whether they went out, and of which a founder may
	// still decide.
	Undecided int

	Slots post.MonthUsage
	Reads post.ReadUsage

	Emails       Waiting // to be sent
	FailedEmails int

	Checkouts map[checkout.State]int
	Quoting   Waiting // for a price

	Faults map[string]Fault // by name: every run there was
}

// Waiting is how many wait, and since when the first of them does.
type Waiting struct {
	Count int
	Since *time.Time // nil: nobody waits
}

// Longest is how long the first has waited.
func (w Waiting) Longest(now time.Time) time.Duration {
	if w.Since == nil {
		return 0
	}
	return max(0, now.Sub(*w.Since))
}

// Fault is what came of all runs of a fault.
type Fault struct {
	Verdicts map[chaos.Verdict]int
	Detect   Times
	Heal     Times
}

// Add counts one more run.
func (f *Fault) Add(verdict chaos.Verdict, detectMS, healMS *int) {
	if f.Verdicts == nil {
		f.Verdicts = map[chaos.Verdict]int{}
	}
	f.Verdicts[verdict]++
	f.Detect.Add(detectMS)
	f.Heal.Add(healMS)
}

// Plus is both, and changes neither.
func (f Fault) Plus(other Fault) Fault {
	sum := Fault{Verdicts: map[chaos.Verdict]int{}, Detect: f.Detect.plus(other.Detect), Heal: f.Heal.plus(other.Heal)}
	for _, counted := range []map[chaos.Verdict]int{f.Verdicts, other.Verdicts} {
		for verdict, n := range counted {
			sum.Verdicts[verdict] += n
		}
	}
	return sum
}

// Steps bound the buckets of Times.
var Steps = [...]time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
}

// Times are how long something took, again and again.
type Times struct {
	Count  uint64
	Sum    time.Duration
	Within [len(Steps)]uint64 // how many took no longer than each of Steps
}

// Add counts one more; nil counts nothing.
func (t *Times) Add(ms *int) {
	if ms == nil {
		return
	}
	took := time.Duration(*ms) * time.Millisecond
	t.Count++
	t.Sum += took
	for i, step := range Steps {
		if took <= step {
			t.Within[i]++
		}
	}
}

func (t Times) plus(other Times) Times {
	t.Count += other.Count
	t.Sum += other.Sum
	for i, n := range other.Within {
		t.Within[i] += n
	}
	return t
}
