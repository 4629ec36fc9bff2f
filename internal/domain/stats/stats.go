// Package stats holds the numbers read from the database for metrics and alerts.
package stats

import (
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
)

// Reading is the result of one read.
type Reading struct {
	Posts   map[post.Status]int
	Overdue Waiting // due and not held
	Held    int     // due, but the bot is paused or not connected
	Armed   Waiting
	// Undecided counts posts with an unknown outcome that a founder can still resolve.
	Undecided int

	Slots post.MonthUsage
	Reads post.ReadUsage

	Emails       Waiting // waiting to be sent
	FailedEmails int

	Checkouts map[checkout.State]int
	Quoting   Waiting // waiting for a price

	Faults map[string]Fault // all runs by fault name
}

// Waiting counts waiting items, with the start of the longest wait.
type Waiting struct {
	Count int
	Since *time.Time // nil if none wait
}

// Longest is the longest wait so far.
func (w Waiting) Longest(now time.Time) time.Duration {
	if w.Since == nil {
		return 0
	}
	return max(0, now.Sub(*w.Since))
}

// Fault counts the outcomes of all runs of a fault.
type Fault struct {
	Verdicts map[chaos.Verdict]int
	Detect   Times
	Heal     Times
}

// Add counts a run.
func (f *Fault) Add(verdict chaos.Verdict, detectMS, healMS *int) {
	if f.Verdicts == nil {
		f.Verdicts = map[chaos.Verdict]int{}
	}
	f.Verdicts[verdict]++
	f.Detect.Add(detectMS)
	f.Heal.Add(healMS)
}

// Plus returns the sum.
func (f Fault) Plus(other Fault) Fault {
	sum := Fault{Verdicts: map[chaos.Verdict]int{}, Detect: f.Detect.plus(other.Detect), Heal: f.Heal.plus(other.Heal)}
	for _, counted := range []map[chaos.Verdict]int{f.Verdicts, other.Verdicts} {
		for verdict, n := range counted {
			sum.Verdicts[verdict] += n
		}
	}
	return sum
}

// Steps are the bucket bounds of Times.
var Steps = [...]time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
}

// Times is a histogram of durations.
type Times struct {
	Count  uint64
	Sum    time.Duration
	Within [len(Steps)]uint64 // cumulative counts for each of Steps
}

// Add counts a duration; nil is ignored.
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
