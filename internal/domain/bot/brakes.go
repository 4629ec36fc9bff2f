package bot

import (
	"strings"
	"time"
)

// Brakes are what founders hold posts back with.
type Brakes struct {
	Approval    bool       // members' posts wait until a founder has approved them
	PausedAt    *time.Time // nothing is sent since then; nil: the bot is not paused
	PausedBy    string
	PauseReason string // for everybody to read; may be empty
}

// Paused says that nothing may be sent.
func (b Brakes) Paused() bool { return b.PausedAt != nil }

// BrakeChange alters the brakes. What is nil stays as it is.
type BrakeChange struct {
	Paused   *bool
	Reason   string // why it is paused; of no use otherwise
	Approval *bool
}

// After is the brakes once somebody has changed them. Pausing what is paused keeps when and by
// whom, unless it gives another reason.
func (b Brakes) After(c BrakeChange, by string, at time.Time) Brakes {
	if c.Approval != nil {
		b.Approval = *c.Approval
	}
	if c.Paused == nil {
		return b
	}
	if !*c.Paused {
		b.PausedAt, b.PausedBy, b.PauseReason = nil, "", ""
		return b
	}
	why := strings.TrimRight(strings.Join(strings.Fields(c.Reason), " "), ". ")
	if !b.Paused() || (why != "" && why != b.PauseReason) {
		b.PausedAt, b.PausedBy, b.PauseReason = &at, by, why
	}
	return b
}
