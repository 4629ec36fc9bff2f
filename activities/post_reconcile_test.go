package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/storetest"
)

// Proves: F9, F10, F25
func TestReconcile(t *testing.T) {
	t.Parallel()
	made := noon.Add(3 * time.Second)
	for name, tt := range map[string]struct {
		text   string
		shown  []post.Tweet
		last   bool
		status post.Status
		tweet  string
	}{
		"found: published":                         {text: "hello", shown: []post.Tweet{{ID: "77", Text: "hello", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found among others":                       {text: "hello", shown: []post.Tweet{{ID: "78", Text: "hello you"}, {ID: "77", Text: "hello", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found with the scheme that X adds":        {text: "see example.com/a now", shown: []post.Tweet{{ID: "77", Text: "see https://example.com/a now", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found without the blanks that X drops":    {text: " two\n\n lines ", shown: []post.Tweet{{ID: "77", Text: "two\nlines", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found though a mark was composed":         {text: "cafe\u0301", shown: []post.Tweet{{ID: "77", Text: "café", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found at the second look":                 {text: "hello", shown: []post.Tweet{{ID: "77", Text: "hello", CreatedAt: made}}, last: true, status: post.StatusPublished, tweet: "77"},
		"another letter is another post":           {text: "hello", shown: []post.Tweet{{ID: "77", Text: "Hello"}}, status: post.StatusArmed},
		"another path is another post":             {text: "example.com/a", shown: []post.Tweet{{ID: "77", Text: "https://example.com/b"}}, status: post.StatusArmed},
		"a tweet of another post does not count":   {text: "hello", shown: []post.Tweet{{ID: "1", Text: "hello"}}, status: post.StatusArmed},
		"missing at the first look: look again":    {text: "hello", status: post.StatusArmed},
		"missing at the second look: safe to send": {text: "hello", last: true, status: post.StatusScheduled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.publish(t, "other", "1", noon)
			d.arm(t, "p1", tt.text)
			d.x.timeline = tt.shown
			state := must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: tt.last}))
			require.Equal(t, tt.status, state.Status)
			require.Equal(t, tt.tweet, state.TweetID)
			require.Len(t, d.x.since, 1)
			require.WithinDuration(t, noon.Add(-clockSkew), d.x.since[0], 0, "from before it was armed: clocks differ")
			p := must(d.db.Posts.Post(t.Context(), "p1"))
			if tt.tweet != "" {
				require.WithinDuration(t, made, *p.PublishedAt, 0, "X knows when")
			}
		})
	}
}

func TestReconcileLooksForEveryTry(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.arm(t, "p1", "hello")
	for range 2 { // safe to repeat
		require.Equal(t, post.StatusScheduled, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})).Status)
	}
	require.Len(t, d.x.since, 1, "a post that is not armed needs no look")
	require.Equal(t, 1, must(d.db.Posts.ReadUsage(t.Context(), "2026-11")).ReconciliationReads, "every look is counted")
	must(d.db.Posts.ArmPost(t.Context(), "p1", 2, storetest.Connection(t, d.db), noon.Add(time.Hour)))
	require.Equal(t, post.StatusArmed, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1"})).Status)
	require.Len(t, d.x.since, 2)
	require.WithinDuration(t, noon.Add(-clockSkew), d.x.since[1], 0, "what the first try did may only show now")
}

func TestAPostThatVanishesAgainAndAgainFails(t *testing.T) {
	t.Parallel()
	p := post.Post{Attempt: 3, UnclearAttempts: post.MaxUnclear - 1}
	require.False(t, absent(p, noon).Final)
	p.UnclearAttempts++
	require.True(t, absent(p, noon).Final)
}

// decide is what people may do with a post of which nobody knows whether it went out.
type decide func(*Post, context.Context, PostRef) (PostState, error)

func TestRetryAndGiveUpLookFirst(t *testing.T) {
	t.Parallel()
	there := []post.Tweet{{ID: "77", Text: "hello", CreatedAt: noon}}
	for name, c := range map[string]struct {
		decide          decide
		shown           []post.Tweet
		status          post.Status
		spent, reserved int
		credits         int
	}{
		"retried, there: published":                              {(*Post).RetryPost, there, post.StatusPublished, 1, 0, 89},
		"retried, not there: goes on":                            {(*Post).RetryPost, nil, post.StatusScheduled, 0, 1, 89},
		"given up, there: published, and keeps slot and credit":  {(*Post).GiveUpPost, there, post.StatusPublished, 1, 0, 89},
		"given up, not there: cancelled, slot and credit return": {(*Post).GiveUpPost, nil, post.StatusCancelled, 0, 0, 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDoubt(t)
			d.x.timeline = c.shown
			for range 2 { // safe to repeat
				require.Equal(t, c.status, must(c.decide(d.Post, t.Context(), PostRef{PostID: "p1"})).Status)
				d.holds(t, c.spent, c.reserved, c.credits)
			}
			require.Len(t, d.x.since, 1, "what is decided needs no look")
			require.Zero(t, d.x.calls)
		})
	}
}

func TestRetryAndGiveUpAreRefusedWhileTheTimelineCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]decide{"retry": (*Post).RetryPost, "give up": (*Post).GiveUpPost} {
		for _, class := range []post.Class{post.AccountRefused, post.RateLimited, post.NotSent} {
			t.Run(name+", "+string(class), func(t *testing.T) {
				t.Parallel()
				d := newDoubt(t)
				before := must(d.db.Posts.Post(t.Context(), "p1"))
				d.x.err = saying(class)
				_, err := decide(d.Post, t.Context(), PostRef{PostID: "p1"})
				require.Equal(t, problem.Unavailable, problem.CodeOf(err))
				require.ErrorContains(t, err, "not sent again or given up")
				require.Equal(t, before, must(d.db.Posts.Post(t.Context(), "p1")))
				d.holds(t, 0, 1, 89)
			})
		}
	}
}

