package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/workflows"
)

// startedRuns is a fake Temporal that records signals.
type startedRuns struct {
	started, woken []string
	kept           []schedule.RecurringState
}

func (s *startedRuns) StartPost(_ context.Context, p post.Post) (string, error) {
	s.started = append(s.started, p.ID)
	return "run", nil
}

func (s *startedRuns) WakePost(_ context.Context, p post.Post) error {
	s.woken = append(s.woken, p.ID)
	return nil
}

func (s *startedRuns) ScheduleRecurringPost(_ context.Context, r schedule.RecurringPost) error {
	s.kept = append(s.kept, r.State)
	return nil
}

// recurring adds a recurring post that posts daily at 9.
func (w *world) recurring(t *testing.T, zone string, at time.Time) (schedule.RecurringPost, *startedRuns) {
	t.Helper()
	told := &startedRuns{}
	w.env.RegisterActivity(&activities.RecurringPost{Store: w.db.RecurringPosts, Posts: w.db.Posts, Runs: told, Now: w.env.Now})
	r := schedule.RecurringPost{ID: "daily", Texts: []string{"Number {number} on {date}"}, Timezone: zone}
	for weekday := 1; weekday <= 7; weekday++ {
		r.Weekly = append(r.Weekly, schedule.LocalTime{Weekday: weekday, Minute: 9 * 60})
	}
	r, posts, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), r, at)
	require.NoError(t, err)
	told.started = posts
	return r, told
}

// TestRecurringPostKeepsItsLocalTimeAcrossDST runs four days of a recurring post around a daylight
// saving change.
func TestRecurringPostKeepsItsLocalTimeAcrossDST(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		zone  string
		start time.Time
		want  []string
	}{
		"spring in Berlin": {"Europe/Berlin", time.Date(2027, time.March, 26, 12, 0, 0, 0, time.UTC), []string{
			"2027-03-27 09:00 +0100", "2027-03-28 09:00 +0200", "2027-03-29 09:00 +0200", "2027-03-30 09:00 +0200",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env.SetStartTime(tt.start)
			r, told := w.recurring(t, tt.zone, tt.start)
			w.env.RegisterWorkflow(workflows.Post)
			w.env.RegisterWorkflow(workflows.RecurringPost)
			w.env.ExecuteWorkflow(func(ctx workflow.Context) error {
				for day := range tt.want {
					carried := workflows.PostInput{PostID: told.started[day], Timing: post.TimingFor(10 * time.Second)}
					if err := workflow.ExecuteChildWorkflow(ctx, workflows.Post, carried).Get(ctx, nil); err != nil {
						return err
					}
					if err := workflow.ExecuteChildWorkflow(ctx, workflows.RecurringPost, workflows.RecurringPostInput{RecurringPostID: r.ID}).Get(ctx, nil); err != nil {
						return err
					}
				}
				return nil
			})
			require.NoError(t, w.env.GetWorkflowError())
			where := must(schedule.Zone(tt.zone))
			var sent []string
			for _, tweet := range w.x.timeline {
				sent = append(sent, tweet.CreatedAt.In(where).Format("2006-01-02 15:04 -0700"))
			}
			require.Equal(t, tt.want, sent)
		})
	}
}

// planOnce runs the workflow once.
func (w *world) planOnce(t *testing.T, r schedule.RecurringPost) workflows.RecurringPostResult {
	t.Helper()
	result := run[workflows.RecurringPostResult](t, w.env, workflows.RecurringPost, workflows.RecurringPostInput{RecurringPostID: r.ID})
	return result
}

func TestPlanSignalsRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, told := w.recurring(t, "UTC", begin.AddDate(0, 0, -3))
	overtaken := told.started[0]
	told.started = nil
	require.Equal(t, workflows.RecurringPostResult{State: schedule.Active, Posts: 3}, w.planOnce(t, r))
	require.Equal(t, []string{overtaken}, told.woken)
	require.Len(t, told.started, 2, "the latest missed one, and the next")
	require.Equal(t, []schedule.RecurringState{schedule.Active}, told.kept)
}

func TestIdlePlanSignalsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, told := w.recurring(t, "UTC", begin)
	require.Equal(t, workflows.RecurringPostResult{State: schedule.Active}, w.planOnce(t, r))
	require.Empty(t, told.kept)
}

// TestPlanWithLostAnswer repeats the plan after a lost answer, which must create nothing twice.
func TestPlanWithLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, _ := w.recurring(t, "UTC", begin.AddDate(0, 0, -3))
	w.network.loses, w.network.times = "PlanRecurringPost", 1
	w.planOnce(t, r)
	turns := must(w.db.RecurringPosts.ScheduledTimes(t.Context(), r.ID, 100))
	require.Len(t, turns, 4)
	usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))
	require.Equal(t, 3, usage.Reserved, "the world's own post, the one made up for, and the next")
}

func TestEndedRecurringPostDeletesItsSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, told := w.recurring(t, "UTC", begin)
	_, _, err := w.db.RecurringPosts.EndRecurringPost(t.Context(), r.ID, begin)
	require.NoError(t, err)
	require.Equal(t, workflows.RecurringPostResult{State: schedule.Ended}, w.planOnce(t, r))
	require.Equal(t, []schedule.RecurringState{schedule.Ended}, told.kept)
}
