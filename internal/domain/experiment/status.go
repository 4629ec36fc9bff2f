package experiment

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Public says whether strangers see an experiment of that status. Of declined ones they see
// those that have a number.
func (e Experiment) Public() bool {
	return e.Status != Waiting && e.Number != nil
}

// Runs says whether it is under way.
func (s Status) Runs() bool { return s == Active || s == Testing }

// Ended says whether nothing is tried any more.
func (s Status) Ended() bool { return s == Completed || s == Shipped || s == Declined }

// VotesOpen says whether votes may be cast, changed and taken back.
func VotesOpen(s Status) bool { return s == Planning || s == Active || s == Testing }

// MayVote refuses a vote when they are closed.
func (e Experiment) MayVote() error {
	switch {
	case VotesOpen(e.Status):
		return nil
	case e.Status == Waiting:
		return problem.New(problem.VotesClosed, "A founder has to approve this experiment before anybody votes.")
	}
	return problem.New(problem.VotesClosed, "This experiment has ended, and its votes with it.")
}

// CheckVote refuses what is no vote.
func CheckVote(value int) error {
	if value != 1 && value != -1 {
		return bounds{field: "vote"}.refuse("it is 1 or -1")
	}
	return nil
}

// Move is a status that may come next.
type Move struct {
	To          Status
	NeedsReason bool
	Refused     string // why not now; empty: it may
}

// next are the statuses that may follow one another. What is declined or shipped stays so.
var next = map[Status][]Status{
	Waiting:   {Planning, Declined},
	Planning:  {Active, Declined},
	Active:    {Testing, Completed, Declined},
	Testing:   {Active, Completed, Declined},
	Completed: {Shipped},
}

// Moves are what may come next, or not yet.
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

// MayMove says why an experiment cannot go to a status, or nil.
func (e Experiment) MayMove(to Status, reason string, now time.Time) error {
	if !slices.Contains(next[e.Status], to) {
		return e.refuseWay(to)
	}
	if err := e.guard(to, now); err != nil {
		return err
	}
	reason, err := reasons.clean(reason)
	if err == nil && reason == "" && to == Declined {
		return reasons.refuse("say why, for everybody to read")
	}
	return err
}

// guard refuses a way that is closed for now.
func (e Experiment) guard(to Status, now time.Time) error {
	switch {
	case e.Metric == "":
		return nil
	case to == Active && e.Status == Planning && !e.DueAt.After(now):
		return problem.New(problem.MoveRefused, "The date of its metric, %s, has passed. Register it again with a later one, or take it back.", moment(*e.DueAt))
	case to == Completed && e.DueAt.After(now):
		return problem.New(problem.MoveRefused, "A metric is registered: its run sets the verdict and completes it on %s. To end it before, decline it.", moment(*e.DueAt))
	case to == Completed:
		return problem.New(problem.MoveRefused, "A metric is registered, and %s has come: its run sets the verdict and completes it in a moment.", moment(*e.DueAt))
	}
	return nil
}

func (e Experiment) refuseWay(to Status) error {
	if e.Status == to {
		return problem.New(problem.MoveRefused, "It is %s already.", to)
	}
	switch e.Status {
	case Declined:
		return problem.New(problem.MoveRefused, "It was declined, and stays so. Submit it anew to try again.")
	case Shipped:
		return problem.New(problem.MoveRefused, "It has shipped, and stays so.")
	case Completed:
		return problem.New(problem.MoveRefused, "It is completed. It can only ship now.")
	case Waiting:
		return problem.New(problem.MoveRefused, "It waits for approval. Approve it first, which makes it planning, or decline it.")
	case Planning:
		return problem.New(problem.MoveRefused, "It is being planned. Make it active first, or decline it.")
	case Active, Testing:
	}
	return problem.New(problem.MoveRefused, "It is %s. It can be tested, completed or declined.", e.Status)
}

// Moved gives the experiment in its next status. Its number, where it gets one, is the store's.
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

// moment is a time as sentences say it.
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006 at 15:04 UTC") }
