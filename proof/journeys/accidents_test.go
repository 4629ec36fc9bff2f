package journeys_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/platform/temporal/launcher"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// Proves: F1
func TestAPostThatCameDueWithoutAWorkerGoesOutOnce(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "better late", 15*time.Second)
		w.begun(t, p.ID, "")
		w.stopWorker()
		require.Eventually(t, func() bool { return time.Now().After(p.ScheduledAt) }, patience, 20*time.Millisecond)
		require.Zero(t, w.sends.Load())
		w.startWorker(t)
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "better late", 1)
	})
}

// Proves: F5
func TestAPostSurvivesTheDeathOfTheTemporalServer(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			mortal, restarts := superviseServer(t)
			w := newWorld(t, mortal, kind, patient)
			p := w.schedule(t, "after the crash", 2*time.Second)
			require.NoError(t, syscall.Kill(mortal.Pid(), syscall.SIGKILL))
			require.ErrorContains(t, <-restarts, "killed")
			ended := w.ends(t, p.ID, post.StatusPublished)
			require.False(t, ended.PublishedAt.Before(p.ScheduledAt))
			w.isPublic(t, "after the crash", 1)
		})
	}
}

// superviseServer runs a server of the test's own, which may be killed.
func superviseServer(t *testing.T) (*launcher.Server, <-chan error) {
	t.Helper()
	restarts := make(chan error, 5)
	mortal, err := launcher.Supervise(t.Context(), serverOptions(t.TempDir()), func(cause error) { restarts <- cause })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mortal.Stop(context.Background())) })
	return mortal, restarts
}

// startStarter runs the starter until the test ends.
func (w *world) startStarter(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	starter := &worker.Dispatcher{
		Posts: w.db.Posts, Letters: w.db.Emails, Checkouts: w.db.Checkouts, Series: w.db.RecurringPosts, Store: w.db, Runs: w.runs, Every: 50 * time.Millisecond,
		Experiments: w.db.Experiments, ExperimentRuns: w.runs, Departures: w.db.Deletions, DeletionRuns: w.runs,
	}
	go func() {
		defer close(done)
		starter.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// endByForce ends a post's run as a hand at the console might.
func (w *world) endByForce(t *testing.T, id string) {
	t.Helper()
	require.NoError(t, w.temporal.TerminateWorkflow(t.Context(), workflows.PostID(id), "", "a slip of the hand"))
}

func TestTheStarterGivesALostPostANewRun(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "not lost", 15*time.Second)
		first := w.begun(t, p.ID, "")
		w.endByForce(t, p.ID)
		w.startStarter(t)
		w.begun(t, p.ID, first)
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "not lost", 1)
	})
}

// A run that is lost while its post is being sent leaves an armed row. The next one looks first.
// Proves: F1
func TestTheStarterFindsOutWhatBecameOfAnArmedPost(t *testing.T) {
	t.Parallel()
	each(t, brief, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
		p := w.schedule(t, "half sent", 0)
		w.becomes(t, p.ID, post.StatusArmed)
		w.endByForce(t, p.ID)
		w.startStarter(t)
		w.becomes(t, p.ID, post.StatusPublished)
		w.isPublic(t, "half sent", 1)
	})
}

func TestTheStarterGivesARunToARowWithoutOne(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		before := w.write(t, post.Post{Text: "written before the crash", ScheduledAt: time.Now()})
		w.startStarter(t)
		w.becomes(t, before.ID, post.StatusPublished)
		after := w.write(t, post.Post{Text: "written while Temporal was away", ScheduledAt: time.Now()})
		w.becomes(t, after.ID, post.StatusPublished)
		require.Len(t, w.x.Tweets(), 2)
		w.holds(t, 2, 0)
	})
}

func TestAFailedPostWhoseRunIsLostCanBeRetried(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Times: 1})
		p := w.schedule(t, "once more", 0)
		failed := w.becomes(t, p.ID, post.StatusFailed)
		w.endByForce(t, p.ID)
		require.NoError(t, w.runs.RetryPost(t.Context(), failed))
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "once more", 2)
	})
}

// Beside a worker that is busy, or in another process, an order can come with the first task.
func TestAnOrderToARunThatHasNotBegunWaits(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Times: 1})
		p := w.schedule(t, "patience", 0)
		failed := w.becomes(t, p.ID, post.StatusFailed)
		w.endByForce(t, p.ID)
		w.stopWorker()
		retried := make(chan error, 1)
		go func() { retried <- w.runs.RetryPost(t.Context(), failed) }()
		eventually(t, func(c *assert.CollectT) {
			require.Len(c, w.found(t.Context(), c, `ExecutionStatus="Running"`), 1)
		})
		w.startWorker(t)
		require.NoError(t, <-retried)
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "patience", 2)
	})
}

// begun waits until a run other than the given one has the post, and names it.
func (w *world) begun(t *testing.T, id, other string) (runID string) {
	t.Helper()
	eventually(t, func(c *assert.CollectT) {
		p, err := w.db.Posts.Post(t.Context(), id)
		require.NoError(c, err)
		require.NotEmpty(c, p.RunID)
		require.NotEqual(c, other, p.RunID)
		runID = p.RunID
	})
	return runID
}
