// Package generation holds the rules for texts written by models: voices, facts, post-processing and
// blind votes. Pure functions: no clock, no I/O.
package generation

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Generation is one prompt to one or several models.
type Generation struct {
	ID        string
	AccountID *string // nil: a program with the admin key
	Voice     string
	Topic     string
	Facts     []Fact `gorm:"serializer:json"` // as given to the models
	Blind     bool   // several models: names are hidden until the vote
	RunID     string
	CreatedAt time.Time
}

// Fact is a fact about the product that models may use.
type Fact struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// State of a candidate.
type State string

const (
	Waiting State = "waiting"
	Writing State = "writing" // Text is partial
	Done    State = "done"
	Invalid State = "invalid" // the text cannot be posted unchanged
	Failed  State = "failed"  // there is no text
)

// Ended reports whether the model has finished.
func (s State) Ended() bool { return s != Waiting && s != Writing }

// Candidate is one model's text.
type Candidate struct {
	ID           string
	GenerationID string
	Label        string // A, B, … in random order
	Model        string
	Prompt       string // version of the prompt file
	State        State
	Text         string
	Code         string
	Reason       string
	CallID       *string
	Chosen       bool // won the vote
	EndedAt      *time.Time
}

// TableName is the GORM table name.
func (Candidate) TableName() string { return "generation_candidates" }

// Vote records the candidate that a user found best.
type Vote struct {
	GenerationID string `gorm:"primaryKey"`
	CandidateID  string
	AccountID    *string
	CreatedAt    time.Time
}

// TableName is the GORM table name.
func (Vote) TableName() string { return "generation_votes" }

// Blank creates the candidates of a generation, labeled A, B and so on by rank. rank must not reveal the
// model, so use a keyed digest. newID is called in label order because IDs may reveal their creation order.
func Blank(generationID string, models []string, rank func(model string) string, newID func() string) []Candidate {
	shuffled := slices.Clone(models)
	slices.SortFunc(shuffled, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	candidates := make([]Candidate, len(shuffled))
	for i, name := range shuffled {
		candidates[i] = Candidate{
			ID: newID(), GenerationID: generationID, Label: string(rune('A' + i)), Model: name, State: Waiting,
		}
	}
	return candidates
}

// HasText reports whether the candidate can be chosen.
func (c Candidate) HasText() bool { return c.State == Done || c.State == Invalid }

// End is the result of a candidate.
type End struct {
	State  State
	Text   string
	Code   problem.Code // if invalid or failed
	Reason string
	CallID *string // the model call
}

// End stores the result in the candidate.
func (c *Candidate) End(e End, at time.Time) {
	c.State, c.Text, c.Code, c.Reason, c.CallID, c.EndedAt = e.State, Kept(e.Text), string(e.Code), e.Reason, e.CallID, &at
}

// Lost is the result for a candidate whose worker died.
func Lost() End {
	return End{State: Failed, Code: problem.ModelTrouble, Reason: "The worker that called the model stopped. Generate again."}
}

// EndOf turns a model's answer into a result.
func EndOf(answer string) End {
	text, flaw := Fit(answer)
	switch {
	case flaw == nil:
		return End{State: Done, Text: text}
	case text == "":
		return End{State: Failed, Code: flaw.Code, Reason: flaw.Reason}
	}
	return End{State: Invalid, Text: text, Code: flaw.Code, Reason: flaw.Reason}
}

// Patience is how long a generation may take; after that its workflow run counts as lost.
const Patience = 3 * time.Minute

// Listed is a generation with its candidates, ordered by label.
type Listed struct {
	Generation
	Candidates []Candidate
	Voted      bool
}

// Ended reports whether all models have finished.
func (a Listed) Ended() bool {
	return !slices.ContainsFunc(a.Candidates, func(c Candidate) bool { return !c.State.Ended() })
}

// Lost reports whether the generation is overdue.
func (a Listed) Lost(now time.Time) bool { return !a.Ended() && now.Sub(a.CreatedAt) > Patience }

// Contested reports whether there is, or may still be, a blind choice. With fewer than two texts there is
// nothing to compare and no reason to hide names.
func (a Listed) Contested() bool {
	texts := 0
	for _, c := range a.Candidates {
		if !c.State.Ended() || c.HasText() {
			texts++
		}
	}
	return a.Blind && texts > 1
}

// Hidden reports whether the models' names must not be shown yet.
func (a Listed) Hidden() bool { return a.Contested() && !a.Voted }

// CheckVote returns an error if the candidate cannot be voted for. Each generation has one vote.
func (a Listed) CheckVote(candidateID string) error {
	i := slices.IndexFunc(a.Candidates, func(c Candidate) bool { return c.ID == candidateID })
	switch {
	case i < 0:
		return problem.New(problem.NotFound, "Generated text not found.")
	case a.Voted:
		return problem.New(problem.GenerationEnded, "This generation has already been voted on.")
	case !a.Contested():
		return problem.New(problem.GenerationEnded, "There are fewer than two texts, so there is no vote.")
	case !a.Ended():
		return problem.New(problem.Conflict, "A model is still writing. Vote when all texts are ready.")
	case !a.Candidates[i].HasText():
		return problem.New(problem.Conflict, "This candidate has no text. Choose another one.")
	}
	return nil
}

// Standing is the blind-vote record of one model.
type Standing struct {
	Model string
	Wins  int
	Votes int // votes that included one of its texts; at least 1
}

// Percent is the win rate, rounded to the nearest percent.
func (s Standing) Percent() int {
	return (s.Wins*200 + s.Votes) / (2 * s.Votes)
}

// Rank sorts by win rate, then by number of votes, then by name.
func Rank(standings []Standing) {
	slices.SortFunc(standings, func(a, b Standing) int {
		// Cross-multiplied, because rounded percentages would tie unequal rates.
		return cmp.Or(cmp.Compare(b.Wins*a.Votes, a.Wins*b.Votes), cmp.Compare(b.Votes, a.Votes), cmp.Compare(a.Model, b.Model))
	})
}

// Voice is a writing style.
type Voice struct {
	ID    string
	Label string // for the selection list
	About string // the description shown to people and given to the model
}

var voices = []Voice{
	{"founder", "Founder", "First person plural, plain and direct: what we do, what it costs us, and what comes next."},
	{"engineer", "Engineer", "Dry and precise: what happens, in which order, and what is done when it fails."},
	{"storyteller", "Storyteller", "A short scene: someone wants something, meets an obstacle, and it ends."},
	{"sceptic", "Sceptic", "Doubts the big claims, our own included, and asks the question that others avoid."},
	{"celebrant", "Celebrant", "Warm and glad about small things that went well, without superlatives."},
}

// Voices lists all voices; the first is the default.
func Voices() []Voice { return voices }

// VoiceNamed returns the voice with the ID, or the default if it is empty. An unknown ID is an Invalid
// problem.
func VoiceNamed(id string) (Voice, error) {
	id = cmp.Or(id, voices[0].ID)
	for _, v := range voices {
		if v.ID == id {
			return v, nil
		}
	}
	return Voice{}, unknown("voice", "Unknown voice. Choose one returned by listModels.")
}

func unknown(field, message string) error {
	return &problem.Error{
		Code: problem.Invalid, Message: message, Details: []problem.Detail{{Field: "body." + field, Reason: "must be one of the listed values"}},
	}
}
