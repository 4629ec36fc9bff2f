package e2e

import (
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// TestPostEndings ends runs of posts and of related workflows.
func TestPostEndings(t *testing.T) {
	runEndings(t, map[string]ending{
		"edited and moved before its time":            {"post-edited", longSend, edited},
		"unknown, cancelled in the console: it stays": {"post-unknown-kept", shortSend, kept},
		"no connection: sent once there is one":       {"post-not-connected", longSend, notConnected},
		"the schedule reads engagement":               {"engagement", longSend, engagement},
		"a canary":                                    {"canary", longSend, canary},
	})
}

func edited(t *testing.T, w *world) string {
	p := w.schedule(t, "first thought", time.Hour)
	require.NoError(t, w.runs.EditPost(t.Context(), p, workflows.EditCommand{Text: "second thought"}))
	soon := time.Now().Add(time.Second)
	require.NoError(t, w.runs.ReschedulePost(t.Context(), p, workflows.RescheduleCommand{ScheduledAt: soon}))
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, p.Version+2, ended.Version)
	w.isPublic(t, "second thought", 1)
	return workflows.PostID(p.ID)
}

func canary(t *testing.T, w *world) string {
	require.NoError(t, w.runs.Ping(t.Context()))
	require.NoError(t, w.runs.RunCanary(t.Context()))
	var id string
	eventually(t, func(c *assert.CollectT) { // visibility is eventually consistent
		runs := w.found(t.Context(), c, `WorkflowType="Canary"`)
		require.Len(c, runs, 1)
		id = runs[0].Execution.WorkflowId
	})
	return id
}

func TestPostHasOneRun(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.write(t, post.Post{Text: "only once", ScheduledAt: time.Now().Add(time.Hour)})
		runs := make([]string, 8)
		var starting sync.WaitGroup
		for i := range runs {
			starting.Go(func() {
				var err error
				runs[i], err = w.runs.StartPost(t.Context(), p)
				assert.NoError(t, err) // require must not be used in other goroutines
			})
		}
		starting.Wait()
		for _, run := range runs {
			require.Equal(t, runs[0], run)
		}
		require.Equal(t, runs[0], w.begun(t, p.ID, ""), "the row names its run")

		soon := workflows.RescheduleCommand{ScheduledAt: time.Now()}
		require.NoError(t, w.runs.ReschedulePost(t.Context(), p, soon))
		w.ends(t, p.ID, post.StatusPublished)
		run, err := w.runs.StartPost(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, runs[0], run, "a completed run is not repeated")
		w.isPublic(t, "only once", 1)
	})
}

// With a worker in the same process, as in up, the first task does not pass through the server's queue.
func TestPostStartsEagerly(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.schedule(t, "at once", 0)
		started := w.history(t.Context(), t, workflows.PostID(p.ID)).Events[0]
		require.True(t, started.GetWorkflowExecutionStartedEventAttributes().GetEagerExecutionAccepted())
		w.ends(t, p.ID, post.StatusPublished)
	})
}

func TestFoundersFindPostsInTheConsole(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		ada := member.Member{
			ID: xid.New().String(), Username: "ada", UsernameKey: "ada", Status: member.StatusActive,
			PaymentCents: member.FoundingFeeCents, JoinedAt: time.Now(),
		}
		require.NoError(t, w.db.Members.AddMember(t.Context(), ada, nil))
		hers := w.write(t, post.Post{Text: "hers", MemberID: &ada.ID, ScheduledAt: time.Now()})
		_, err := w.runs.StartPost(t.Context(), hers)
		require.NoError(t, err)
		w.ends(t, hers.ID, post.StatusPublished)
		later := w.schedule(t, "later", time.Hour)

		for query, id := range map[string]string{
			`Flow="post" AND PostStatus="published"`: hers.ID,
			`Flow="post" AND PostStatus="scheduled"`: later.ID,
			`MemberID="` + ada.ID + `"`:              hers.ID,
		} {
			eventually(t, func(c *assert.CollectT) {
				runs := w.found(t.Context(), c, query)
				require.Len(c, runs, 1, query)
				require.Equal(c, workflows.PostID(id), runs[0].Execution.WorkflowId)
			})
		}
	})
}

// A run with the same workflow ID has completed before; the restored post gets another run and is sent once.
func TestRestoredPostIsSent(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.schedule(t, "on second thoughts", time.Hour)
		require.NoError(t, w.runs.CancelPost(t.Context(), p))
		given := w.ends(t, p.ID, post.StatusCancelled)
		w.holds(t, 0, 0)

		restored, err := w.db.Posts.RestorePost(t.Context(), p.ID, false, time.Now())
		require.NoError(t, err)
		_, err = w.runs.StartPost(t.Context(), restored)
		require.NoError(t, err)
		w.begun(t, p.ID, "")
		require.NoError(t, w.runs.ReschedulePost(t.Context(), restored, soon()))
		ended := w.ends(t, p.ID, post.StatusPublished)
		require.NotEqual(t, given.RunID, ended.RunID)
		w.isPublic(t, "on second thoughts", 1)
	})
}

func soon() workflows.RescheduleCommand {
	return workflows.RescheduleCommand{ScheduledAt: time.Now().Add(time.Second)}
}
