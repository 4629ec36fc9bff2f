package experiment

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// in returns an experiment in a status, with a metric if a due date is given.
func in(status Status, due ...time.Time) Experiment {
	number, began := 14, noon.Add(-48*time.Hour)
	e := Experiment{ID: "x", Status: status, Title: "Emoji reactions", Version: 7, UpdatedAt: began}
	if status != Waiting {
		e.Number = &number
	}
	if status.Runs() || status == Completed || status == Shipped {
		e.StartedAt = &began
	}
	if status.Ended() {
		e.EndedAt = &began
	}
	if len(due) > 0 {
		threshold := 5.0
		e.Metric, e.Threshold, e.DueAt = PostsPublished, &threshold, &due[0]
	}
	return e
}

var all = []Status{Waiting, Planning, Active, Testing, Completed, Shipped, Declined}

func TestMayMove(t *testing.T) {
	t.Parallel()
	may := map[Status][]Status{
		Waiting: {Planning, Declined}, Planning: {Active, Declined},
		Active: {Testing, Completed, Declined}, Testing: {Active, Completed, Declined}, Completed: {Shipped},
	}
	for _, from := range all {
		var open []Status
		for _, to := range all {
			err := in(from).MayMove(to, "Because.", noon)
			if err == nil {
				open = append(open, to)
				continue
			}
			require.Equal(t, problem.MoveRefused, problem.CodeOf(err), "%s to %s", from, to)
		}
		require.ElementsMatch(t, may[from], open, from)
		moves := []Status{}
		for _, m := range in(from).Moves(noon) {
			require.Empty(t, m.Refused)
			require.Equal(t, m.To == Declined, m.NeedsReason)
			moves = append(moves, m.To)
		}
		require.ElementsMatch(t, may[from], moves)
	}
}

func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	for want, tt := range map[string]struct {
		from Experiment
		to   Status
	}{
		"The experiment's status is already active.":                                                                           {in(Active), Active},
		"The experiment's status is declined. Submit it again to retry it.":                                                    {in(Declined), Planning},
		"The experiment's status is shipped. This can't be changed.":                                                           {in(Shipped), Active},
		"The experiment's status is completed. It can only be shipped.":                                                        {in(Completed), Active},
		"The experiment's status is waiting. Approve or decline it first.":                                                     {in(Waiting), Active},
		"The experiment's status is planning. Activate or decline it first.":                                                   {in(Planning), Completed},
		"The experiment's status is testing. It can be made active, completed or declined.":                                    {in(Testing), Shipped},
		"The due date of its metric, 22 Nov 2026 at 12:00 UTC, has passed. Register it again with a later date, or remove it.": {in(Planning, noon), Active},
		"Its metric completes it on 22 Nov 2026 at 13:00 UTC. Decline it to end it earlier.":                                   {in(Active, noon.Add(time.Hour)), Completed},
		"Its metric was due on 22 Nov 2026 at 11:00 UTC and completes it in a moment.":                                         {in(Testing, noon.Add(-time.Hour)), Completed},
	} {
		err := tt.from.MayMove(tt.to, "Because.", noon)
		require.EqualError(t, err, want)
		require.Equal(t, problem.MoveRefused, problem.CodeOf(err))
		before := tt.from
		_, err = tt.from.Moved(tt.to, "Because.", noon)
		require.Error(t, err)
		require.Equal(t, before, tt.from)
	}
	for _, m := range in(Planning, noon.Add(-time.Hour)).Moves(noon) {
		require.Equal(t, m.To == Active, m.Refused != "", m.To)
	}
	// A running experiment may become active again after its date.
	for _, m := range append(in(Active, noon.Add(time.Hour)).Moves(noon), in(Testing, noon.Add(-time.Hour)).Moves(noon)...) {
		require.Equal(t, m.To == Completed, m.Refused != "", m.To)
	}
}

func TestDecliningNeedsAReason(t *testing.T) {
	t.Parallel()
	for _, from := range []Status{Waiting, Planning, Active, Testing} {
		for _, reason := range []string{"", " \n "} {
			require.Equal(t, "body.reason: is required and will be public", refusal(t, in(from).MayMove(Declined, reason, noon)))
		}
		e, err := in(from).Moved(Declined, " Nobody wants it. ", noon)
		require.NoError(t, err)
		require.Equal(t, "Nobody wants it.", e.Reason)
		require.Equal(t, noon, *e.EndedAt)
		require.Empty(t, e.Verdict)
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Hour)
	e := in(Waiting)
	for _, step := range []struct {
		to             Status
		reason         string
		started, ended bool
		progress       int
	}{
		{to: Planning, reason: "not kept"},
		{to: Active, started: true},
		{to: Testing, started: true},
		{to: Active, started: true},
		{to: Testing, started: true},
		{to: Completed, reason: "It worked.", started: true, ended: true, progress: 100},
		{to: Shipped, started: true, ended: true, progress: 100},
	} {
		version := e.Version
		var err error
		e, err = e.Moved(step.to, step.reason, later)
		require.NoError(t, err, step.to)
		require.Equal(t, step.to, e.Status)
		require.Equal(t, version+1, e.Version)
		require.Equal(t, later, e.UpdatedAt)
		require.Equal(t, step.started, e.StartedAt != nil)
		require.Equal(t, step.ended, e.EndedAt != nil)
		require.Equal(t, step.progress, e.Progress)
		if step.to == Active {
			require.Equal(t, noon.Add(time.Hour), *e.StartedAt, "days are counted from the first time")
		}
		if step.to == Testing {
			later = later.Add(24 * time.Hour)
			require.Equal(t, noon.Add(time.Hour), *e.StartedAt)
		}
	}
	require.Equal(t, "It worked.", e.Reason)
}

func TestGivenUpBeforeItsDateIsAbandoned(t *testing.T) {
	t.Parallel()
	due := noon.Add(time.Hour)
	for from, want := range map[Status]Verdict{Planning: "", Active: Abandoned, Testing: Abandoned} {
		e, err := in(from, due).Moved(Declined, "Too dear.", noon)
		require.NoError(t, err)
		require.Equal(t, want, e.Verdict)
		require.Nil(t, e.Measured)
	}
}

func TestVotesOpen(t *testing.T) {
	t.Parallel()
	for _, status := range all {
		open := status == Planning || status == Active || status == Testing
		require.Equal(t, open, VotesOpen(status), status)
		err := in(status).MayVote()
		require.Equal(t, open, err == nil, status)
		if !open {
			require.Equal(t, problem.VotesClosed, problem.CodeOf(err))
		}
	}
	require.NoError(t, CheckVote(1))
	require.NoError(t, CheckVote(-1))
	for _, value := range []int{0, 2, -2, 100} {
		require.Equal(t, "body.vote: must be 1 or -1", refusal(t, CheckVote(value)))
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for _, status := range all {
		require.Equal(t, status != Waiting, in(status).Public(), status)
	}
	unseen := in(Declined)
	unseen.Number = nil
	require.False(t, unseen.Public(), "declined before it was approved")
}
