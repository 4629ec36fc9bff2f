package post

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
