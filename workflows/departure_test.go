package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/deletion"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/store"
	"customerzero/workflows"
)

// crowd is the runs of posts. Each post says how its run answers, call by call.
type crowd struct {
	db      *store.DB
	answers map[string][]error // nil: it gives the post up; more calls get the last one
	asked   map[string]int
	woken   []string
}

func (c *crowd) CancelPost(ctx context.Context, p post.Post) error {
	answers := c.answers[p.ID]
	var answer error
	if len(answers) > 0 {
		answer = answers[min(c.asked[p.ID], len(answers)-1)]
	}
	c.asked[p.ID]++
	if answer == nil {
		_, answer = c.db.Posts.CancelPost(ctx, p.ID, begin)
	}
	return answer
}

func (c *crowd) WakePost(_ context.Context, p post.Post) error {
	c.woken = append(c.woken, p.ID)
	return nil
}

func (c *crowd) KeepSeries(context.Context, recurring.Series) error { return nil }

// leaving is somebody who has asked to leave.
type leaving struct {
	*world
	crowd    *crowd
	memberID string
}

func newLeaving(t *testing.T) *leaving {
	t.Helper()
	l := &leaving{world: newWorld(t), memberID: "ada"}
	l.crowd = &crowd{db: l.db, answers: map[string][]error{}, asked: map[string]int{}}
	l.env.RegisterActivity(&activities.Departure{Store: l.db.Deletions, Posts: l.db.Posts, Series: l.db.RecurringPosts, Runs: l.crowd, Now: l.env.Now})
	require.NoError(t, l.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, JoinedAt: begin,
	}, &account.Welcome{Email: "ada@example.com", Token: account.NewToken()}))
	return l
}

func (l *leaving) writes(t *testing.T, id string, answers ...error) {
	must(l.db.Posts.CreatePost(t.Context(), post.Post{
		ID: id, MemberID: &l.memberID, Text: id, Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour),
	}, begin))
	l.crowd.answers[id] = answers
}

func (l *leaving) departs(t *testing.T) workflows.DepartureResult {
	t.Helper()
	a := must(l.db.Accounts.AccountByEmail(t.Context(), "ada@example.com"))
	d := must(l.db.Deletions.RequestDeparture(t.Context(), a.ID, "d", begin))
	l.env.ExecuteWorkflow(workflows.Departure, workflows.DepartureInput{DepartureID: d.ID})
	require.True(t, l.env.IsWorkflowCompleted())
	require.NoError(t, l.env.GetWorkflowError())
	var result workflows.DepartureResult
	require.NoError(t, l.env.GetWorkflowResult(&result))
	d = must(l.db.Deletions.Departure(t.Context(), d.ID))
	require.Equal(t, deletion.Ended, d.Stage)
	return result
}

func TestDepartureGivesUpEveryPost(t *testing.T) {
	t.Parallel()
	l := newLeaving(t)
	for _, id := range []string{"a", "b", "c"} {
		l.writes(t, id)
	}
	require.Equal(t, workflows.DepartureResult{Posts: 3}, l.departs(t))
	require.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1}, l.crowd.asked)
}

func TestDepartureAsksAgainWhereARunDidNotAnswer(t *testing.T) {
	t.Parallel()
	l := newLeaving(t)
	l.writes(t, "a", errors.New("connection refused"), errors.New("connection refused"), nil)
	require.Equal(t, workflows.DepartureResult{Posts: 1}, l.departs(t))
	require.Equal(t, 3, l.crowd.asked["a"])
}

func TestDepartureWaitsForWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	l := newLeaving(t)
	armed := problem.New(problem.PostArmed, "This post is being sent.")
	l.writes(t, "a", armed, armed, armed, nil)
	l.writes(t, "b")
	started := l.env.Now()
	require.Equal(t, workflows.DepartureResult{Posts: 2}, l.departs(t))
	require.Equal(t, 4, l.crowd.asked["a"])
	require.Equal(t, 1, l.crowd.asked["b"], "what is given up is not asked again")
	require.GreaterOrEqual(t, l.env.Now().Sub(started), 14*time.Second, "two seconds, four, eight")
}

// A post that nobody can see holds nobody for ever.
func TestDepartureEndsWhateverWaits(t *testing.T) {
	t.Parallel()
	l := newLeaving(t)
	l.writes(t, "a", problem.New(problem.Unavailable, "The timeline cannot be read."))
	started := l.env.Now()
	require.Equal(t, workflows.DepartureResult{Posts: 1}, l.departs(t))
	require.Equal(t, 60, l.crowd.asked["a"])
	took := l.env.Now().Sub(started)
	require.Greater(t, took, 4*time.Hour)
	require.Less(t, took, 5*time.Hour)
	p := must(l.db.Posts.Post(t.Context(), "a"))
	require.Equal(t, post.StatusCancelled, p.Status)
}

func TestDepartureThatHasEndedTellsTheSameAgain(t *testing.T) {
	t.Parallel()
	l := newLeaving(t)
	l.writes(t, "a")
	first := l.departs(t)
	again := newWorld(t)
	again.env.RegisterActivity(&activities.Departure{Store: l.db.Deletions, Posts: l.db.Posts, Series: l.db.RecurringPosts, Runs: l.crowd, Now: again.env.Now})
	again.env.ExecuteWorkflow(workflows.Departure, workflows.DepartureInput{DepartureID: "d"})
	require.NoError(t, again.env.GetWorkflowError())
	var result workflows.DepartureResult
	require.NoError(t, again.env.GetWorkflowResult(&result))
	require.Equal(t, first, result)
	require.Equal(t, 1, l.crowd.asked["a"])
}