// newDoubt is a desk with a post of ada's of which nobody knows whether it went out.
func newDoubt(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	require.NoError(t, d.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: noon,
	}, nil))
	must(d.db.Posts.CreatePost(t.Context(), post.Post{
		ID: "p1", MemberID: new("ada"), Text: "hello", Status: post.StatusScheduled, ScheduledAt: noon,
	}, noon))
	must(d.db.Posts.ArmPost(t.Context(), "p1", 1, storetest.Connection(t, d.db), noon))
	require.Equal(t, post.StatusUnknown, must(d.MarkPostUnknown(t.Context(), MarkPostUnknownInput{PostID: "p1", Attempt: 1})).Status)
	d.holds(t, 0, 1, 89)
	return d
}

// holds counts slots, and the credits of ada.
func (d *desk) holds(t *testing.T, spent, reserved, credits int) {
	t.Helper()
	require.Equal(t, post.MonthUsage{Spent: spent, Reserved: reserved, Members: 1}, must(d.db.Posts.MonthUsage(t.Context(), "2026-11")))
	_, _, balance, err := d.db.Members.CreditEntries(t.Context(), "ada", 1, 0)
	require.NoError(t, err)
	require.Equal(t, credits, balance)
}

func TestWhenToAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		delay time.Duration
		final bool
	}{
		"a limit: after its reset":                 {err: limited(noon.Add(time.Minute)), delay: time.Minute},
		"a limit that is over: not quite at once":  {err: limited(noon.Add(-time.Minute)), delay: time.Second},
		"the account is refused: useless":          {err: saying(post.AccountRefused), final: true},
		"the question is refused: useless":         {err: saying(post.Refused), final: true},
		"never sent: when the retry policy thinks": {err: saying(post.NotSent)},
		"no answer: when the retry policy thinks":  {err: saying(post.Unclear)},
		"an odd answer: when the policy thinks":    {err: saying(post.Duplicate)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, ok := errors.AsType[*temporal.ApplicationError](whenToAsk(tt.err, noon))
			require.True(t, ok)
			require.Equal(t, tt.err.Error(), said.Message())
			require.Equal(t, tt.delay, said.NextRetryDelay())
			require.Equal(t, tt.final, said.NonRetryable())
		})
	}
	other := errors.New("no database")
	require.Equal(t, other, whenToAsk(other, noon), "what X did not say is not X's")
}
