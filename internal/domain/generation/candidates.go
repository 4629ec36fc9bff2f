package generation

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Blank makes the candidates of a generation, labelled A, B and so on in the order of their
// ranks. A rank must not show who is who, so it is best a keyed digest. IDs are asked for in
// the order of the labels: theirs may tell when they were made.
func Blank(generationID string, models []string, rank func(model string) string, newID func() string) []Candidate {
	shuffled := slices.Clone(models)
	slices.SortFunc(shuffled, func(a, b string) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
	candidates := make([]Candidate, len(shuffled))
	for i, name := range shuffled {
		candidates[i] = Candidate{
			ID: newID(), GenerationID: generationID, Label: string(rune('A' + i)), Model: name, State: Waiting,
		}
	}
	return candidates
}

// HasText says that the candidate can be chosen.
func (c Candidate) HasText() bool { return c.State == Done || c.State == Unfit }

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
	return End{State: Unfit, Text: text, Code: flaw.Code, Reason: flaw.Reason}
}
