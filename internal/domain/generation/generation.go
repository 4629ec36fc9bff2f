// Package generation holds the rules of texts that models write: voices, facts, what fits a
// post, and who won which vote. Values in, values out.
package generation

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

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
	Invalid State = "invalid" // there is a text, which cannot be posted as it is
	Failed  State = "failed"  // there is none
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

// TableName is the table of the rows.
func (Candidate) TableName() string { return "generation_candidates" }

// Vote says which candidate somebody found best.
type Vote struct {
	GenerationID string `gorm:"primaryKey"`
	CandidateID  string
	AccountID    *string
	CreatedAt    time.Time
}

// TableName is where votes are kept.
func (Vote) TableName() string { return "generation_votes" }

// Blank makes the candidates of a generation, labelled A, B and so on in the order of their
// ranks. A rank must not show who is who, so it is best a keyed digest. IDs are asked for in
// the order of the labels: theirs may tell when they were made.
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

// HasText says that the candidate can be chosen.
func (c Candidate) HasText() bool { return c.State == Done || c.State == Invalid }

// End is what became of a text.
type End struct {
	State  State
	Text   string
	Code   problem.Code // of one that is unfit or failed
	Reason string
	CallID *string // of the model
}

// End ends a candidate.
func (c *Candidate) End(e End, at time.Time) {
	c.State, c.Text, c.Code, c.Reason, c.CallID, c.EndedAt = e.State, Kept(e.Text), string(e.Code), e.Reason, e.CallID, &at
}

// Lost is the end of a text whose worker is gone. What it cost, nobody knows.
func Lost() End {
	return End{State: Failed, Code: problem.ModelTrouble, Reason: "The worker that asked the model was lost. Generate again."}
}

// EndOf is the end of a text that a model has answered.
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

// Patience is how long a generation may take. One that is older has lost its run.
const Patience = 3 * time.Minute

// Listed is a generation with all that models wrote, by label.
type Listed struct {
	Generation
	Candidates []Candidate
	Voted      bool
}

// Ended says that nobody writes any more.
func (a Listed) Ended() bool {
	return !slices.ContainsFunc(a.Candidates, func(c Candidate) bool { return !c.State.Ended() })
}

// Lost says that it should have ended long ago.
func (a Listed) Lost(now time.Time) bool { return !a.Ended() && now.Sub(a.CreatedAt) > Patience }

// Contested says whether there is, or may yet be, a choice to be made without knowing who
// wrote what. Where fewer than two texts came, there is nothing to compare, and no reason to
// hide any name.
func (a Listed) Contested() bool {
	texts := 0
	for _, c := range a.Candidates {
		if !c.State.Ended() || c.HasText() {
			texts++
		}
	}
	return a.Blind && texts > 1
}

// Hidden says whether the models' names must not be told yet.
func (a Listed) Hidden() bool { return a.Contested() && !a.Voted }

// CheckVote says why a vote for a candidate cannot be taken, or nil. A generation is voted
// on once.
func (a Listed) CheckVote(candidateID string) error {
	i := slices.IndexFunc(a.Candidates, func(c Candidate) bool { return c.ID == candidateID })
	switch {
	case i < 0:
		return problem.New(problem.NotFound, "There is no such generated text.")
	case a.Voted:
		return problem.New(problem.GenerationEnded, "The vote on this generation is over.")
	case !a.Contested():
		return problem.New(problem.GenerationEnded, "There are no two texts to choose between, so there is no vote.")
	case !a.Ended():
		return problem.New(problem.Conflict, "A model is still writing. Vote when every text is there.")
	case !a.Candidates[i].HasText():
		return problem.New(problem.Conflict, "This candidate has no text. Choose another one.")
	}
	return nil
}

// Standing is how one model did in blind votes.
type Standing struct {
	Model string
	Wins  int
	Votes int // in which a text of it was to be chosen; at least 1
}

// Percent of its votes that it won, rounded to the nearest.
func (s Standing) Percent() int {
	return (s.Wins*200 + s.Votes) / (2 * s.Votes)
}

// Rank puts the best first: by percent, then by the number of votes, then by name.
func Rank(standings []Standing) {
	slices.SortFunc(standings, func(a, b Standing) int {
		// Cross-multiplied: percents are rounded, and would tie what is not equal.
		return cmp.Or(cmp.Compare(b.Wins*a.Votes, a.Wins*b.Votes), cmp.Compare(b.Votes, a.Votes), cmp.Compare(a.Model, b.Model))
	})
}

// Voice is a way of telling things.
type Voice struct {
	ID    string
	Label string // for people who choose
	About string // for people, and for the model: how somebody with this voice writes
}

var voices = []Voice{
	{"founder", "Founder", "First person plural, plain and direct: what we do, what it costs us, and what comes next."},
	{"engineer", "Engineer", "Dry and precise: what happens, in which order, and what is done when it fails."},
	{"storyteller", "Storyteller", "A small scene: somebody wants something, something is in the way, and then it ends."},
	{"sceptic", "Sceptic", "Doubts the big claims, our own included, and asks the question that others avoid."},
	{"celebrant", "Celebrant", "Warm and glad about small things that went well, without superlatives."},
}

// Voices lists the voices to choose from. The first speaks where nobody says which.
func Voices() []Voice { return voices }

// VoiceNamed finds a voice; an empty ID is the first. Its error is a problem of the code
// Invalid that names the field.
func VoiceNamed(id string) (Voice, error) {
	id = cmp.Or(id, voices[0].ID)
	for _, v := range voices {
		if v.ID == id {
			return v, nil
		}
	}
	return Voice{}, unknown("voice", "There is no such voice. Choose one of those that listModels names.")
}

func unknown(field, message string) error {
	return &problem.Error{
		Code: problem.Invalid, Message: message, Details: []problem.Detail{{Field: "body." + field, Reason: "it is none of the list"}},
	}
}
