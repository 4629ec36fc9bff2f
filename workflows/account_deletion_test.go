package workflows_test

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
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

func (c *crowd) ScheduleRecurringPost(context.Context, schedule.RecurringPost) error { return nil }

// leaving is somebody who has asked to leave.
type leaving struct {
	*world
	crowd    *crowd
	memberID string
}

func newLeaving(t *testing.T) *leaving {
	l := &leaving{world: newWorld(t), memberID: "ada"}
	l.crowd = &crowd{db: l.db, answers: map[string][]error{}, asked: map[string]int{}}
	require.NoError(t, l.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, JoinedAt: begin,
	}, &account.Welcome{Email: ada, Token: account.NewToken()}))
	must(l.db.Deletions.RequestDeletion(t.Context(), must(l.db.Accounts.AccountByEmail(t.Context(), ada)).ID, "d", begin))
	return l
}

// departs runs the departure to its end.
func (l *leaving) departs(t *testing.T) workflows.AccountDeletionResult {
	t.Helper()
	l.stage = stageFor(l.db, begin)
	l.env.RegisterActivity(&activities.AccountDeletion{Store: l.db.Deletions, Posts: l.db.Posts, RecurringPosts: l.db.RecurringPosts, Runs: l.crowd, Now: l.env.Now})
	result := run[workflows.AccountDeletionResult](t, l.env, workflows.AccountDeletion, workflows.AccountDeletionInput{AccountDeletionID: "d"})
	require.Equal(t, account.DeletionEnded, must(l.db.Deletions.Deletion(t.Context(), "d")).Stage)
	return result
}

func TestAccountDeletionCancelsEveryPost(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	armed := problem.New(problem.PostArmed, "This post is being sent.")
	for name, c := range map[string]struct {
		posts    map[string][]error // how their runs answer
		asked    map[string]int
		from, to time.Duration // it took
	}{
		"each once": {posts: map[string][]error{"a": nil, "b": nil, "c": nil}, asked: map[string]int{"a": 1, "b": 1, "c": 1}},
		"it asks again where a run did not answer": {
			posts: map[string][]error{"a": {refused, refused, nil}}, asked: map[string]int{"a": 3},
		},
		"it waits for what is being sent, and asks no other again": { // two seconds, four, eight
			posts: map[string][]error{"a": {armed, armed, armed, nil}, "b": nil}, asked: map[string]int{"a": 4, "b": 1}, from: 14 * time.Second,
		},
		"a post that cannot be looked for holds nobody for ever": {
			posts: map[string][]error{"a": {problem.New(problem.Unavailable, "The timeline cannot be read.")}}, asked: map[string]int{"a": 60},
			from: 4 * time.Hour, to: 5 * time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLeaving(t)
			for id, answers := range c.posts {
				p := post.Post{ID: id, MemberID: &l.memberID, Text: id, Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour)}
				must(l.db.Posts.CreatePost(t.Context(), p, begin))
				l.crowd.answers[id] = answers
			}
			result := l.departs(t)
			require.Equal(t, workflows.AccountDeletionResult{Posts: len(c.posts)}, result)
			took := l.env.Now().Sub(begin)
			require.GreaterOrEqual(t, took, c.from)
			require.LessOrEqual(t, took, cmp.Or(c.to, time.Minute))
			for id := range c.posts {
				require.Equal(t, post.StatusCancelled, must(l.db.Posts.Post(t.Context(), id)).Status)
			}
			require.Equal(t, result, l.departs(t), "one that has ended says the same again")
			require.Equal(t, c.asked, l.crowd.asked)
		})
	}
}
