package journeys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/recurring"
	"customerzero/workflows"
)

func TestSeriesJourneys(t *testing.T) {
	t.Parallel()
	tell(t, map[string]ending{
		"six times missed: the latest goes out": {"series-missed", patient, seriesMissed},
		"paused, a plan writes nothing":         {"series-paused", patient, seriesPaused},
	})
}

// everyDayAt lists a time of each day, as clocks in the zone show an instant.
func everyDayAt(at time.Time) []localtime.Time {
	var times []localtime.Time
	for weekday := 1; weekday <= 7; weekday++ {
		times = append(times, localtime.Time{Weekday: weekday, Minute: localtime.Of(at).Minute})
	}
	return times
}

// recurs writes a series down as if it had been made back then.
func (w *world) recurs(t *testing.T, weekly []localtime.Time, zone string, then time.Time) recurring.Series {
	t.Helper()
	id := xid.New().String()
	r, _, err := w.db.RecurringPosts.CreateSeries(t.Context(), recurring.Series{
		ID: id, Texts: []string{"{date}, number {number} of " + id}, Weekly: weekly, Timezone: zone,
	}, then)
	require.NoError(t, err)
	return r
}

// planned lets a series be looked at now, and waits for what the look came to.
func (w *world) planned(t *testing.T, r recurring.Series) (workflowID string, result workflows.SeriesResult) {
	t.Helper()
	require.NoError(t, w.runs.PlanSeries(t.Context(), r.ID))
	workflowID = workflows.SeriesID(r.ID)
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), &result))
	return workflowID, result
}

// seriesMissed has a worker that is away for six days.
func seriesMissed(t *testing.T, w *world) string {
	due := time.Now().UTC().Add(-time.Hour).Truncate(time.Minute) // the latest of the missed times
	w.stopWorker()
	r := w.recurs(t, everyDayAt(due), "UTC", due.AddDate(0, 0, -5).Add(-time.Hour))
	listed, err := w.db.RecurringPosts.ListedSeries(t.Context(), r.ID)
	require.NoError(t, err)
	first := listed.Next.Post
	require.True(t, due.AddDate(0, 0, -5).Equal(first.ScheduledAt))
	_, err = w.runs.StartPost(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, w.runs.KeepSeries(t.Context(), r))

	w.startWorker(t)
	workflowID, result := w.planned(t, r)
	require.Equal(t, recurring.Active, result.State)
	w.ends(t, first.ID, post.StatusCancelled)
	turns := w.turns(t, r)
	require.Len(t, turns, 7)
	for _, skipped := range turns[:5] {
		require.Equal(t, recurring.Skipped, skipped.State)
		require.Equal(t, recurring.CodeMissed, skipped.Code)
	}
	w.ends(t, turns[5].Post.ID, post.StatusPublished)
	require.Equal(t, post.StatusScheduled, turns[6].Post.Status, "the next one waits")
	require.Len(t, w.x.Tweets(), 1)
	require.EqualValues(t, 1, w.sends.Load())
	require.True(t, strings.HasSuffix(w.x.Tweets()[0].Text, r.ID))
	return workflowID
}

// turns lists the times of a series, the earliest first.
func (w *world) turns(t *testing.T, r recurring.Series) []recurring.Turn {
	t.Helper()
	found, err := w.db.RecurringPosts.Turns(t.Context(), r.ID, 100)
	require.NoError(t, err)
	turns := make([]recurring.Turn, len(found))
	for i, turn := range found {
		turns[len(found)-1-i] = turn
	}
	return turns
}

func seriesPaused(t *testing.T, w *world) string {
	r := w.recurs(t, everyDayAt(time.Now().Add(time.Hour)), "UTC", time.Now())
	paused := recurring.Paused
	r, told, err := w.db.RecurringPosts.ChangeSeries(t.Context(), r.ID, recurring.Change{State: &paused}, time.Now())
	require.NoError(t, err)
	require.Len(t, told, 1)
	workflowID, result := w.planned(t, r)
	require.Equal(t, workflows.SeriesResult{State: recurring.Paused}, result)
	require.True(t, w.scheduleOf(t, r).Schedule.State.Paused, "the schedule follows the row")
	w.holds(t, 0, 0)
	return workflowID
}

func (w *world) scheduleOf(t *testing.T, r recurring.Series) *client.ScheduleDescription {
	t.Helper()
	kept, err := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.SeriesID(r.ID)).Describe(t.Context())
	require.NoError(t, err)
	return kept
}

func TestScheduleFollowsTheRowOfItsSeries(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		r := w.recurs(t, []localtime.Time{{Weekday: 7, Minute: 5}, {Weekday: 3, Minute: 750}}, "Europe/Berlin", time.Now())
		for _, state := range []recurring.State{recurring.Active, recurring.Paused, recurring.Active} {
			r.State = state
			for range 2 { // asked again, nothing changes
				require.NoError(t, w.runs.KeepSeries(t.Context(), r))
			}
			require.Equal(t, state == recurring.Paused, w.scheduleOf(t, r).Schedule.State.Paused)
		}
		r.Weekly = r.Weekly[:1]
		require.NoError(t, w.runs.KeepSeries(t.Context(), r))
		calendar, err := r.Calendar()
		require.NoError(t, err)
		require.True(t, calendar.After(time.Now()).Equal(w.scheduleOf(t, r).Info.NextActionTimes[0]))

		r.State = recurring.Ended
		for range 2 {
			require.NoError(t, w.runs.KeepSeries(t.Context(), r))
		}
		_, err = w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.SeriesID(r.ID)).Describe(t.Context())
		var gone *serviceerror.NotFound
		require.ErrorAs(t, err, &gone)
	})
}

// Temporal's reading of the calendar and ours agree, the change of the clocks included.
// Proves: F25
func TestScheduleFiresWhenClocksOnWallsSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, "sqlite", patient)
	for _, zone := range []string{"Europe/Berlin", "America/New_York"} {
		for _, change := range []time.Month{time.March, time.October} {
			r := recurring.Series{
				ID: xid.New().String(), State: recurring.Active, Timezone: zone,
				Weekly: []localtime.Time{{Weekday: 7, Minute: 9 * 60}, {Weekday: 1, Minute: 17*60 + 30}},
			}
			calendar, err := r.Calendar()
			require.NoError(t, err)
			from := time.Date(time.Now().Year()+1, change, 6, 0, 0, 0, 0, calendar.Zone)
			require.NoError(t, w.runs.KeepSeries(t.Context(), r))
			w.startsAt(t, r, from)
			eventually(t, func(c *assert.CollectT) {
				fires := w.scheduleOf(t, r).Info.NextActionTimes
				require.GreaterOrEqual(c, len(fires), 10)
				at := from.Add(-1)
				for _, fire := range fires { // five weeks: the change is among them
					at = calendar.After(at)
					require.True(c, at.Equal(fire), "%s: %s, not %s", zone, at, fire)
				}
				require.NotEqual(c, fires[0].In(calendar.Zone).Format("-0700"), fires[9].In(calendar.Zone).Format("-0700"))
			})
		}
	}
}

// startsAt lets a schedule be silent until then.
func (w *world) startsAt(t *testing.T, r recurring.Series, from time.Time) {
	t.Helper()
	handle := w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.SeriesID(r.ID))
	require.NoError(t, handle.Update(t.Context(), client.ScheduleUpdateOptions{
		DoUpdate: func(known client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			known.Description.Schedule.Spec.StartAt = from
			return &client.ScheduleUpdate{Schedule: &known.Description.Schedule}, nil
		},
	}))
}
