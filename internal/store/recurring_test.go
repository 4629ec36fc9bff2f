package store_test

import (
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// noon is the time of every day at which these series post. The first day is in the future,
// because the book asks the clock when a post fails.
var noon = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 10).Add(12 * time.Hour)

// dayBefore is when they are written.
var dayBefore = noon.Add(-23 * time.Hour)

func everyDay(minute int) []localtime.Time {
	var times []localtime.Time
	for weekday := 1; weekday <= 7; weekday++ {
		times = append(times, localtime.Time{Weekday: weekday, Minute: minute})
	}
	return times
}

func daily(memberID *string) recurring.Series {
	id := xid.New().String()
	return recurring.Series{
		ID: id, MemberID: memberID, Texts: []string{"Number {number} of " + id}, Weekly: everyDay(12 * 60), Timezone: "UTC",
	}
}

func newSeries(t *testing.T, s *store.DB, r recurring.Series) recurring.Series {
	t.Helper()
	r, told, err := s.RecurringPosts.CreateSeries(t.Context(), r, dayBefore)
	require.NoError(t, err)
	require.Len(t, told, 1)
	return r
}

func plan(t *testing.T, s *store.DB, r recurring.Series, at time.Time) (recurring.Series, []string) {
	t.Helper()
	r, told, err := s.RecurringPosts.PlanSeries(t.Context(), r.ID, at)
	require.NoError(t, err)
	return r, told
}

// turn is what a test asks of an occurrence.
type turn struct {
	At     time.Time
	State  recurring.OccurrenceState
	Code   string
	Status post.Status // of its post; empty: it has none
}

// turns lists them, the earliest first.
func turns(t *testing.T, s *store.DB, r recurring.Series) []turn {
	t.Helper()
	found, err := s.RecurringPosts.Turns(t.Context(), r.ID, 100)
	require.NoError(t, err)
	all := make([]turn, len(found))
	for i, o := range found {
		shown := turn{o.At.UTC(), o.State, o.Code, ""}
		if o.Post != nil {
			shown.Status = o.Post.Status
		}
		all[len(found)-1-i] = shown
	}
	return all
}

func days(n int) time.Time { return noon.AddDate(0, 0, n) }

// next finds the post that waits.
func next(t *testing.T, s *store.DB, r recurring.Series) post.Post {
	t.Helper()
	listed, err := s.RecurringPosts.ListedSeries(t.Context(), r.ID)
	require.NoError(t, err)
	require.NotNil(t, listed.Next)
	return listed.Next.Post
}

func armTurn(t *testing.T, s *store.DB, p post.Post, at time.Time) post.Post {
	t.Helper()
	armed, err := s.Posts.ArmPost(t.Context(), p.ID, p.Attempt+1, storetest.Connection(t, s), at)
	require.NoError(t, err)
	return armed
}

// conclude sends a post, or fails to.
func endTurn(t *testing.T, s *store.DB, p post.Post, outcome post.Outcome, at time.Time) {
	t.Helper()
	armed := armTurn(t, s, p, at)
	require.Equal(t, post.StatusArmed, armed.Status)
	_, err := s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{
		Attempt: armed.Attempt, Outcome: outcome, Code: "x_refused", Reason: "X refuses this post.", TweetID: p.ID, At: at,
	}, at)
	require.NoError(t, err)
}

func TestSeriesHoldsOneSlotAhead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newSeries(t, s, daily(ada))
		first := next(t, s, r)
		require.Equal(t, noon, first.ScheduledAt.UTC())
		require.Equal(t, "Number 1 of "+r.ID, first.Text)
		require.Equal(t, 89, balance(t, s, ada))
		r, told := plan(t, s, r, noon.Add(-time.Second))
		require.Empty(t, told, "the next one is written already")

		endTurn(t, s, first, post.OutcomePublished, noon)
		r, told = plan(t, s, r, noon)
		require.Len(t, told, 1)
		require.Equal(t, "Number 2 of "+r.ID, next(t, s, r).Text)
		require.Equal(t, 88, balance(t, s, ada))
		_, told = plan(t, s, r, noon)
		require.Empty(t, told, "asked again, nothing happens")
		require.Equal(t, []turn{
			{days(0), recurring.Written, "", post.StatusPublished}, {days(1), recurring.Written, "", post.StatusScheduled},
		}, turns(t, s, r))
	})
}

// Six times pass while the bot is away. Whoever wakes up first, the latest goes out alone.
func TestOnlyTheLatestMissedTimeIsMadeUpFor(t *testing.T) {
	t.Parallel()
	back := days(5).Add(time.Hour)
	missed := turn{days(0), recurring.Skipped, recurring.CodeMissed, post.StatusCancelled}
	for name, wake := range map[string]func(t *testing.T, s *store.DB, r recurring.Series, first post.Post){
		"the plan first": func(t *testing.T, s *store.DB, r recurring.Series, first post.Post) {
			plan(t, s, r, back)
			require.Equal(t, post.StatusCancelled, armTurn(t, s, first, back).Status)
		},
		"the post first": func(t *testing.T, s *store.DB, r recurring.Series, first post.Post) {
			require.Equal(t, post.StatusCancelled, armTurn(t, s, first, back).Status)
			plan(t, s, r, back)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				ada := newMember(t, s, "ada")
				r := newSeries(t, s, daily(ada))
				wake(t, s, r, next(t, s, r))
				due := next(t, s, r)
				require.Equal(t, days(5), due.ScheduledAt.UTC())
				require.Equal(t, post.StatusArmed, armTurn(t, s, due, back).Status)
				want := []turn{missed}
				for day := 1; day <= 4; day++ {
					want = append(want, turn{days(day), recurring.Skipped, recurring.CodeMissed, ""})
				}
				want = append(want, turn{days(5), recurring.Written, "", post.StatusArmed}, turn{days(6), recurring.Written, "", post.StatusScheduled})
				require.Equal(t, want, turns(t, s, r))
				require.Equal(t, 88, balance(t, s, ada), "the overtaken one gave its credit back")
			})
		})
	}
}

