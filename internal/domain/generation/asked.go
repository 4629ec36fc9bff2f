package generation

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Patience is how long a generation may take. One that is older has lost its run.
const Patience = 3 * time.Minute

// Asked is a generation with all that models wrote, by label.
type Asked struct {
	Generation
	Candidates []Candidate
	Voted      bool
}

// Ended says that nobody writes any more.
func (a Asked) Ended() bool {
	return !slices.ContainsFunc(a.Candidates, func(c Candidate) bool { return !c.State.Ended() })
}

// Lost says that it should have ended long ago.
func (a Asked) Lost(now time.Time) bool { return !a.Ended() && now.Sub(a.CreatedAt) > Patience }

// Contested says whether there is, or may yet be, a choice to be made without knowing who
// wrote what. Where fewer than two texts came, there is nothing to compare, and no reason to
// hide any name.
func (a Asked) Contested() bool {
	texts := 0
	for _, c := range a.Candidates {
		if !c.State.Ended() || c.HasText() {
			texts++
		}
	}
	return a.Blind && texts > 1
}

// Hidden says whether the models' names must not be told yet.
func (a Asked) Hidden() bool { return a.Contested() && !a.Voted }

// CheckVote says why a vote for a candidate cannot be taken, or nil. A generation is voted
// on once.
func (a Asked) CheckVote(candidateID string) error {
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
