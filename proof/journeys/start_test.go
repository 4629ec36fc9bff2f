package journeys_test

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

func TestAPostHasOneRun(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.write(t, post.Post{Text: "only once", ScheduledAt: time.Now().Add(time.Hour)})
		runs := make([]string, 8)
		var starters sync.WaitGroup
		for i := range runs {
			starters.Go(func() {
				var err error
				runs[i], err = w.runs.StartPost(t.Context(), p)
				assert.NoError(t, err) // not require: it may not stop another goroutine's test
			})
		}
		starters.Wait()
		for _, run := range runs {
			require.Equal(t, runs[0], run)
		}
		eventually(t, func(c *assert.CollectT) {
			p, err := w.db.Posts.Post(t.Context(), p.ID)
			require.NoError(c, err)
			require.Equal(c, runs[0], p.RunID, "the row names its run")
		})

		soon := workflows.RescheduleOrder{ScheduledAt: time.Now()}
		require.NoError(t, w.runs.ReschedulePost(t.Context(), p, soon))
		w.ends(t, p.ID, post.StatusPublished)
		run, err := w.runs.StartPost(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, runs[0], run, "a run that has ended well is not repeated")
		w.isPublic(t, "only once", 1)
	})
}

// Beside a worker, as in up, the first step needs no way through the server's queue.
func TestThePostStartsInTheWorkerAtHand(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "at once", 0)
		started := w.history(t.Context(), t, workflows.PostID(p.ID)).Events[0]
		require.True(t, started.GetWorkflowExecutionStartedEventAttributes().GetEagerExecutionAccepted())
		w.ends(t, p.ID, post.StatusPublished)
	})
}

func TestFoundersFindPostsInTheConsole(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
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

func TestAPostIsNeverEarly(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "on the dot", 2500*time.Millisecond)
		ended := w.ends(t, p.ID, post.StatusPublished)
		require.False(t, ended.PublishedAt.Before(p.ScheduledAt))
	})
}
