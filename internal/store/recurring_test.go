package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// noon is when these recurring posts post. The first day is in the future, because the store reads the
// clock when a post fails.
var noon = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 10).Add(12 * time.Hour)

// dayBefore is when they are created.
var dayBefore = noon.Add(-23 * time.Hour)

func everyDay(minute int) []schedule.LocalTime {
	var times []schedule.LocalTime
	for weekday := 1; weekday <= 7; weekday++ {
		times = append(times, schedule.LocalTime{Weekday: weekday, Minute: minute})
	}
	return times
}

func daily(memberID *string) schedule.RecurringPost {
	id := xid.New().String()
	return schedule.RecurringPost{
		ID: id, MemberID: memberID, Texts: []string{"Number {number} of " + id}, Weekly: everyDay(12 * 60), Timezone: "UTC",
	}
}

func newRecurringPost(t *testing.T, s *store.DB, r schedule.RecurringPost) schedule.RecurringPost {
	t.Helper()
	r, told := must2(s.RecurringPosts.CreateRecurringPost(t.Context(), r, dayBefore))(t)
	require.Len(t, told, 1)
	return r
}

// taking is a recurring post of two texts.
func taking() schedule.RecurringPost {
	r := daily(nil)
	r.Texts = []string{"one " + r.ID, "two " + r.ID}
	return r
}

func plan(t *testing.T, s *store.DB, r schedule.RecurringPost, at time.Time) (schedule.RecurringPost, []string) {
	t.Helper()
	return must2(s.RecurringPosts.PlanRecurringPost(t.Context(), r.ID, at))(t)
}

// turn is a scheduled time with the status of its post, empty without one.
type turn struct {
	At     time.Time
	State  schedule.ScheduledTimeState
	Code   string
	Status post.Status
}

func turns(t *testing.T, s *store.DB, r schedule.RecurringPost) []turn {
	t.Helper()
	found := must(s.RecurringPosts.ScheduledTimes(t.Context(), r.ID, 100))(t)
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

func next(t *testing.T, s *store.DB, r schedule.RecurringPost) post.Post {
	t.Helper()
	listed := must(s.RecurringPosts.ListedRecurringPost(t.Context(), r.ID))(t)
	require.NotNil(t, listed.Next)
	return listed.Next.Post
}

func armTurn(t *testing.T, s *store.DB, p post.Post, at time.Time) post.Post {
	t.Helper()
	return must(s.Posts.ArmPost(t.Context(), p.ID, p.Attempt+1, storetest.Connection(t, s), at))(t)
}

func endTurn(t *testing.T, s *store.DB, p post.Post, outcome post.Outcome, at time.Time) {
	t.Helper()
	armed := armTurn(t, s, p, at)
	require.Equal(t, post.StatusArmed, armed.Status)
	must(s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{
		Attempt: armed.Attempt, Outcome: outcome, Code: "x_refused", Reason: "X refuses this post.", TweetID: p.ID, At: at,
	}, at))(t)
}

