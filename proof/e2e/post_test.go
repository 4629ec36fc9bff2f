package e2e

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/ports/portstest"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/worker"
	"customerzero/workflows"
)

// TestPostEndings tells every ending of a post, and of the flows around it.
// Proves: F7, F9, F12
func TestPostEndings(t *testing.T) {
	tell(t, map[string]ending{
		"posted now: published, with one slot spent":        {"post-published", patient, published},
		"edited and moved before its time: goes out so":     {"post-edited", patient, edited},
		"cancelled before its time: the slot is free again": {"post-cancelled", patient, cancelled},
		"refused, then retried: published":                  {"post-failed-retried", patient, failedRetried},
		"answer lost after X took it: found, not twice":     {"post-found", brief, foundAgain},
		"X asks to wait: goes out when it may":              {"post-rate-limited", patient, rateLimited},
		"timeline unreadable: unknown, until a signal":      {"post-unknown", brief, unknown},
		"given up unknown, and found: published":            {"post-unknown-found", brief, foundWhenGivenUp},
		"given up in the console, not there: cancelled":     {"post-unknown-cancelled", brief, cancelledInTheConsole},
		"given up in the console, nobody can see: kept":     {"post-unknown-kept", brief, kept},
		"no bot to post with: goes out when it is back":     {"post-not-connected", patient, notConnected},
		"X is not there, and the clock is behind: no hurry": {"post-clock-behind", patient, clockBehind},
		"the schedule reads how posts are received":         {"engagement", patient, engagement},
		"a canary sings": {"canary", patient, canary},
	})
}

func published(t *testing.T, w *world) string {
	p := w.schedule(t, "hello, world", 0)
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, 1, ended.Attempt)
	require.Equal(t, *ended.TweetID, w.x.Tweets()[0].ID)
	w.isPublic(t, "hello, world", 1)
	return workflows.PostID(p.ID)
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

func cancelled(t *testing.T, w *world) string {
	p := w.schedule(t, "never mind", time.Hour)
	w.holds(t, 0, 1)
	require.NoError(t, w.runs.CancelPost(t.Context(), p))
	w.ends(t, p.ID, post.StatusCancelled)
	require.Empty(t, w.x.Tweets())
	w.holds(t, 0, 0)
	return workflows.PostID(p.ID)
}

func failedRetried(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.NoCredits, Times: 1})
	p := w.schedule(t, "for the second time", 0)
	require.Equal(t, "x_no_credits", w.becomes(t, p.ID, post.StatusFailed).Code)
	w.holds(t, 0, 0)
	w.retries(t, p.ID)
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "for the second time", 2)
	return workflows.PostID(p.ID)
}

func foundAgain(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
	p := w.schedule(t, "was it heard?", 0)
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "was it heard?", 1)
	return workflows.PostID(p.ID)
}

func rateLimited(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Times: 1, Delay: 10 * time.Second})
	p := w.schedule(t, "all in good time", 0)
	until := *w.waits(t, p.ID, "x_rate_limited").WaitingUntil
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, 2, ended.Attempt)
	require.False(t, ended.PublishedAt.Before(until), "not before X may be asked again")
	w.isPublic(t, "all in good time", 2)
	return workflows.PostID(p.ID)
}

func unknown(t *testing.T, w *world) string {
	p := w.loseSight(t, "who knows", xsandbox.DropAfter)
	w.holds(t, 0, 1)
	w.misbehave(t)
	require.NoError(t, w.temporal.SignalWorkflow(t.Context(), workflows.PostID(p.ID), "", workflows.SignalRetryRequested, nil))
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "who knows", 1)
	return workflows.PostID(p.ID)
}

func canary(t *testing.T, w *world) string {
	require.NoError(t, w.runs.Ping(t.Context()))
	require.NoError(t, w.runs.RunCanary(t.Context()))
	var id string
	eventually(t, func(c *assert.CollectT) { // the server notes what can be found a little later
		runs := w.found(t.Context(), c, `WorkflowType="Canary"`)
		require.Len(c, runs, 1)
		id = runs[0].Execution.WorkflowId
	})
	return id
}

// clockBehind lets a worker send whose clock is behind by more than the first wait, while nobody answers
// at X's address: what it says is over before it begins.
func clockBehind(t *testing.T, w *world) string {
	w.stopWorker()
	address := portstest.Address(t)
	w.account = &worker.X{Store: w.db.Bot, BaseURL: "http://" + address, Timeout: patient}
	w.late = post.Backoff(1) + time.Second
	w.startWorker(t)

	began := time.Now()
	p := w.schedule(t, "as soon as it can be", 0)
	once(t, w.db.Posts.Post, p.ID, func(c *assert.CollectT, tried post.Post) {
		require.Equal(c, post.StatusScheduled, tried.Status)
		require.GreaterOrEqual(c, tried.Attempt, 2)
		require.Equal(c, "x_unreachable", tried.Code)
	})
	require.Greater(t, time.Since(began), post.Backoff(1), "by the run's clock")

	there, err := net.Listen("tcp", address)
	require.NoError(t, err)
	x := &http.Server{Handler: w.counting(w.x.Handler()), ReadHeaderTimeout: patient}
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	go func() { _ = x.Serve(there) }()
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "as soon as it can be", 1)
	return workflows.PostID(p.ID)
}

func TestAPostHasOneRun(t *testing.T) {
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
		require.Equal(t, runs[0], w.begun(t, p.ID, ""), "the row names its run")

		soon := workflows.RescheduleCommand{ScheduledAt: time.Now()}
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
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "at once", 0)
		started := w.history(t.Context(), t, workflows.PostID(p.ID)).Events[0]
		require.True(t, started.GetWorkflowExecutionStartedEventAttributes().GetEagerExecutionAccepted())
		w.ends(t, p.ID, post.StatusPublished)
	})
}

func TestFoundersFindPostsInTheConsole(t *testing.T) {
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

// A run of the same name has ended well before; the restored post has another, and goes out once.
func TestARestoredPostGoesOut(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
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

// Founders stop the bot, and nothing goes out until they let it go on.
func TestAPausedBotSendsNothing(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		paused, on := true, false
		_, _, err := w.db.Bot.SetControls(t.Context(), bot.ControlsChange{Paused: &paused}, "grace", time.Now())
		require.NoError(t, err)
		p := w.schedule(t, "after the storm", 0)
		w.waits(t, p.ID, post.CodePaused)
		require.Zero(t, w.sends.Load())
		_, _, err = w.db.Bot.SetControls(t.Context(), bot.ControlsChange{Paused: &on}, "grace", time.Now())
		require.NoError(t, err)
		require.NoError(t, w.runs.WakePost(t.Context(), p))
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "after the storm", 1)
	})
}

func soon() workflows.RescheduleCommand {
	return workflows.RescheduleCommand{ScheduledAt: time.Now().Add(time.Second)}
}
