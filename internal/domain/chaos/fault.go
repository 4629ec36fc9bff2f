package chaos

import "time"

// Fault describes one way to break a cell; what does it lies with the keeper.
type Fault struct {
	Name    string // as callers ask for it
	Title   string
	About   string        // what it really does, in a sentence
	Promise time.Duration // within which time to heal it counts as healed in time
	Weight  int           // in the score
}

// The times to heal that are promised.
const (
	QuickPromise = 2 * time.Second
	SlowPromise  = 5 * time.Second
)

// DefaultLease is how long a fault may stay at most.
const DefaultLease = 30 * time.Second