func TestRecurringPosts(t *testing.T) {
	t.Parallel()
	each(t, "one slot is held ahead", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newRecurringPost(t, s, daily(ada))
		first := next(t, s, r)
		require.Equal(t, []any{noon, "Number 1 of " + r.ID, 89}, []any{first.ScheduledAt.UTC(), first.Text, balance(t, s, ada)})
		r, told := plan(t, s, r, noon.Add(-time.Second))
		require.Empty(t, told, "the next one is written already")
		endTurn(t, s, first, post.OutcomePublished, noon)
		for _, n := range []int{1, 0} { // a repeat changes nothing
			r, told = plan(t, s, r, noon)
			require.Len(t, told, n)
			require.Equal(t, []any{"Number 2 of " + r.ID, 88}, []any{next(t, s, r).Text, balance(t, s, ada)})
		}
		require.Equal(t, []turn{
			{days(0), schedule.Created, "", post.StatusPublished}, {days(1), schedule.Created, "", post.StatusScheduled},
		}, turns(t, s, r))
	})
	each(t, "a time missed by a day is skipped", func(t *testing.T, s *store.DB) {
		r := daily(nil)
		r.Weekly = []schedule.LocalTime{schedule.LocalTimeOf(noon)} // once a week
		r = newRecurringPost(t, s, r)
		plan(t, s, r, days(15))
		require.Equal(t, []turn{
			{noon, schedule.Skipped, schedule.CodeMissed, post.StatusCancelled},
			{days(7), schedule.Skipped, schedule.CodeMissed, ""},
			{days(14), schedule.Skipped, schedule.CodeMissed, ""},
			{days(21), schedule.Created, "", post.StatusScheduled},
		}, turns(t, s, r))
	})
	// A retried post is sent although later times have passed.
	each(t, "a retried post is not overtaken", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		first := next(t, s, r)
		endTurn(t, s, first, post.OutcomeRefused, noon)
		plan(t, s, r, days(2))
		again := must(s.Posts.ReopenPost(t.Context(), first.ID, days(2).Add(time.Minute)))(t)
		require.Equal(t, post.StatusArmed, armTurn(t, s, again, days(2).Add(time.Minute)).Status)
	})
	each(t, "a limit skips one time only", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		for range 90 {
			create(t, s, ada, dayBefore)
		}
		r, told := must2(s.RecurringPosts.CreateRecurringPost(t.Context(), daily(ada), dayBefore))(t)
		require.Equal(t, []any{0, schedule.Active, 0}, []any{len(told), r.State, r.PostsCreated})
		require.Equal(t, []turn{{days(0), schedule.Skipped, string(problem.CreditsExhausted), ""}}, turns(t, s, r))
	})
	each(t, "texts rotate and taken ones are skipped", func(t *testing.T, s *store.DB) {
		r := taking()
		taken := must(s.Posts.CreatePost(t.Context(), saying(r.Texts[0]), november))(t)
		r = newRecurringPost(t, s, r)
		require.Equal(t, r.Texts[1], next(t, s, r).Text)
		r, _ = plan(t, s, r, noon) // other posts have both texts
		require.Equal(t, turn{days(1), schedule.Skipped, string(problem.TextDuplicate), ""}, turns(t, s, r)[1])
		cancelPost(t, s, taken)
		r, _ = plan(t, s, r, days(1)) // the first post was skipped, so its text is free
		require.Equal(t, r.Texts[1], next(t, s, r).Text)
	})
	each(t, "a failed post frees its text for the next", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, taking())
		failed := next(t, s, r)
		endTurn(t, s, failed, post.OutcomeRefused, noon)
		r, _ = plan(t, s, r, noon)
		endTurn(t, s, next(t, s, r), post.OutcomePublished, days(1))
		r, _ = plan(t, s, r, days(1))
		require.Equal(t, r.Texts[0], next(t, s, r).Text)
		requireCode(t, problem.PostClosed, errOf(s.Posts.ReopenPost(t.Context(), failed.ID, days(1)))) // another post has its text
	})
	each(t, "a frozen membership pauses it", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newRecurringPost(t, s, daily(ada))
		require.NoError(t, s.SetMemberStatus(t.Context(), *ada, member.StatusFrozen))
		r, told := plan(t, s, r, noon.Add(-time.Hour))
		require.Len(t, told, 1, "the run of what was written ahead")
		require.Equal(t, []any{schedule.Paused, schedule.CodeFrozen, 90}, []any{r.State, r.Code, balance(t, s, ada)})
	})
	each(t, "it ends after its last time", func(t *testing.T, s *store.DB) {
		r := daily(nil)
		r.EndsAt = new(days(1))
		r = newRecurringPost(t, s, r)
		for day, state := range []schedule.RecurringState{schedule.Active, schedule.Ended} {
			r, _ = plan(t, s, r, days(day))
			require.Equal(t, state, r.State)
		}
		last := turns(t, s, r)
		require.Equal(t, turn{days(1), schedule.Created, "", post.StatusScheduled}, last[len(last)-1], "the last post is still sent")
	})
}

// TestOnlyTheLatestMissedTimeIsCaughtUp misses six times. Whether the plan or the post runs first, only
// the latest is sent.
func TestOnlyTheLatestMissedTimeIsCaughtUp(t *testing.T) {
	t.Parallel()
	back := days(5).Add(time.Hour)
	for _, planFirst := range []bool{true, false} {
		each(t, fmt.Sprint("the plan first: ", planFirst), func(t *testing.T, s *store.DB) {
			ada := newMember(t, s, "ada")
			r := newRecurringPost(t, s, daily(ada))
			first := next(t, s, r)
			if planFirst {
				plan(t, s, r, back)
			}
			require.Equal(t, post.StatusCancelled, armTurn(t, s, first, back).Status)
			if !planFirst {
				plan(t, s, r, back)
			}
			due := next(t, s, r)
			require.Equal(t, days(5), due.ScheduledAt.UTC())
			require.Equal(t, post.StatusArmed, armTurn(t, s, due, back).Status)
			want := []turn{{days(0), schedule.Skipped, schedule.CodeMissed, post.StatusCancelled}}
			for day := 1; day <= 4; day++ {
				want = append(want, turn{days(day), schedule.Skipped, schedule.CodeMissed, ""})
			}
			want = append(want, turn{days(5), schedule.Created, "", post.StatusArmed}, turn{days(6), schedule.Created, "", post.StatusScheduled})
			require.Equal(t, want, turns(t, s, r))
			require.Equal(t, 88, balance(t, s, ada), "the overtaken one gave its credit back")
		})
	}
}

