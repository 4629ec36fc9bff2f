package journeys_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// engagement has more posts than the month has reads: the newest are read, none twice.
func engagement(t *testing.T, w *world) string {
	heard := w.tweetedLongAgo(t, "heard of")
	for i := range post.MonthlyReads {
		w.publishedLongAgo(t, "old news "+strconv.Itoa(i), strconv.Itoa(1000+i), 3*time.Hour)
	}
	first, result := w.readEngagement(t)
	require.Equal(t, activities.ReadEngagementResult{Due: post.MonthlyReads, Measured: 1}, result)
	require.NotNil(t, w.row(t, heard).MeasuredAt, "the newest comes first")

	_, result = w.readEngagement(t)
	require.Zero(t, result, "the month's reads are used")
	usage, err := w.db.Posts.ReadUsage(t.Context(), post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, post.ReadUsage{Used: post.MonthlyReads, Budget: post.MonthlyReads}, usage)
	return first
}

// readEngagement lets the schedule run now, and waits for what it does.
func (w *world) readEngagement(t *testing.T) (workflowID string, result activities.ReadEngagementResult) {
	t.Helper()
	require.NoError(t, w.runs.KeepSchedules(t.Context()))
	before := len(w.found(t.Context(), t, `Flow="engagement"`))
	schedule := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.EngagementID)
	require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{})) // or it may run by itself just now
	require.NoError(t, schedule.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	eventually(t, func(c *assert.CollectT) {
		runs := w.found(t.Context(), c, `Flow="engagement"`)
		require.Greater(c, len(runs), before)
		workflowID = runs[0].Execution.WorkflowId // the newest
	})
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), &result))
	return workflowID, result
}

// tweetedLongAgo makes a post that X has, too.
func (w *world) tweetedLongAgo(t *testing.T, text string) (id string) {
	t.Helper()
	bot, _, err := w.account.Account(t.Context())
	require.NoError(t, err)
	tweet, err := bot.Publish(t.Context(), post.Draft{Text: text})
	require.NoError(t, err)
	return w.publishedLongAgo(t, text, tweet.ID, 2*time.Hour)
}

// publishedLongAgo books a post that went out a while ago.
func (w *world) publishedLongAgo(t *testing.T, text, tweetID string, ago time.Duration) (id string) {
	t.Helper()
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

func TestSchedulesAreKeptOnce(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		for range 3 { // every start of every worker asks for them
			require.NoError(t, w.runs.KeepSchedules(t.Context()))
		}
		w.everyOf(t, workflows.EngagementID, 15*time.Minute)
		w.everyOf(t, workflows.ReconcilePaymentsID, time.Hour)
		w.everyOf(t, workflows.VerificationTidyID, 30*time.Minute)
		eventually(t, func(c *assert.CollectT) {
			schedules, err := w.temporal.ScheduleClient().List(t.Context(), client.ScheduleListOptions{})
			require.NoError(c, err)
			var ids []string
			for schedules.HasNext() {
				schedule, err := schedules.Next()
				require.NoError(c, err)
				ids = append(ids, schedule.ID)
			}
			require.ElementsMatch(c, []string{workflows.EngagementID, workflows.ReconcilePaymentsID, workflows.VerificationTidyID}, ids)
		})

		w.runs.ReconcileEvery = time.Minute // another setting, after a restart
		require.NoError(t, w.runs.KeepSchedules(t.Context()))
		w.everyOf(t, workflows.ReconcilePaymentsID, time.Minute)
	})
}

// everyOf sees how often a schedule runs.
func (w *world) everyOf(t *testing.T, id string, every time.Duration) {
	t.Helper()
	kept, err := w.temporal.ScheduleClient().GetHandle(t.Context(), id).Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, every, kept.Schedule.Spec.Intervals[0].Every)
}
