package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// engagement has more posts than the month has reads: the newest are read, each once.
func engagement(t *testing.T, w *world) string {
	measured := w.tweetedLongAgo(t, "measured")
	for i := range post.MonthlyReads {
		w.publishedLongAgo(t, "old news "+strconv.Itoa(i), strconv.Itoa(1000+i), 3*time.Hour)
	}
	first, result := w.readEngagement(t)
	require.Equal(t, activities.ReadEngagementResult{Due: post.MonthlyReads, Measured: 1}, result)
	require.NotNil(t, w.row(t, measured).MeasuredAt, "the newest comes first")

	_, result = w.readEngagement(t)
	require.Zero(t, result, "the month's reads are used")
	usage, err := w.db.Posts.ReadUsage(t.Context(), post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, post.ReadUsage{Used: post.MonthlyReads, Budget: post.MonthlyReads}, usage)
	return first
}

func (w *world) readEngagement(t *testing.T) (workflowID string, result activities.ReadEngagementResult) {
	require.NoError(t, w.runs.EnsureSchedules(t.Context(), nil))
	before := len(w.found(t.Context(), t, `Flow="engagement"`))
	schedule := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.EngagementID)
	require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{})) // it must not run by itself now
	require.NoError(t, schedule.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	eventually(t, func(c *assert.CollectT) {
		runs := w.found(t.Context(), c, `Flow="engagement"`)
		require.Greater(c, len(runs), before)
		workflowID = runs[0].Execution.WorkflowId // the newest
	})
	result = resultOf[activities.ReadEngagementResult](t, w, workflowID)
	return workflowID, result
}

// tweetedLongAgo stores a published post that is on the timeline.
func (w *world) tweetedLongAgo(t *testing.T, text string) (id string) {
	bot, _, err := w.account.Account(t.Context())
	require.NoError(t, err)
	tweet, err := bot.Publish(t.Context(), post.Draft{Text: text})
	require.NoError(t, err)
	return w.publishedLongAgo(t, text, tweet.ID, 2*time.Hour)
}

// publishedLongAgo stores a post that was published a while ago.
func (w *world) publishedLongAgo(t *testing.T, text, tweetID string, ago time.Duration) (id string) {
	then := time.Now().Add(-ago)
	id = xid.New().String()
	_, err := w.db.Posts.CreatePost(t.Context(), post.Post{
		ID: id, Text: text, Status: post.StatusScheduled, ScheduledAt: then,
	}, then)
	require.NoError(t, err)
	_, err = w.db.Posts.ArmPost(t.Context(), id, 1, storetest.Connection(t, w.db), then)
	require.NoError(t, err)
	_, err = w.db.Posts.ConcludePost(t.Context(), id, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: tweetID, At: then,
	}, then)
	require.NoError(t, err)
	return id
}

// TestSchedulesAreCreatedOnce creates them concurrently, as several workers do, and then again.
// Proves: F26
func TestSchedulesAreCreatedOnce(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		w.runs.GameDay, w.runs.VerifyEvery = "0 0 1 1 *", 24*time.Hour
		var keeping errgroup.Group
		for range 4 {
			keeping.Go(func() error { return w.runs.EnsureSchedules(t.Context(), nil) })
		}
		require.NoError(t, keeping.Wait())
		require.NoError(t, w.runs.EnsureSchedules(t.Context(), nil))
		w.everyOf(t, workflows.EngagementID, 15*time.Minute)
		w.everyOf(t, workflows.PaymentReconciliationID, time.Hour)
		w.everyOf(t, workflows.VerificationCleanupID, 30*time.Minute)
		eventually(t, func(c *assert.CollectT) {
			schedules, err := w.temporal.ScheduleClient().List(t.Context(), client.ScheduleListOptions{})
			require.NoError(c, err)
			var ids []string
			for schedules.HasNext() {
				schedule, err := schedules.Next()
				require.NoError(c, err)
				ids = append(ids, schedule.ID)
			}
			require.ElementsMatch(c, []string{workflows.EngagementID, workflows.PaymentReconciliationID, workflows.VerificationCleanupID, workflows.GameDayID, "verification"}, ids)
		})

		w.runs.ReconcileEvery = time.Minute // changed at a restart
		require.NoError(t, w.runs.EnsureSchedules(t.Context(), nil))
		w.everyOf(t, workflows.PaymentReconciliationID, time.Minute)
	})
}

func (w *world) everyOf(t *testing.T, id string, every time.Duration) {
	kept, err := w.temporal.ScheduleClient().GetHandle(t.Context(), id).Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, every, kept.Schedule.Spec.Intervals[0].Every)
}

func TestRecurringPostEndings(t *testing.T) {
	runEndings(t, map[string]ending{"six missed times: the latest is sent": {"recurring-post-missed", longSend, recurringPostMissed}})
}

// everyDayAt lists the local time of an instant on every day of the week.
func everyDayAt(at time.Time) []schedule.LocalTime {
	var times []schedule.LocalTime
	for weekday := 1; weekday <= 7; weekday++ {
		times = append(times, schedule.LocalTime{Weekday: weekday, Minute: schedule.LocalTimeOf(at).Minute})
	}
	return times
}

// recurs stores a recurring post that was created at an earlier time.
func (w *world) recurs(t *testing.T, weekly []schedule.LocalTime, zone string, then time.Time) schedule.RecurringPost {
	id := xid.New().String()
	r, _, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), schedule.RecurringPost{
		ID: id, Texts: []string{"{date}, number {number} of " + id}, Weekly: weekly, Timezone: zone,
	}, then)
	require.NoError(t, err)
	return r
}

