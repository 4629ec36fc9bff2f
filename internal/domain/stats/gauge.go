// Package stats is how the product stands by its rows, in numbers: what operators watch, and what
// alarms are made of.
package stats

import (
	"time"

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

	Letters     Waiting // to be sent
	DeadLetters int

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
