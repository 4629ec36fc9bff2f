package post

import "slices"

// Status is where a post stands. Exactly one of them is stored with every post.
//
//	draft ─► scheduled ─► armed ─┬─► published
//	            ▲  │             ├─► failed ──┐  (either may be retried for RetryWindow)
//	            │  └► cancelled  └─► unknown ─┤
//	            └─────────────────────────────┘
type Status string

const (
	StatusDraft     Status = "draft"     // written, holds nothing
	StatusScheduled Status = "scheduled" // holds a slot; waits for its time, or for X to take it again
	StatusArmed     Status = "armed"     // may have been sent: nobody changes it until its outcome is known
	StatusPublished Status = "published" // on the timeline; its slot is spent
	StatusFailed    Status = "failed"    // certainly not on the timeline; slot and credit are back
	StatusUnknown   Status = "unknown"   // the timeline could not be read; a founder decides
	StatusCancelled Status = "cancelled" // given up by a person; slot and credit are back
)

// Statuses lists every status.
var Statuses = []Status{
	StatusDraft, StatusScheduled, StatusArmed, StatusPublished, StatusFailed, StatusUnknown, StatusCancelled,
}

// Final says that nothing will change the post any more.
func (s Status) Final() bool { return s == StatusPublished || s == StatusCancelled }

// Retryable says that a person may ask for another try.
func (s Status) Retryable() bool { return s == StatusFailed || s == StatusUnknown }

// Cancellable says that a person may still give the post up: it is surely not being sent now.
func (s Status) Cancellable() bool { return s == StatusDraft || s == StatusScheduled || s.Retryable() }

// ParseStatus reads a status by its name.
func ParseStatus(word string) (Status, bool) {
	i := slices.Index(Statuses, Status(word))
	return Status(word), i >= 0
}
