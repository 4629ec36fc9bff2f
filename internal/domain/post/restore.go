package post

import (
	"time"

	"customerzero/internal/domain/problem"
)

// RestoreWindow is how long a cancellation may be undone.
const RestoreWindow = 24 * time.Hour

// MayRestore says why a cancellation cannot be undone, or nil. What the product itself gave up
// carries a code, and stays so.
func (p Post) MayRestore(now time.Time) error {
	switch {
	case p.Status != StatusCancelled:
		return problem.New(problem.PostClosed, "This post is %s; only a cancelled one can be restored.", p.Status)
	case p.Code != "" || p.CancelledAt == nil:
		return problem.New(problem.PostClosed, "This post was not cancelled by a person, and cannot be restored. Write it again.")
	case now.Sub(*p.CancelledAt) > RestoreWindow:
		return problem.New(problem.PostClosed, "A cancellation can be undone for 24 hours. Write the post again.")
	case p.Reservation > 0 && !p.ScheduledAt.After(now):
		return problem.New(problem.DatePast, "The time of this post has passed. Write it again with a new time.")
	}
	return nil
}

// Restore makes the post what it was before it was cancelled, and says whether that needs a
// slot: one that never held any was a draft. Gated, what nobody approved waits for that first.
func (p *Post) Restore(gated bool) (goesOut bool) {
	p.Status = StatusDraft
	switch {
	case p.Reservation == 0:
	case gated && p.Review != ReviewApproved:
		p.ask()
	default:
		p.Status = StatusScheduled
	}
	return p.Status == StatusScheduled
}
