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

// fakePostRuns answers for the runs of posts, call by call.
type fakePostRuns struct {
	db      *store.DB
	answers map[string][]error // nil cancels the post; the last answer repeats
	asked   map[string]int
	woken   []string
}

func (c *fakePostRuns) CancelPost(ctx context.Context, p post.Post) error {
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

func (c *fakePostRuns) WakePost(_ context.Context, p post.Post) error {
	c.woken = append(c.woken, p.ID)
	return nil
}

func (c *fakePostRuns) ScheduleRecurringPost(context.Context, schedule.RecurringPost) error {
	return nil
}

// deletionWorld is an account deletion and its surroundings.
type deletionWorld struct {
	*world
	fakePostRuns *fakePostRuns
	memberID     string
}

func newDeletionWorld(t *testing.T) *deletionWorld {
	l := &deletionWorld{world: newWorld(t), memberID: "ada"}
	l.fakePostRuns = &fakePostRuns{db: l.db, answers: map[string][]error{}, asked: map[string]int{}}
	require.NoError(t, l.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, JoinedAt: begin,
	}, &account.Welcome{Email: ada, Token: account.NewToken()}))
	must(l.db.Deletions.RequestDeletion(t.Context(), must(l.db.Accounts.AccountByEmail(t.Context(), ada)).ID, "d", begin))
	return l
}

func (l *deletionWorld) departs(t *testing.T) workflows.AccountDeletionResult {
	t.Helper()
	l.stage = stageFor(l.db, begin)
	l.env.RegisterActivity(&activities.AccountDeletion{Store: l.db.Deletions, Posts: l.db.Posts, RecurringPosts: l.db.RecurringPosts, Runs: l.fakePostRuns, Now: l.env.Now})
	result := run[workflows.AccountDeletionResult](t, l.env, workflows.AccountDeletion, workflows.AccountDeletionInput{AccountDeletionID: "d"})
	require.Equal(t, account.DeletionEnded, must(l.db.Deletions.Deletion(t.Context(), "d")).Stage)
	return result
}

func TestAccountDeletionCancelsEveryPost(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	armed := problem.New(problem.PostArmed, "This post is being sent.")
	for name, c := range map[string]struct {
		posts    map[string][]error // answers of their runs
		asked    map[string]int
		from, to time.Duration // bounds of the duration
	}{
		"each once": {posts: map[string][]error{"a": nil, "b": nil, "c": nil}, asked: map[string]int{"a": 1, "b": 1, "c": 1}},
		"a run without an answer is retried": {
			posts: map[string][]error{"a": {refused, refused, nil}}, asked: map[string]int{"a": 3},
		},
		"it waits for a post that is being sent, and retries no other": { // 2 s, 4 s, 8 s
			posts: map[string][]error{"a": {armed, armed, armed, nil}, "b": nil}, asked: map[string]int{"a": 4, "b": 1}, from: 14 * time.Second,
		},
		"a post whose outcome can't be checked does not block the deletion": {
			posts: map[string][]error{"a": {problem.New(problem.Unavailable, "The timeline cannot be read.")}}, asked: map[string]int{"a": 60},
			from: 4 * time.Hour, to: 5 * time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newDeletionWorld(t)
			for id, answers := range c.posts {
				p := post.Post{ID: id, MemberID: &l.memberID, Text: id, Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour)}
				must(l.db.Posts.CreatePost(t.Context(), p, begin))
				l.fakePostRuns.answers[id] = answers
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
			require.Equal(t, c.asked, l.fakePostRuns.asked)
		})
	}
}
