package post

import "slices"

// Listed is a post as lists show it.
type Listed struct {
	Post
	Username string  // of the member; empty for the founders' posts
	Slot     *Slot   // nil when it holds none
	Source   *Source // nil: people wrote it, or nobody may know yet
}

// Source is the model that wrote a text.
type Source struct{ Model, Prompt string }

// Viewer is somebody who may see their own drafts, and nobody else's.
type Viewer struct {
	MemberID string // empty: sees no drafts
}

// MaySee says whether the viewer may know of the post. Nobody in particular sees everything.
func (v *Viewer) MaySee(p Post) bool {
	return v == nil || p.Status != StatusDraft || (p.MemberID != nil && *p.MemberID == v.MemberID)
}

// Filter narrows a list of posts. Empty means all.
type Filter struct {
	Statuses      []Status
	Reviews       []Review // drafts that stand so
	Viewer        *Viewer  // nil: sees everything
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
