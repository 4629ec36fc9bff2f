package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var november = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func newMember(t *testing.T, s *store.DB, name string) *string {
	t.Helper()
	id := xid.New().String()
	require.NoError(t, s.Members.AddMember(t.Context(), member.Member{
		ID: id, Username: name, UsernameKey: member.Key(name), Status: member.StatusActive,
		PaymentCents: member.FoundingFeeCents, JoinedAt: november,
	}, nil))
	return &id
}

func draft(memberID *string, at time.Time) post.Post {
	id := xid.New().String()
	return post.Post{ID: id, MemberID: memberID, Text: "hello " + id, Status: post.StatusScheduled, ScheduledAt: at}
}

func create(t *testing.T, s *store.DB, memberID *string, at time.Time) post.Post {
	t.Helper()
	p, err := s.Posts.CreatePost(t.Context(), draft(memberID, at), november)
	require.NoError(t, err)
	return p
}

func usage(t *testing.T, s *store.DB, month post.Month) post.MonthUsage {
	t.Helper()
	u, err := s.Posts.MonthUsage(t.Context(), month)
	require.NoError(t, err)
	return u
}

func balance(t *testing.T, s *store.DB, memberID *string) int {
	t.Helper()
	book, err := s.Credits(t.Context(), *memberID)
	require.NoError(t, err)
	sum := 0
	for i, entry := range book {
		sum += entry.Delta
		require.Equal(t, i+1, entry.Seq)
		require.Equal(t, sum, entry.Balance, "the balance is the sum")
	}
	return sum
}

func TestPostHoldsSlotAndCreditUntilItIsGivenUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		require.Equal(t, post.MonthUsage{Reserved: 1, Members: 1}, usage(t, s, "2026-11"))
		require.Equal(t, 89, balance(t, s, ada))

		for range 2 { // giving up twice gives back once
			p, err := s.Posts.CancelPost(t.Context(), p.ID, november)
			require.NoError(t, err)
			require.Equal(t, post.StatusCancelled, p.Status)
		}
		require.Equal(t, post.MonthUsage{Members: 1}, usage(t, s, "2026-11"))
		require.Equal(t, 90, balance(t, s, ada))
	})
}

// Proves: F11
func TestOpenTextsAreUnique(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		again := draft(nil, november)
		again.Text = p.Text
		_, err := s.Posts.CreatePost(t.Context(), again, november)
		require.Equal(t, problem.TextDuplicate, problem.CodeOf(err))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "the refused one holds nothing")

		_, err = s.Posts.CancelPost(t.Context(), p.ID, november)
		require.NoError(t, err)
		_, err = s.Posts.CreatePost(t.Context(), again, november)
		require.NoError(t, err)
	})
}

func TestDraftHoldsNothingUntilItIsScheduled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		idea := draft(nil, november)
		idea.Status = post.StatusDraft
		idea, err := s.Posts.CreatePost(t.Context(), idea, november)
		require.NoError(t, err)
		require.Zero(t, usage(t, s, "2026-11").Reserved)

		idea, err = s.Posts.ChangePost(t.Context(), idea.ID, post.Change{Schedule: true}, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, idea.Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}

// Proves: F25
func TestReschedulingMovesTheSlotToTheNewMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		december := november.AddDate(0, 1, 0)
		_, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{ScheduledAt: &december}, november)
		require.NoError(t, err)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-12").Reserved)
	})
}

// Proves: V15.4.2
func TestSomebodyElsesChangeIsNotOverwritten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		mine, theirs, seen := "mine "+p.ID, "theirs "+p.ID, p.Version
		_, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &theirs, Version: &seen}, november)
		require.NoError(t, err)
		_, err = s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &mine, Version: &seen}, november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		p, err = s.Posts.Post(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, theirs, p.Text)
	})
}

// Proves: F13
func TestArmedPostsAreNotTouched(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		_, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
		require.NoError(t, err)

		text := "other"
		_, err = s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november)
		require.Equal(t, problem.PostArmed, problem.CodeOf(err))
		_, err = s.Posts.CancelPost(t.Context(), p.ID, november)
		require.Equal(t, problem.PostArmed, problem.CodeOf(err))
	})
}

func TestMissingPostIsNotFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Posts.Post(t.Context(), "nobody")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
		_, err = s.Posts.CancelPost(t.Context(), "nobody", november)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
		_, err = s.Posts.ListedPost(t.Context(), "nobody")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestListsComeInPagesWithNamesAndSlots(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "Ada")
		for i := range 5 {
			p := create(t, s, ada, november.Add(time.Duration(i)*time.Minute))
			armed, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
			require.NoError(t, err)
			_, err = s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{
				Attempt: 1, Outcome: post.OutcomePublished, TweetID: fmt.Sprint(i), At: armed.ScheduledAt,
			}, november)
			require.NoError(t, err)
		}
		create(t, s, nil, november)

		page, total, err := s.Posts.PublishedPosts(t.Context(), 2, 1)
		require.NoError(t, err)
		require.Equal(t, 5, total)
		require.Len(t, page, 2)
		require.Equal(t, "3", *page[0].TweetID, "newest first")
		require.Equal(t, "Ada", page[0].Username)
		require.Equal(t, post.Slot{Month: "2026-11", Number: 4}, *page[0].Slot)

		queue, total, err := s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, 1, total)
		require.Empty(t, queue[0].Username)

		sponsored, err := s.Posts.SponsoredPublished(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5, sponsored)
	})
}

func TestUpcomingPostsComeNextFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		later, sooner := create(t, s, nil, november.Add(2*time.Hour)), create(t, s, nil, november.Add(time.Hour))
		queue, _, err := s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, []string{sooner.ID, later.ID}, []string{queue[0].ID, queue[1].ID})
		all, _, err := s.Posts.Posts(t.Context(), post.Filter{Limit: 10})
		require.NoError(t, err)
		require.Equal(t, later.ID, all[0].ID)
	})
}

// A commit whose answer was lost is made once: asked again, it is found to be done.
func TestChangeAskedForAgainIsNotAConflictWithItself(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		text, seen, at := "changed "+p.ID, p.Version, november.Add(time.Hour)
		for range 2 {
			changed, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text, ScheduledAt: &at, Version: &seen}, november)
			require.NoError(t, err)
			require.Equal(t, seen+1, changed.Version)
		}
		other := "other " + p.ID
		_, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &other, Version: &seen}, november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
	})
}

func giveUp(t *testing.T, s *store.DB, p post.Post) {
	t.Helper()
	_, err := s.Posts.CancelPost(t.Context(), p.ID, november)
	require.NoError(t, err)
}

func TestRestoredPostHoldsSlotAndCreditAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		_, err := s.Posts.BeginPost(t.Context(), p.ID, "run-1")
		require.NoError(t, err)
		for range 2 { // as often as people change their mind
			giveUp(t, s, p)
			require.Equal(t, 90, balance(t, s, ada))
			restored, err := s.Posts.RestorePost(t.Context(), p.ID, false, november.Add(time.Minute))
			require.NoError(t, err)
			require.Equal(t, post.StatusScheduled, restored.Status)
			require.Empty(t, restored.RunID, "its run is over")
			require.Nil(t, restored.CancelledAt)
			require.Equal(t, 89, balance(t, s, ada))
			require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
			waiting, err := s.Posts.Waiting(t.Context(), false)
			require.NoError(t, err)
			require.Len(t, waiting, 1, "the starter finds it")
		}
		_, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.Equal(t, problem.PostClosed, problem.CodeOf(err))
	})
}

func TestRestoringIsRefusedWhileItsTextIsTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		giveUp(t, s, p)
		again := draft(nil, november)
		again.Text = p.Text
		_, err := s.Posts.CreatePost(t.Context(), again, november)
		require.NoError(t, err)
		_, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.Equal(t, problem.TextDuplicate, problem.CodeOf(err))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}

func TestCancelledDraftComesBackAsADraft(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november)
		giveUp(t, s, p)
		p, err := s.Posts.RestorePost(t.Context(), p.ID, true, november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, post.StatusDraft, p.Status)
		require.Equal(t, post.ReviewAsked, p.Review)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
	})
}

// What waited for something when a person gave it up was given up by that person all the same.
func TestPostThatWaitedMayBeRestored(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		_, err := s.Posts.DelayPost(t.Context(), p.ID, post.CodePaused, post.PausedReason(""), november.Add(time.Hour))
		require.NoError(t, err)
		giveUp(t, s, p)
		p, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, p.Status)
	})
}

func TestRunThatCameTooLateDidNotCarryThePost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		_, err := s.Posts.BeginPost(t.Context(), p.ID, "run-1")
		require.NoError(t, err)
		giveUp(t, s, p)
		p, err = s.Posts.BeginPost(t.Context(), p.ID, "run-2")
		require.NoError(t, err)
		require.Equal(t, "run-1", p.RunID)
	})
}
