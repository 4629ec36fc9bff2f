package experiment

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Public reports whether the experiment is visible to the public. Declined ones are only if they have a
// number.
func (e Experiment) Public() bool {
	return e.Status != Waiting && e.Number != nil
}

// Runs reports whether the experiment is running.
func (s Status) Runs() bool { return s == Active || s == Testing }

// Ended reports whether the experiment is over.
func (s Status) Ended() bool { return s == Completed || s == Shipped || s == Declined }

// VotesOpen reports whether votes can be cast, changed and withdrawn.
func VotesOpen(s Status) bool { return s == Planning || s == Active || s == Testing }

// MayVote returns an error unless voting is open.
func (e Experiment) MayVote() error {
	switch {
	case VotesOpen(e.Status):
		return nil
	case e.Status == Waiting:
		return problem.New(problem.VotesClosed, "Voting opens when a founder approves this experiment.")
	}
	return problem.New(problem.VotesClosed, "This experiment has ended, so voting is closed.")
}

// CheckVote rejects values other than 1 and -1.
func CheckVote(value int) error {
	if value != 1 && value != -1 {
		return bounds{field: "vote"}.refuse("must be 1 or -1")
	}
	return nil
}

// Move is a possible next status.
type Move struct {
	To          Status
	NeedsReason bool
	Refused     string // why not now; empty if allowed
}

// next lists the statuses that may follow each status. Declined and Shipped are final.
var next = map[Status][]Status{
	Waiting:   {Planning, Declined},
	Planning:  {Active, Declined},
	Active:    {Testing, Completed, Declined},
	Testing:   {Active, Completed, Declined},
	Completed: {Shipped},
}

// Moves returns the possible next statuses, including those refused for now.
func (e Experiment) Moves(now time.Time) []Move {
	moves := []Move{}
	for _, to := range next[e.Status] {
		m := Move{To: to, NeedsReason: to == Declined}
		if err := e.guard(to, now); err != nil {
			m.Refused = err.Error()
		}
		moves = append(moves, m)
	}
	return moves
}

// MayMove returns an error if the experiment cannot move to a status.
func (e Experiment) MayMove(to Status, reason string, now time.Time) error {
	if !slices.Contains(next[e.Status], to) {
		return e.refuseWay(to)
	}
	if err := e.guard(to, now); err != nil {
		return err
	}
	reason, err := reasons.clean(reason)
	if err == nil && reason == "" && to == Declined {
		return reasons.refuse("is required and will be public")
	}
	return err
}

// guard rejects a move that is not allowed yet.
func (e Experiment) guard(to Status, now time.Time) error {
	switch {
	case e.Metric == "":
		return nil
	case to == Active && e.Status == Planning && !e.DueAt.After(now):
		return problem.New(problem.MoveRefused, "The due date of its metric, %s, has passed. Register it again with a later date, or remove it.", moment(*e.DueAt))
	case to == Completed && e.DueAt.After(now):
		return problem.New(problem.MoveRefused, "Its metric completes it on %s. Decline it to end it earlier.", moment(*e.DueAt))
	case to == Completed:
		return problem.New(problem.MoveRefused, "Its metric was due on %s and completes it in a moment.", moment(*e.DueAt))
	}
	return nil
}

func (e Experiment) refuseWay(to Status) error {
	if e.Status == to {
		return problem.New(problem.MoveRefused, "The experiment's status is already %s.", to)
	}
	return problem.New(problem.MoveRefused, "The experiment's status is %s. %s", e.Status, nextSteps[e.Status])
}

// nextSteps are the texts that follow a refused move, by the experiment's status.
var nextSteps = map[Status]string{
	Declined:  "Submit it again to retry it.",
	Shipped:   "This can't be changed.",
	Completed: "It can only be shipped.",
	Waiting:   "Approve or decline it first.",
	Planning:  "Activate or decline it first.",
	Active:    "It can be tested, completed or declined.",
	Testing:   "It can be made active, completed or declined.",
}

// Moved returns the experiment in its next status. The store assigns its number.
func (e Experiment) Moved(to Status, reason string, now time.Time) (Experiment, error) {
	if err := e.MayMove(to, reason, now); err != nil {
		return e, err
	}
	was := e.Status
	e.Status = to
	if reason, _ = reasons.clean(reason); reason != "" && to.Ended() {
		e.Reason = reason
	}
	if to == Active && e.StartedAt == nil {
		e.StartedAt = &now
	}
	if to.Ended() && e.EndedAt == nil {
		e.EndedAt = &now
	}
	if to == Completed {
		e.Progress = 100
	}
	if to == Declined && was.Runs() && e.Metric != "" {
		e.Verdict = Abandoned
	}
	return e.changed(now), nil
}

func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006 at 15:04 UTC") }
