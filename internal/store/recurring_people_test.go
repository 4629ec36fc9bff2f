package store_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func setState(t *testing.T, s *store.DB, r recurring.Series, state recurring.State, at time.Time) (recurring.Series, []string, error) {
	t.Helper()
	return s.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{State: &state}, at)
}

func TestPausedSeriesGivesItsNextPostUpAndResumedWritesItAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newSeries(t, s, daily(ada))
		first := next(t, s, r)
		r, told, err := setState(t, s, r, recurring.Paused, dayBefore)
		require.NoError(t, err)
		require.Equal(t, []string{first.ID}, told)
		require.Equal(t, recurring.CodeByHand, r.Code)
		require.Zero(t, r.Written)
		require.Equal(t, 90, balance(t, s, ada))
		require.Empty(t, turns(t, s, r))
		r, told = plan(t, s, r, days(3))
		require.Empty(t, told, "paused, it writes nothing")

		r, told, err = setState(t, s, r, recurring.Active, days(3).Add(time.Minute))
		require.NoError(t, err)
		require.Len(t, told, 1)
		require.Empty(t, r.Code)
		require.Equal(t, []turn{{days(4), recurring.Written, "", post.StatusScheduled}}, turns(t, s, r), "what passed meanwhile is not made up for")
		require.Equal(t, first.Text, next(t, s, r).Text)
	})
}

func TestChangedSeriesWritesItsNextPostAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		old := next(t, s, r)
		at, seen := everyDay(11*60), r.Version
		r, told, err := s.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{Weekly: &at, Version: &seen}, dayBefore)
		require.NoError(t, err)
		require.Len(t, told, 2)
		require.Equal(t, noon.Add(-time.Hour), next(t, s, r).ScheduledAt.UTC())
		kept, err := s.Posts.Post(t.Context(), old.ID)
		require.NoError(t, err)
		require.Equal(t, recurring.CodeChanged, kept.Code)
		require.Equal(t, 1, usage(t, s, post.MonthOf(noon)).Reserved)

		_, _, err = s.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{Weekly: &at, Version: &seen}, dayBefore)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		often := append(everyDay(12*60), localtime.Time{Weekday: 1, Minute: 12*60 + 30})
		_, _, err = s.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{Weekly: &often}, dayBefore)
		require.Equal(t, problem.SeriesTooOften, problem.CodeOf(err))
	})
}

func TestEndedSeriesStaysSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		for _, told := range []int{1, 0} {
			ended, posts, err := s.RecurringPosts.EndSeries(t.Context(), r.ID, dayBefore)
			require.NoError(t, err)
			require.Len(t, posts, told)
			require.Equal(t, recurring.Ended, ended.State)
		}
		require.Zero(t, usage(t, s, post.MonthOf(noon)).Reserved)
		_, _, err := setState(t, s, r, recurring.Active, dayBefore)
		require.Equal(t, problem.PostClosed, problem.CodeOf(err))
		_, _, err = s.RecurringPosts.EndSeries(t.Context(), "nobody", dayBefore)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestPostGivenUpByAPersonSkipsItsTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		_, err := s.Posts.CancelPost(t.Context(), next(t, s, r).ID, dayBefore)
		require.NoError(t, err)
		r, _ = plan(t, s, r, noon)
		require.Equal(t, []turn{
			{days(0), recurring.Skipped, recurring.CodeCancelled, post.StatusCancelled}, {days(1), recurring.Written, "", post.StatusScheduled},
		}, turns(t, s, r))

		r, _, err = setState(t, s, r, recurring.Paused, noon.Add(-time.Hour))
		require.NoError(t, err)
		r, _, err = setState(t, s, r, recurring.Active, noon.Add(-time.Hour))
		require.NoError(t, err)
		require.Equal(t, days(1), next(t, s, r).ScheduledAt.UTC(), "the time that was given up stays so")
	})
}

func TestSeriesIsPausedAfterTwoFailures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := concerned(t, s)
		r := newSeries(t, s, daily(ada))
		for day, outcome := range []post.Outcome{
			post.OutcomeRefused, post.OutcomePublished, post.OutcomeRefused, post.OutcomeRefused,
		} {
			failing := next(t, s, r)
			r, _ = plan(t, s, r, days(day))
			require.Equal(t, recurring.Active, r.State, "day %d", day)
			endTurn(t, s, failing, outcome, days(day))
		}
		r, err := s.RecurringPosts.Series(t.Context(), r.ID)
		require.NoError(t, err)
		require.Equal(t, recurring.Paused, r.State)
		require.Equal(t, recurring.CodeFailedTwice, r.Code)
		require.NotEmpty(t, r.Reason)
		require.Equal(t, 89, balance(t, s, ada), "only what went out is paid for")
		require.Equal(t, []string{"ada@example.com"}, toldOfPauses(t, s))
	})
}