func setState(t *testing.T, s *store.DB, r schedule.RecurringPost, state schedule.RecurringState, at time.Time) (schedule.RecurringPost, []string, error) {
	t.Helper()
	return s.RecurringPosts.ChangeRecurringPost(t.Context(), r.ID, schedule.RecurringChange{State: &state}, at)
}

func TestChangedRecurringPosts(t *testing.T) {
	t.Parallel()
	each(t, "pausing cancels the next post and resuming writes it again", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newRecurringPost(t, s, daily(ada))
		first := next(t, s, r)
		r, told := must2(setState(t, s, r, schedule.Paused, dayBefore))(t)
		require.Equal(t, []any{[]string{first.ID}, schedule.CodeByHand, 0, 90}, []any{told, r.Code, r.PostsCreated, balance(t, s, ada)})
		require.Empty(t, turns(t, s, r))
		r, told = plan(t, s, r, days(3))
		require.Empty(t, told, "paused, it writes nothing")
		r, told = must2(setState(t, s, r, schedule.Active, days(3).Add(time.Minute)))(t)
		require.Equal(t, []any{1, "", first.Text}, []any{len(told), r.Code, next(t, s, r).Text})
		require.Equal(t, []turn{{days(4), schedule.Created, "", post.StatusScheduled}}, turns(t, s, r), "times missed while paused are not caught up")
	})
	each(t, "a change writes the next post again", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		old, at, seen := next(t, s, r), everyDay(11*60), r.Version
		change := schedule.RecurringChange{Weekly: &at, Version: &seen}
		r, told := must2(s.RecurringPosts.ChangeRecurringPost(t.Context(), r.ID, change, dayBefore))(t)
		require.Len(t, told, 2)
		require.Equal(t, noon.Add(-time.Hour), next(t, s, r).ScheduledAt.UTC())
		require.Equal(t, schedule.CodeChanged, must(s.Posts.Post(t.Context(), old.ID))(t).Code)
		require.Equal(t, 1, usage(t, s, post.MonthOf(noon)).Reserved)
		requireCode(t, problem.Conflict, errOf2(s.RecurringPosts.ChangeRecurringPost(t.Context(), r.ID, change, dayBefore)))
		often := append(everyDay(12*60), schedule.LocalTime{Weekday: 1, Minute: 12*60 + 30})
		requireCode(t, problem.RecurringTooOften, errOf2(s.RecurringPosts.ChangeRecurringPost(t.Context(), r.ID, schedule.RecurringChange{Weekly: &often}, dayBefore)))
	})
	each(t, "an end is final", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		for _, told := range []int{1, 0} {
			ended, posts := must2(s.RecurringPosts.EndRecurringPost(t.Context(), r.ID, dayBefore))(t)
			require.Equal(t, []any{told, schedule.Ended}, []any{len(posts), ended.State})
		}
		require.Zero(t, usage(t, s, post.MonthOf(noon)).Reserved)
		requireCode(t, problem.PostClosed, errOf2(setState(t, s, r, schedule.Active, dayBefore)))
		requireCode(t, problem.NotFound, errOf2(s.RecurringPosts.EndRecurringPost(t.Context(), "nobody", dayBefore)))
	})
	each(t, "a cancelled post skips its time", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		must(s.Posts.CancelPost(t.Context(), next(t, s, r).ID, dayBefore))(t)
		r, _ = plan(t, s, r, noon)
		require.Equal(t, []turn{
			{days(0), schedule.Skipped, schedule.CodeCancelled, post.StatusCancelled}, {days(1), schedule.Created, "", post.StatusScheduled},
		}, turns(t, s, r))
		r, _ = must2(setState(t, s, r, schedule.Paused, noon.Add(-time.Hour)))(t)
		r, _ = must2(setState(t, s, r, schedule.Active, noon.Add(-time.Hour)))(t)
		require.Equal(t, days(1), next(t, s, r).ScheduledAt.UTC(), "a cancelled time is not used again")
	})
	each(t, "two failures pause it", func(t *testing.T, s *store.DB) {
		ada := concerned(t, s)
		r := newRecurringPost(t, s, daily(ada))
		for day, outcome := range []post.Outcome{post.OutcomeRefused, post.OutcomePublished, post.OutcomeRefused, post.OutcomeRefused} {
			failing := next(t, s, r)
			r, _ = plan(t, s, r, days(day))
			require.Equal(t, schedule.Active, r.State, "day %d", day)
			endTurn(t, s, failing, outcome, days(day))
		}
		r = must(s.RecurringPosts.RecurringPost(t.Context(), r.ID))(t)
		require.Equal(t, []any{schedule.Paused, schedule.CodeFailedTwice}, []any{r.State, r.Code})
		require.NotEmpty(t, r.Reason)
		require.Equal(t, 89, balance(t, s, ada), "only published posts cost a credit")
		told := emails(t, s, "recurring_post_paused")
		require.Len(t, told, 1)
		require.Len(t, told["ada@example.com"], 1)
		require.Equal(t, schedule.ReasonFailedTwice, told["ada@example.com"][0]["Reason"])
	})
	each(t, "a failed retry is no second failure", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		p := next(t, s, r)
		endTurn(t, s, p, post.OutcomeRefused, noon)
		endTurn(t, s, must(s.Posts.ReopenPost(t.Context(), p.ID, noon))(t), post.OutcomeRefused, noon)
		r = must(s.RecurringPosts.RecurringPost(t.Context(), r.ID))(t)
		require.Equal(t, []any{schedule.Active, 1}, []any{r.State, r.ConsecutiveFailures})
	})
	// A failing post pauses its recurring post, and a plan cancels a post: on Postgres they would deadlock
	// without a fixed lock order.
	each(t, "plans and failures at once do not deadlock", func(t *testing.T, s *store.DB) {
		connection := storetest.Connection(t, s)
		for range 5 {
			r := newRecurringPost(t, s, daily(nil))
			endTurn(t, s, next(t, s, r), post.OutcomeRefused, noon)
			plan(t, s, r, noon)
			second := next(t, s, r)
			armTurn(t, s, second, days(1))
			plan(t, s, r, days(1))
			third := next(t, s, r)
			require.Equal(t, 40, atOnce(t, 40, func(i int) error {
				switch i % 4 {
				case 0:
					return errOf(s.Posts.ConcludePost(t.Context(), second.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x"}, days(1)))
				case 1:
					return errOf2(s.RecurringPosts.PlanRecurringPost(t.Context(), r.ID, days(2)))
				case 2:
					return errOf(s.Posts.ArmPost(t.Context(), third.ID, 1, connection, days(2)))
				}
				return errOf2(s.RecurringPosts.ChangeRecurringPost(t.Context(), r.ID, schedule.RecurringChange{Texts: &[]string{strconv.Itoa(i) + " {number} " + r.ID}}, days(2)))
			}))
		}
	})
	each(t, "at most twenty are active", func(t *testing.T, s *store.DB) {
		require.Equal(t, 20, atOnce(t, 25, func(int) error {
			return errOf2(s.RecurringPosts.CreateRecurringPost(t.Context(), daily(nil), dayBefore))
		}, problem.Conflict))
		listed, total := must2(s.RecurringPosts.RecurringPosts(t.Context(), 5, 0))(t)
		require.Equal(t, []int{20, 5}, []int{total, len(listed)})
		paused, _ := must2(setState(t, s, listed[0].RecurringPost, schedule.Paused, dayBefore))(t)
		newRecurringPost(t, s, daily(nil))
		requireCode(t, problem.Conflict, errOf2(setState(t, s, paused, schedule.Active, dayBefore)))
		newRecurringPost(t, s, daily(newMember(t, s, "ada"))) // of another holder
	})
	each(t, "the dispatcher finds what was never planned", func(t *testing.T, s *store.DB) {
		r := newRecurringPost(t, s, daily(nil))
		require.Empty(t, must(s.RecurringPosts.RecurringPostsToPlan(t.Context(), false, noon.Add(-time.Second)))(t))
		require.Len(t, must(s.RecurringPosts.RecurringPostsToPlan(t.Context(), false, noon))(t), 1)
		must2(s.RecurringPosts.EndRecurringPost(t.Context(), r.ID, noon))(t)
		require.Empty(t, must(s.RecurringPosts.RecurringPostsToPlan(t.Context(), false, noon))(t))
		require.Len(t, must(s.RecurringPosts.RecurringPostsToPlan(t.Context(), true, time.Now()))(t), 1, "its schedule may still be there")
	})
	each(t, "the calendar shows planned times", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		r := newRecurringPost(t, s, daily(ada))
		newRecurringPost(t, s, daily(nil))
		planned, names := must2(s.RecurringPosts.PlannedTimes(t.Context(), dayBefore, days(3), dayBefore))(t)
		require.Len(t, planned, 4, "those of two days, without the two that are written")
		require.Equal(t, days(1), planned[0].At)
		require.Equal(t, map[string]string{*ada: "ada"}, names)
		for _, p := range planned {
			if p.RecurringPost.ID == r.ID && p.At.Equal(days(2)) {
				require.Equal(t, "Number 3 of "+r.ID, p.Text)
			}
		}
	})
}
