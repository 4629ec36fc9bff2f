// Package recurring holds the rules of posts that recur. Values in, values out.
package recurring

import (
	"time"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
)

// State of a series.
type State string

const (
	Active State = "active"
	Paused State = "paused" // writes nothing until somebody resumes it
	Ended  State = "ended"
)

// Series is a post that recurs every week. Its next post is always written ahead, with its
// slot: the calendar promises nothing that it has no place for.
type Series struct {
	ID         string
	MemberID   *string          // nil: the founders', out of the commons
	Texts      []string         `gorm:"serializer:json"` // take turns
	Weekly     []localtime.Time `gorm:"serializer:json"`
	Timezone   string
	EndsAt     *time.Time // no occurrence after it
	MadeWithAI bool

	State    State
	Code     string    // why it is paused: a word
	Reason   string    // the same as a sentence for people
	Failures int       // occurrences in a row whose post failed
	Written  int       // posts so far: says whose turn of Texts it is
	CursorAt time.Time // occurrences up to here have had their turn

	Version              int // counts changes by people
	CreatedAt, UpdatedAt time.Time
}

// TableName is where series are kept: the word has no plural of its own.
func (Series) TableName() string { return "series" }

// OccurrenceState says what became of one time of a series.
type OccurrenceState string

const (
	Written OccurrenceState = "written" // it has a post, which says the rest
	Skipped OccurrenceState = "skipped"
)

// Occurrence is one time of a series.
type Occurrence struct {
	SeriesID string    `gorm:"primaryKey"`
	At       time.Time `gorm:"primaryKey"`
	State    OccurrenceState
	PostID   *string
	Code     string // why it was skipped: a word
	Reason   string
}

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
