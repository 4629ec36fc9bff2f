// Package generation holds the rules of texts that models write: voices, facts, what fits a
// post, and who won which vote. Values in, values out.
package generation

import "time"

// Generation is one question to one or several models.
type Generation struct {
	ID        string
	AccountID *string // nil: a program with the founders' key
	Voice     string
	Topic     string
	Facts     []Fact `gorm:"serializer:json"` // as the models were told
	Blind     bool   // several models: their names are told after the vote
	RunID     string
	CreatedAt time.Time
}

// Fact is something true about the product that models may use.
type Fact struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// State of a candidate.
type State string

const (
	Waiting State = "waiting"
	Writing State = "writing" // Text is what there is so far
	Done    State = "done"
	Unfit   State = "unfit"  // there is a text, which cannot be posted as it is
	Failed  State = "failed" // there is none
)

// Ended says that the model will say no more.
func (s State) Ended() bool { return s != Waiting && s != Writing }

// Candidate is one model's text.
type Candidate struct {
	ID           string
	GenerationID string
	Label        string // A, B, …: in an order that says nothing
	Model        string
	Prompt       string // its version
	State        State
	Text         string
	Code         string
	Reason       string
	CallID       *string
	Chosen       bool // won the vote
	EndedAt      *time.Time
}

// Vote says which candidate somebody found best.
type Vote struct {
	GenerationID string `gorm:"primaryKey"`
	CandidateID  string
	AccountID    *string
	CreatedAt    time.Time
}

// TableName is where votes are kept.
func (Vote) TableName() string { return "generation_votes" }