func TestWhatIsMissedByADayIsNotMadeUpFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := daily(nil)
		r.Weekly = []localtime.Time{localtime.Of(noon)} // once a week
		r = newSeries(t, s, r)
		back := noon.AddDate(0, 0, 15)
		plan(t, s, r, back)
		require.Equal(t, []turn{
			{noon, recurring.Skipped, recurring.CodeMissed, post.StatusCancelled},
			{noon.AddDate(0, 0, 7), recurring.Skipped, recurring.CodeMissed, ""},
			{noon.AddDate(0, 0, 14), recurring.Skipped, recurring.CodeMissed, ""},
			{noon.AddDate(0, 0, 21), recurring.Written, "", post.StatusScheduled},
		}, turns(t, s, r))
	})
}

func TestLatePostWithoutALaterTimeGoesOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		late := days(1).Add(-time.Second)
		plan(t, s, r, late)
		require.Equal(t, post.StatusArmed, armTurn(t, s, next(t, s, r), late).Status)
	})
}

// A retry is a person's wish: it is sent although other times of the series have passed.
func TestRetriedPostIsNotOvertaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		first := next(t, s, r)
		endTurn(t, s, first, post.OutcomeRefused, noon)
		plan(t, s, r, days(2))
		again, err := s.Posts.ReopenPost(t.Context(), first.ID, days(2).Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, post.StatusArmed, armTurn(t, s, again, days(2).Add(time.Minute)).Status)
	})
}

func TestLimitSkipsTheTimeAndNotTheSeries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		for range 90 {
			create(t, s, ada, dayBefore)
		}
		r, told, err := s.RecurringPosts.CreateSeries(t.Context(), daily(ada), dayBefore)
		require.NoError(t, err)
		require.Empty(t, told)
		require.Equal(t, recurring.Active, r.State)
		require.Equal(t, []turn{{days(0), recurring.Skipped, string(problem.CreditsExhausted), ""}}, turns(t, s, r))
		require.Zero(t, r.Written)
	})
}

func TestTextsTakeTurnsAndTakenOnesArePassedOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := daily(nil)
		r.Texts = []string{"one " + r.ID, "two " + r.ID}
		taken := draft(nil, dayBefore)
		taken.Text = r.Texts[0]
		_, err := s.Posts.CreatePost(t.Context(), taken, dayBefore)
		require.NoError(t, err)
		r = newSeries(t, s, r)
		require.Equal(t, r.Texts[1], next(t, s, r).Text)

		r, _ = plan(t, s, r, noon) // both wait elsewhere now
		require.Equal(t, turn{days(1), recurring.Skipped, string(problem.TextDuplicate), ""}, turns(t, s, r)[1])
		_, err = s.Posts.CancelPost(t.Context(), taken.ID, noon)
		require.NoError(t, err)
		r, _ = plan(t, s, r, days(1)) // the first post was overtaken, and its text is free again
		require.Equal(t, r.Texts[1], next(t, s, r).Text)
	})
}

func TestFailedPostGivesItsTextToTheNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := daily(nil)
		r.Texts = []string{"one " + r.ID, "two " + r.ID}
		r = newSeries(t, s, r)
		failed := next(t, s, r)
		endTurn(t, s, failed, post.OutcomeRefused, noon)
		r, _ = plan(t, s, r, noon)
		endTurn(t, s, next(t, s, r), post.OutcomePublished, days(1))
		r, _ = plan(t, s, r, days(1))
		require.Equal(t, r.Texts[0], next(t, s, r).Text)
		_, err := s.Posts.ReopenPost(t.Context(), failed.ID, days(1))
		require.Equal(t, problem.PostClosed, problem.CodeOf(err), "its text is another's now")
	})
}

func TestSeriesWhoseSeatIsFrozenIsPaused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newSeries(t, s, daily(ada))
		require.NoError(t, s.SetMemberStatus(t.Context(), *ada, member.StatusFrozen))
		r, told := plan(t, s, r, noon.Add(-time.Hour))
		require.Equal(t, recurring.Paused, r.State)
		require.Equal(t, recurring.CodeFrozen, r.Code)
		require.Len(t, told, 1, "the run of what was written ahead")
		require.Equal(t, 90, balance(t, s, ada))
	})
}

func TestSeriesEndsAfterItsLastTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := daily(nil)
		end := days(1)
		r.EndsAt = &end
		r = newSeries(t, s, r)
		r, _ = plan(t, s, r, noon)
		require.Equal(t, recurring.Active, r.State)
		r, _ = plan(t, s, r, days(1))
		require.Equal(t, recurring.Ended, r.State)
		last := turns(t, s, r)
		require.Equal(t, turn{days(1), recurring.Written, "", post.StatusScheduled}, last[len(last)-1], "the last post still goes out")
	})
}
