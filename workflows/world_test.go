package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/internal/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// x is a small X: it takes a script of answers, and shows a timeline.
type x struct {
	answers    []answer // one for each call; after the last, all is well
	unreadable bool
	calls      int
	timeline   []post.Tweet
	now        func() time.Time
}

// answer is what becomes of one call. taken: the tweet is on the timeline, whatever was said.
type answer struct {
	taken bool
	err   error
}

func (x *x) Publish(_ context.Context, d post.Draft) (post.Tweet, error) {
	a := answer{taken: true}
	if x.calls < len(x.answers) {
		a = x.answers[x.calls]
	}
	x.calls++
	tweet := post.Tweet{ID: string(rune('0' + x.calls)), Text: d.Text, URL: "https://x.com/bot/status/1", CreatedAt: x.now()}
	if a.taken {
		x.timeline = append(x.timeline, tweet)
	}
	return tweet, a.err
}

func (x *x) Timeline(context.Context, time.Time) ([]post.Tweet, error) {
	if x.unreadable {
		return nil, &post.XError{Class: post.AccountRefused, Code: "x_bad_token", Message: "X does not accept our token."}
	}
	return x.timeline, nil
}

func (*x) Metrics(context.Context, []string) (map[string]post.Metrics, error) {
	return map[string]post.Metrics{}, nil
}

var (
	lost       = &post.XError{Class: post.Unclear, Code: "x_timeout", Message: "X did not answer in time."}
	refused    = &post.XError{Class: post.Refused, Code: "x_refused", Message: "X refuses this post."}
	noCredits  = &post.XError{Class: post.AccountRefused, Code: "x_no_credits", Message: "The account has no credits."}
	duplicate  = &post.XError{Class: post.Duplicate, Code: "x_duplicate", Message: "X has this text already."}
	notReached = &post.XError{Class: post.NotSent, Code: "x_unreachable", Message: "X cannot be reached."}
)

// world is everything around one post.
type world struct {
	env   *testsuite.TestWorkflowEnvironment
	books *store.Store
	x     *x
	post  post.Post
}

func newWorld(t *testing.T, answers ...answer) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{worker.Problems()}})
	env.SetTestTimeout(time.Minute)
	begin := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	env.SetStartTime(begin)
	w := &world{env: env, books: storetest.Open(t, testdb.Address(t, "sqlite"))}
	w.x = &x{answers: answers, now: env.Now}
	env.RegisterActivity(&activities.Post{Posts: w.books, Account: w.x, Now: env.Now})

	var err error
	w.post, err = w.books.CreatePost(t.Context(), post.Post{
		ID: "p1", Text: "hello, world", Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour),
	}, begin)
	require.NoError(t, err)
	return w
}

func (w *world) after(d time.Duration, do func()) { w.env.RegisterDelayedCallback(do, d) }

func (w *world) run(t *testing.T) workflows.PostResult {
	t.Helper()
	w.env.ExecuteWorkflow(workflows.Post, workflows.PostInput{PostID: w.post.ID, Timing: post.TimingFor(10 * time.Second)})
	require.True(t, w.env.IsWorkflowCompleted())
	require.NoError(t, w.env.GetWorkflowError())
	var result workflows.PostResult
	require.NoError(t, w.env.GetWorkflowResult(&result))
	row, err := w.books.Post(t.Context(), w.post.ID)
	require.NoError(t, err)
	require.Equal(t, row.Status, result.Status, "the row and the run tell the same")
	w.post = row
	return result
}

// order gives the run an order and keeps its answer.
func (w *world) order(t *testing.T, name string, args ...any) *reply {
	t.Helper()
	r := &reply{}
	w.env.UpdateWorkflow(name, "order-"+name, r, args...)
	return r
}

type reply struct {
	rejected error
	done     bool
	err      error
}

func (*reply) Accept()            {}
func (r *reply) Reject(err error) { r.rejected = err }
func (r *reply) Complete(_ any, err error) {
	r.done, r.err = true, err
}
