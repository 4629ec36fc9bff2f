package post

import "slices"

// Listed is a post as lists show it.
type Listed struct {
	Post
	Username string // of the member; empty for the founders' posts
	Slot     *Slot  // nil when it holds none
}

// Filter narrows a list of posts. Empty means all.
type Filter struct {
	Statuses      []Status
	Limit, Offset int
}

// Upcoming says that only posts that have yet to go out are asked for.
func (f Filter) Upcoming() bool {
	past := func(s Status) bool { return s != StatusDraft && s != StatusScheduled && s != StatusArmed }
	return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, past)
}

// MonthUsage says how a month's slots stand. A month nobody has touched is all free.
type MonthUsage struct {
	Spent, Reserved int
	CommonsHeld     int
	Members         int // active ones, by whom the month is shared
}

// Free is how many slots are left.
func (u MonthUsage) Free() int { return MonthlyPosts - u.Spent - u.Reserved }

// ReadUsage is how a month's reads of X stand. Safety reads settle unclear posts; they
// are counted, and never refused.
type ReadUsage struct{ Used, Budget, Safety int }
