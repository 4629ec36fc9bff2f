package recurring

import (
	"time"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
)

// Change is what a person alters. What is nil stays.
type Change struct {
	Texts    *[]string
	Weekly   *[]localtime.Time
	Timezone *string
	EndsAt   *time.Time
	NoEnd    bool
	State    *State // Active or Paused
	Version  *int   // the one that was seen
}

// Rewrites says whether it alters more than the state.
func (c Change) Rewrites() bool {
	return c.Texts != nil || c.Weekly != nil || c.Timezone != nil || c.EndsAt != nil || c.NoEnd
}

// Apply makes the change, but for the state.
func (c Change) Apply(s *Series) {
	if c.Texts != nil {
		s.Texts = *c.Texts
	}
	if c.Weekly != nil {
		s.Weekly = *c.Weekly
	}
	if c.Timezone != nil {
		s.Timezone = *c.Timezone
	}
	if c.EndsAt != nil || c.NoEnd {
		s.EndsAt = c.EndsAt
	}
}

// Listed is a series as lists show it.
type Listed struct {
	Series
	Username string       // of the member; empty for the founders' series
	Next     *post.Listed // its next post; nil: none is written
}

// Turn is an occurrence with its post, if it ever had one.
type Turn struct {
	Occurrence
	Post *post.Listed
}
