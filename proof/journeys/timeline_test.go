package journeys_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
	"customerzero/workflows"
)

// told reads what strangers see of a run, and how it would be sent to them.
func (w *world) told(t *testing.T, workflowID string) (run run.Timeline, shown string) {
	t.Helper()
	run, err := w.runs.Timeline(t.Context(), workflowID, "")
	require.NoError(t, err)
	text, err := json.Marshal(run)
	require.NoError(t, err)
	return run, string(text)
}

func stepsOf(run run.Timeline) []string {
	var titles []string
	for _, step := range run.Steps {
		titles = append(titles, step.Title)
	}
	return titles
}

func factsOf(t *testing.T, found run.Timeline, title string) map[string]string {
	t.Helper()
	at := slices.IndexFunc(found.Steps, func(s run.Step) bool { return s.Title == title })
	require.GreaterOrEqual(t, at, 0, "%v", stepsOf(found))
	facts := map[string]string{}
	for _, fact := range found.Steps[at].Facts {
		facts[fact.Name] = fact.Value
	}
	return facts
}

func TestAPostsTimelineTellsWhatWasDoneAndNotWhatItSays(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "a-canary-of-a-first-text", time.Hour)
		require.NoError(t, w.runs.EditPost(t.Context(), p, workflows.EditOrder{Text: "a-canary-of-a-second-text"}))
		waiting, shown := w.told(t, workflows.PostID(p.ID))
		require.Equal(t, run.Running, waiting.State)
		require.NotContains(t, shown, "canary")

		require.NoError(t, w.runs.ReschedulePost(t.Context(), p, workflows.RescheduleOrder{ScheduledAt: time.Now()}))
		ended := w.ends(t, p.ID, post.StatusPublished)
		found, shown := w.told(t, workflows.PostID(p.ID))
		require.Equal(t, run.Done, found.State)
		require.NotContains(t, shown, "canary")
		require.Subset(t, stepsOf(found), []string{"Took the post up", "Somebody changed the post", "Waited until it may go out"})
		asked := factsOf(t, found, "Armed the post and asked X to publish it")
		require.Equal(t, []string{"published", *ended.TweetID, "1"}, []string{asked["Status"], asked["ID on X"], asked["Attempt"]})
		require.Contains(t, asked, "Armed at")
		require.True(t, mentionsText(t, w, workflows.PostID(p.ID), "a-canary-of-a-second-text"), "the history has it")
	})
}

func mentionsText(t *testing.T, w *world, workflowID, word string) bool {
	t.Helper()
	return mentions(t, []*history.History{w.history(t.Context(), t, workflowID)}, word)
}

func TestACheckoutsTimelineTellsThePriceAndNothingOfItsBuyer(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		r, buyer := w.buy(t)
		require.Equal(t, checkout.Paid, r.State)
		found, shown := w.told(t, workflows.CheckoutID(r.ID))
		require.Equal(t, r.ID, found.Subject)
		require.Equal(t, []run.Fact{{Name: "Ended", Value: "paid"}}, found.Result)
		require.Contains(t, factsOf(t, found, "Opened the payment page"), "Discount")
		d := r.Decision
		for _, hidden := range []string{buyer.address, d.ID, d.Reason, d.Model, string(d.UserType), r.PaymentURL, *r.MemberID, "cz-" + r.ID} {
			require.Greater(t, len(hidden), 3, "what is short may be there by chance")
			require.NotContains(t, shown, hidden)
		}
	})
}

func TestTheNewestPublicRunsAreListed(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		first := w.schedule(t, "waits for long", time.Hour)
		done := w.schedule(t, "goes out", 0)
		w.ends(t, done.ID, post.StatusPublished)
		r := w.want(t) // a checkout: it is in no list
		last := w.schedule(t, "waits, too", time.Hour)

		var newest []run.Brief
		require.Eventually(t, func() bool {
			var err error
			newest, err = w.runs.NewestRuns(t.Context(), "", 10)
			return err == nil && len(newest) == 3 && newest[1].State == run.Done
		}, patience, 50*time.Millisecond)
		for i, p := range []post.Post{last, done, first} {
			require.Equal(t, workflows.PostID(p.ID), newest[i].WorkflowID)
			require.Equal(t, "post", newest[i].Flow)
		}
		require.NotNil(t, newest[1].EndedAt)
		require.Nil(t, newest[0].EndedAt)

		one, err := w.runs.NewestRuns(t.Context(), "post", 1)
		require.NoError(t, err)
		require.Equal(t, newest[:1], one)
		none, err := w.runs.NewestRuns(t.Context(), "chaos", 5)
		require.NoError(t, err)
		require.Empty(t, none)
		_, err = w.runs.NewestRuns(t.Context(), "checkout", 5)
		require.Equal(t, problem.Invalid, problem.CodeOf(err))
		_, shown := w.told(t, workflows.CheckoutID(r.ID))
		require.Contains(t, shown, r.ID, "who has its ID may read it")
	})
}

func TestRunsThatDoNotExistAreNotFound(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "one run", time.Hour)
		for _, id := range [][2]string{
			{"post:none", ""}, {workflows.PostID(p.ID), "01a1fb8c-1851-770a-9223-8a882ed47dd1"}, {workflows.PostID(p.ID), "no run"}, {"", ""},
		} {
			_, err := w.runs.Timeline(t.Context(), id[0], id[1])
			require.Equal(t, problem.NotFound, problem.CodeOf(err), "%v: %v", id, err)
		}
	})
}
