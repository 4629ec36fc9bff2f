package post

import (
	"time"

	"customerzero/internal/domain/problem"
)

// DuplicateWindow is the period in which a published text counts as a duplicate.
const DuplicateWindow = 30 * 24 * time.Hour

// Repeated returns the error for a text that post p already has. It names the state of p.
func Repeated(p Post) error {
	const at = "Jan 2, 2006"
	state := "is in another post"
	switch p.Status {
	case StatusPublished:
		state = "was published on " + p.PublishedAt.UTC().Format(at) + " (UTC)"
	case StatusScheduled:
		state = "is already scheduled for " + p.ScheduledAt.UTC().Format(at) + " (UTC)"
	case StatusArmed:
		state = "is being sent right now"
	case StatusDraft:
		state = "is in another draft"
	case StatusFailed:
		state = "is in a failed post, which can still be retried"
	case StatusUnknown:
		state = "is in a post whose outcome is unknown"
	case StatusCancelled: // its text is free
	}
	return problem.New(problem.TextDuplicate, "This text %s, and X rejects duplicates. Change the text and try again.", state)
}
