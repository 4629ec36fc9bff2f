package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func arm(t *testing.T, s *store.DB, memberID *string) post.Post {
	t.Helper()
	p := create(t, s, memberID, november)
	p, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
	require.NoError(t, err)
	require.Equal(t, post.StatusArmed, p.Status)
	return p
}

func conclude(t *testing.T, s *store.DB, p post.Post, v post.Verdict) post.Post {
	t.Helper()
	v.Attempt = p.Attempt
	p, err := s.Posts.ConcludePost(t.Context(), p.ID, v, november.Add(time.Minute))
	require.NoError(t, err)
	return p
}

// Proves: F12
func TestVerdicts(t *testing.T) {
	t.Parallel()

	later := november.Add(time.Hour)
	for name, tt := range map[string]struct {
		verdict  post.Verdict
		status   post.Status
		spent    int
		reserved int
		credits  int
	}{
		"published spends the slot": {
			post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", URL: "https://x.com/bot/status/7", At: november},
			post.StatusPublished, 1, 0, 89,
		},
		"refused gives everything back": {
			post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"}, post.StatusFailed, 0, 0, 90,
		},
		"waiting keeps what it holds": {
			post.Verdict{Outcome: post.OutcomeWaiting, Until: later}, post.StatusScheduled, 0, 1, 89,
		},
		"waited long enough": {
			post.Verdict{Outcome: post.OutcomeWaiting, Final: true}, post.StatusFailed, 0, 0, 90,
		},
		"unclear stays armed": {
			post.Verdict{Outcome: post.OutcomeUnclear}, post.StatusArmed, 0, 1, 89,
		},
		"absent may be tried again": {
			post.Verdict{Outcome: post.OutcomeAbsent, Until: later}, post.StatusScheduled, 0, 1, 89,
		},
		"absent once too often": {
			post.Verdict{Outcome: post.OutcomeAbsent, Final: true}, post.StatusFailed, 0, 0, 90,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				ada := newMember(t, s, "ada")
				p := arm(t, s, ada)
				for range 2 { // a repeated verdict changes nothing
					p = conclude(t, s, p, tt.verdict)
					require.Equal(t, tt.status, p.Status)
					require.Equal(t, post.MonthUsage{Spent: tt.spent, Reserved: tt.reserved, Members: 1}, usage(t, s, "2026-11"))
					require.Equal(t, tt.credits, balance(t, s, ada))
				}
			})
		})
	}
}

func TestWorkerThatSleptThroughItsTurnArmsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := arm(t, s, nil)
		p = conclude(t, s, p, post.Verdict{Outcome: post.OutcomeWaiting, Until: november})

		late, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, late.Status)
		require.Equal(t, 1, late.Attempt)

		_, err = s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused}, november)
		require.NoError(t, err)
		p, err = s.Posts.Post(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, p.Status, "its late verdict counts for nothing")
	})
}

func TestRetryTakesANewSlotAndCredit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomeRefused})
		require.Equal(t, 90, balance(t, s, ada))

		p, err := s.Posts.ReopenPost(t.Context(), p.ID, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, p.Status)
		require.Equal(t, 89, balance(t, s, ada))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)

		p, err = s.Posts.ArmPost(t.Context(), p.ID, 2, storetest.Connection(t, s), november)
		require.NoError(t, err)
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomeRefused})
		require.Equal(t, 90, balance(t, s, ada), "given back once for each time it was taken")
	})
}

func TestUnknownKeepsItsSlotUntilAPersonDecides(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := arm(t, s, nil)
		p, err := s.Posts.DoubtPost(t.Context(), p.ID, 1, "x_unreadable", "nobody knows")
		require.NoError(t, err)
		require.Equal(t, post.StatusUnknown, p.Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)

		p, err = s.Posts.FindPost(t.Context(), p.ID, post.Verdict{TweetID: "9", At: november}, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusPublished, p.Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Spent)
	})
}

// Proves: F10
func TestFailedPostFoundAfterAllHoldsASlotAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomeAbsent, Final: true})
		require.Zero(t, usage(t, s, "2026-11").Reserved)

		p, err := s.Posts.FindPost(t.Context(), p.ID, post.Verdict{TweetID: "9", At: november}, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusPublished, p.Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Spent)
		require.Equal(t, 89, balance(t, s, ada))
	})
}

// Proves: F11
func TestOneTweetBelongsToOnePost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		other := arm(t, s, nil)
		_, err := s.Posts.ConcludePost(t.Context(), other.ID,
			post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "7", At: november}, november)
		require.Error(t, err)
		claimed, err := s.Posts.ClaimedTweets(t.Context(), []string{"7", "8"})
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"7": true}, claimed)
	})
}

func TestClosedPostFreesItsText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused})
		_, err := s.Posts.ClosePost(t.Context(), p.ID)
		require.NoError(t, err)
		again := draft(nil, november)
		again.Text = p.Text
		_, err = s.Posts.CreatePost(t.Context(), again, november)
		require.NoError(t, err)
		_, err = s.Posts.ReopenPost(t.Context(), p.ID, november)
		require.Error(t, err, "its text belongs to another post now")
	})
}

func TestWaitingListsPostsWithoutARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p, q := create(t, s, nil, november), create(t, s, nil, november)
		_, err := s.Posts.BeginPost(t.Context(), p.ID, "run-1")
		require.NoError(t, err)

		waiting, err := s.Posts.Waiting(t.Context(), false)
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		require.Equal(t, q.ID, waiting[0].ID)
		all, err := s.Posts.Waiting(t.Context(), true)
		require.NoError(t, err)
		require.Len(t, all, 2)
	})
}

func TestFiguresCountHowPostsEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused, Code: "x_no_credits"})

		published, failed, err := s.Posts.SuccessSince(t.Context(), november.Add(-time.Hour))
		require.NoError(t, err)
		require.Equal(t, []int{1, 1}, []int{published, failed})
		counts, err := s.Posts.CountByStatus(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, map[post.Status]int{post.StatusPublished: 1, post.StatusFailed: 1}, counts)
		last, err := s.Posts.LastAttempt(t.Context())
		require.NoError(t, err)
		require.NotNil(t, last)
	})
}
