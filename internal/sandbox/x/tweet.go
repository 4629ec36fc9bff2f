package x

import (
	"cmp"
	"strings"
	"time"
)

// Tweet is what the sandbox accepted, with the text as it was sent.
type Tweet struct {
	ID              string    `json:"id"`
	AuthorID        string    `json:"author_id"`
	Text            string    `json:"text"`
	InReplyTo       string    `json:"in_reply_to,omitempty"`
	PaidPartnership bool      `json:"paid_partnership,omitempty"`
	MadeWithAI      bool      `json:"made_with_ai,omitempty"`
	CreatedAt       time.Time `json:"created_at"`
	VisibleAt       time.Time `json:"visible_at,omitzero"` // zero: at once
	DeletedAt       time.Time `json:"deleted_at,omitzero"`
	Metrics         Metrics   `json:"-"` // as they stand when asked for; a function of ID and age
}

// visible says whether people see the tweet.
func (t Tweet) visible(now time.Time) bool {
	return t.DeletedAt.IsZero() && !now.Before(t.VisibleAt)
}

// shownTime is when X says that the tweet was made: it cuts the fraction of the second off.
func (t Tweet) shownTime() time.Time { return t.CreatedAt.UTC().Truncate(time.Second) }

// compareIDs orders tweets by age. IDs are numbers too big for some clients, hence strings.
func compareIDs(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