// planned runs the workflow of a recurring post and waits for its result.
func (w *world) planned(t *testing.T, r schedule.RecurringPost) (workflowID string, result workflows.RecurringPostResult) {
	require.NoError(t, w.runs.PlanRecurringPost(t.Context(), r.ID))
	workflowID = workflows.RecurringPostID(r.ID)
	result = resultOf[workflows.RecurringPostResult](t, w, workflowID)
	return workflowID, result
}

// recurringPostMissed has no worker for six days.
func recurringPostMissed(t *testing.T, w *world) string {
	due := time.Now().UTC().Add(-time.Hour).Truncate(time.Minute) // the latest of the missed times
	w.stopWorker()
	r := w.recurs(t, everyDayAt(due), "UTC", due.AddDate(0, 0, -5).Add(-time.Hour))
	listed := fetch(t, w.db.RecurringPosts.ListedRecurringPost, r.ID)
	first := listed.Next.Post
	require.True(t, due.AddDate(0, 0, -5).Equal(first.ScheduledAt))
	_, err := w.runs.StartPost(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))

	w.startWorker(t)
	workflowID, result := w.planned(t, r)
	require.Equal(t, schedule.Active, result.State)
	w.ends(t, first.ID, post.StatusCancelled)
	turns := w.turns(t, r)
	require.Len(t, turns, 7)
	for _, skipped := range turns[:5] {
		require.Equal(t, schedule.Skipped, skipped.State)
		require.Equal(t, schedule.CodeMissed, skipped.Code)
	}
	w.ends(t, turns[5].Post.ID, post.StatusPublished)
	require.Equal(t, post.StatusScheduled, turns[6].Post.Status, "the next one is scheduled")
	require.Len(t, w.x.Tweets(), 1)
	require.EqualValues(t, 1, w.sends.Load())
	require.True(t, strings.HasSuffix(w.x.Tweets()[0].Text, r.ID))
	return workflowID
}

// turns lists the scheduled times of a recurring post, earliest first.
func (w *world) turns(t *testing.T, r schedule.RecurringPost) []schedule.ListedScheduledTime {
	found, err := w.db.RecurringPosts.ScheduledTimes(t.Context(), r.ID, 100)
	require.NoError(t, err)
	turns := make([]schedule.ListedScheduledTime, len(found))
	for i, turn := range found {
		turns[len(found)-1-i] = turn
	}
	return turns
}

func (w *world) scheduleOf(t *testing.T, r schedule.RecurringPost) *client.ScheduleDescription {
	kept, err := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.RecurringPostID(r.ID)).Describe(t.Context())
	require.NoError(t, err)
	return kept
}

func TestScheduleFollowsItsRecurringPost(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		r := w.recurs(t, []schedule.LocalTime{{Weekday: 7, Minute: 5}, {Weekday: 3, Minute: 750}}, "Europe/Berlin", time.Now())
		for _, state := range []schedule.RecurringState{schedule.Active, schedule.Paused, schedule.Active} {
			r.State = state
			for range 2 { // a repeat changes nothing
				require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
			}
			require.Equal(t, state == schedule.Paused, w.scheduleOf(t, r).Schedule.State.Paused)
		}
		r.Weekly = r.Weekly[:1]
		require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
		calendar, err := r.Calendar()
		require.NoError(t, err)
		require.True(t, calendar.After(time.Now()).Equal(w.scheduleOf(t, r).Info.NextActionTimes[0]))

		r.State = schedule.Ended
		for range 2 {
			require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
		}
		_, err = w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.RecurringPostID(r.ID)).Describe(t.Context())
		var gone *serviceerror.NotFound
		require.ErrorAs(t, err, &gone)
	})
}

// Temporal and the product compute the same times, also across daylight saving changes.
// Proves: F25
func TestScheduleFiresAtLocalTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, "sqlite", longSend)
	for _, zone := range []string{"Europe/Berlin", "America/New_York"} {
		for _, change := range []time.Month{time.March, time.October} {
			r := schedule.RecurringPost{
				ID: xid.New().String(), State: schedule.Active, Timezone: zone,
				Weekly: []schedule.LocalTime{{Weekday: 7, Minute: 9 * 60}, {Weekday: 1, Minute: 17*60 + 30}},
			}
			calendar, err := r.Calendar()
			require.NoError(t, err)
			from := time.Date(time.Now().Year()+1, change, 6, 0, 0, 0, 0, calendar.Zone)
			require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
			w.startsAt(t, r, from)
			eventually(t, func(c *assert.CollectT) {
				fires := w.scheduleOf(t, r).Info.NextActionTimes
				require.GreaterOrEqual(c, len(fires), 10)
				at := from.Add(-1)
				for _, fire := range fires { // five weeks, which include the change
					at = calendar.After(at)
					require.True(c, at.Equal(fire), "%s: %s, not %s", zone, at, fire)
				}
				require.NotEqual(c, fires[0].In(calendar.Zone).Format("-0700"), fires[9].In(calendar.Zone).Format("-0700"))
			})
		}
	}
}

func (w *world) startsAt(t *testing.T, r schedule.RecurringPost, from time.Time) {
	handle := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.RecurringPostID(r.ID))
	require.NoError(t, handle.Update(t.Context(), client.ScheduleUpdateOptions{
		DoUpdate: func(known client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			known.Description.Schedule.Spec.StartAt = from
			return &client.ScheduleUpdate{Schedule: &known.Description.Schedule}, nil
		},
	}))
}