func TestARetryThatFailsIsNoOtherFailure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		p := next(t, s, r)
		endTurn(t, s, p, post.OutcomeRefused, noon)
		p, err := s.Posts.ReopenPost(t.Context(), p.ID, noon)
		require.NoError(t, err)
		endTurn(t, s, p, post.OutcomeRefused, noon)
		r, err = s.RecurringPosts.Series(t.Context(), r.ID)
		require.NoError(t, err)
		require.Equal(t, recurring.Active, r.State)
		require.Equal(t, 1, r.Failures)
	})
}

// toldOfPauses lists to whom e-mails about paused series wait.
func toldOfPauses(t *testing.T, s *store.DB) (addresses []string) {
	t.Helper()
	waiting, err := s.Emails.WaitingLetters(t.Context(), true)
	require.NoError(t, err)
	for _, l := range waiting {
		if l.Kind == "series_paused" {
			_, content, err := s.Emails.Letter(t.Context(), l.ID)
			require.NoError(t, err)
			require.Equal(t, recurring.ReasonFailedTwice, content.Facts["Reason"])
			addresses = append(addresses, content.To)
		}
	}
	return addresses
}

// A post that fails pauses its series, which gives up the other; a plan does so the other way
// round. On Postgres they would wait for one another for ever if they did not agree who is first.
func TestPlansAndFailuresAtOnceDoNotWaitForOneAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connection := storetest.Connection(t, s)
		for range 5 {
			r := newSeries(t, s, daily(nil))
			first := next(t, s, r)
			endTurn(t, s, first, post.OutcomeRefused, noon)
			plan(t, s, r, noon)
			second := next(t, s, r)
			armTurn(t, s, second, days(1))
			plan(t, s, r, days(1))
			third := next(t, s, r)
			failures := make(chan error, 40)
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() {
					_, err := s.Posts.ConcludePost(t.Context(), second.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x"}, days(1))
					failures <- err
				})
				all.Go(func() { _, _, err := s.RecurringPosts.PlanSeries(t.Context(), r.ID, days(2)); failures <- err })
				all.Go(func() { _, err := s.Posts.ArmPost(t.Context(), third.ID, 1, connection, days(2)); failures <- err })
				all.Go(func() {
					texts := []string{strconv.Itoa(i) + " {number} " + r.ID}
					_, _, err := s.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{Texts: &texts}, days(2))
					failures <- err
				})
			}
			all.Wait()
			close(failures)
			for err := range failures {
				require.NoError(t, err)
			}
		}
	})
}

func TestAtMostTwentySeriesAreActive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		made := make(chan error, 25)
		var all sync.WaitGroup
		for range 25 {
			all.Go(func() { _, _, err := s.RecurringPosts.CreateSeries(t.Context(), daily(nil), dayBefore); made <- err })
		}
		all.Wait()
		close(made)
		refused := 0
		for err := range made {
			if err != nil {
				require.Equal(t, problem.Conflict, problem.CodeOf(err))
				refused++
			}
		}
		require.Equal(t, 5, refused)
		listed, total, err := s.RecurringPosts.AllSeries(t.Context(), 5, 0)
		require.NoError(t, err)
		require.Equal(t, 20, total)
		require.Len(t, listed, 5)
		paused, _, err := setState(t, s, listed[0].Series, recurring.Paused, dayBefore)
		require.NoError(t, err)
		newSeries(t, s, daily(nil))
		_, _, err = setState(t, s, paused, recurring.Active, dayBefore)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		newSeries(t, s, daily(newMember(t, s, "ada"))) // another holder's
	})
}

func TestStarterFindsSeriesThatNobodyPlanned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newSeries(t, s, daily(nil))
		due, err := s.RecurringPosts.SeriesToKeep(t.Context(), false, noon.Add(-time.Second))
		require.NoError(t, err)
		require.Empty(t, due)
		due, err = s.RecurringPosts.SeriesToKeep(t.Context(), false, noon)
		require.NoError(t, err)
		require.Len(t, due, 1)
		_, _, err = s.RecurringPosts.EndSeries(t.Context(), r.ID, noon)
		require.NoError(t, err)
		due, err = s.RecurringPosts.SeriesToKeep(t.Context(), false, noon)
		require.NoError(t, err)
		require.Empty(t, due)
		due, err = s.RecurringPosts.SeriesToKeep(t.Context(), true, time.Now())
		require.NoError(t, err)
		require.Len(t, due, 1, "its schedule may still be there")
	})
}

func TestCalendarShowsWhatSeriesWillWrite(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newSeries(t, s, daily(ada))
		newSeries(t, s, daily(nil))
		planned, names, err := s.RecurringPosts.PlannedTimes(t.Context(), dayBefore, days(3), dayBefore)
		require.NoError(t, err)
		require.Len(t, planned, 4, "those of two days, without the two that are written")
		require.Equal(t, days(1), planned[0].At)
		require.Equal(t, map[string]string{*ada: "ada"}, names)
		for _, p := range planned {
			if p.Series.ID == r.ID && p.At.Equal(days(2)) {
				require.Equal(t, "Number 3 of "+r.ID, p.Text)
			}
		}
	})
}
