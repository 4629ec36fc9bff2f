package workflows_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/worker"
	"customerzero/workflows"
)

func TestMain(m *testing.M) { testwait.Main(m, "8") }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// x is a fake X with a script of answers and a timeline.
type x struct {
	activities.Account          // other methods are not called
	answers            []answer // one per call; then success
	unreadable         bool
	looked             func() // called after every read of the timeline
	calls              int
	timeline           []post.Tweet
	now                func() time.Time
}

// answer is the outcome of one call; taken publishes the tweet whatever the answer.
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
	if x.looked != nil {
		defer x.looked()
	}
	if x.unreadable {
		return nil, &post.XError{Class: post.AccountRefused, Code: "x_bad_token", Message: "X does not accept our token."}
	}
	return x.timeline, nil
}

var (
	lost       = &post.XError{Class: post.Unclear, Code: "x_timeout", Message: "X did not answer in time."}
	refused    = &post.XError{Class: post.Refused, Code: "x_refused", Message: "X refuses this post."}
	noCredits  = &post.XError{Class: post.AccountRefused, Code: "x_no_credits", Message: "The account has no credits."}
	duplicate  = &post.XError{Class: post.Duplicate, Code: "x_duplicate", Message: "X has this text already."}
	notReached = &post.XError{Class: post.NotSent, Code: "x_unreachable", Message: "X cannot be reached."}
)

// network loses the answers of an activity.
type network struct {
	interceptor.WorkerInterceptorBase
	loses string
	times int  // lost answers; all if 0
	asks  bool // loses the call instead, so that nothing is done
}

// counting guards the counters of networks, because steps of a run may be concurrent.
var counting sync.Mutex

func (n *network) hits(activity string) bool {
	counting.Lock()
	defer counting.Unlock()
	if activity != n.loses {
		return false
	}
	if n.times--; n.times == 0 {
		n.loses = ""
	}
	return true
}

func (n *network) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &wire{interceptor.ActivityInboundInterceptorBase{Next: next}, n}
}

type wire struct {
	interceptor.ActivityInboundInterceptorBase
	network *network
}

func (w *wire) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	lost := w.network.hits(activity.GetInfo(ctx).ActivityType.Name)
	if lost && w.network.asks {
		return nil, errors.New("the question is lost")
	}
	out, err := w.Next.ExecuteActivity(ctx, in)
	if lost {
		return nil, errors.New("the answer is lost")
	}
	return out, err
}

// begin is when every workflow here starts.
var begin = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// stage is what every workflow test needs: an environment with a clock, a store and activities.
type stage struct {
	env     *testsuite.TestWorkflowEnvironment
	db      *store.DB
	network *network
	orders  int // commands so far
}

func newStage(t *testing.T) *stage {
	return stageFor(storetest.New(t, "sqlite"), begin)
}

// stageFor prepares the next run on the same database.
func stageFor(db *store.DB, at time.Time) *stage {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	reliable := &network{}
	env.SetWorkerOptions(optionsWith(reliable, worker.Problems()))
	env.SetTestTimeout(testwait.Limit)
	env.SetStartTime(at)
	return &stage{env: env, db: db, network: reliable}
}

// optionsWith disables deadlock detection, which a slow machine would trigger after a second.
func optionsWith(around ...interceptor.WorkerInterceptor) sdkworker.Options {
	return sdkworker.Options{Interceptors: around, DeadlockDetectionTimeout: testwait.Limit}
}

func (s *stage) after(d time.Duration, do func()) { s.env.RegisterDelayedCallback(do, d) }

// order gives the run a command and keeps its answer.
func (s *stage) order(name string, args ...any) *reply {
	r := &reply{}
	s.orders++
	s.env.UpdateWorkflow(name, "order-"+strconv.Itoa(s.orders), r, args...)
	return r
}

// world is a post and its surroundings.
type world struct {
	*stage
	x    *x
	post post.Post

	between  func() // called between reading the connection and using it
	sentWith string // the last connection read
	replies  []*reply
	month    post.Month // of the post's slot
	others   int        // slots of other posts in the month
}

func newWorld(t *testing.T, answers ...answer) *world {
	w := &world{stage: newStage(t), between: func() {}, month: "2026-11"}
	w.x = &x{answers: answers, now: w.env.Now}
	storetest.Connection(t, w.db)
	w.env.RegisterActivity(&activities.Post{Posts: w.db.Posts, Accounts: w, Now: w.env.Now})

	w.post = must(w.db.Posts.CreatePost(t.Context(), post.Post{
		ID: "p1", Text: "hello, world", Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour),
	}, begin))
	return w
}

// Account is the bot's, unless the test has disconnected it.
func (w *world) Account(ctx context.Context) (activities.Account, string, error) {
	c, err := w.db.Bot.Connection(ctx)
	w.between()
	if err != nil {
		return nil, "", err
	}
	if c == nil {
		return nil, "", post.ErrNotConnected
	}
	w.sentWith = c.ID
	return w.x, c.ID, nil
}

// run runs the post to its end, and checks that row, result and slots agree.
func (w *world) run(t *testing.T) workflows.PostResult {
	t.Helper()
	w.execute(t)
	require.NoError(t, w.env.GetWorkflowError())
	var result workflows.PostResult
	require.NoError(t, w.env.GetWorkflowResult(&result))
	require.Equal(t, w.post.Status, result.Status)
	slots := map[post.Status][2]int{post.StatusPublished: {1, 0}, post.StatusUnknown: {0, 1}}[result.Status] // a post that may be public keeps its slot
	w.holds(t, slots[0]+w.others, slots[1])
	require.LessOrEqual(t, len(w.x.timeline)-w.others, 1, "nothing is sent twice")
	return result
}

func (w *world) holds(t *testing.T, spent, reserved int) {
	t.Helper()
	usage := must(w.db.Posts.MonthUsage(t.Context(), w.month))
	require.Equal(t, [2]int{spent, reserved}, [2]int{usage.Spent, usage.Reserved}, "slots spent and reserved")
}

func (w *world) row(t *testing.T) post.Post { return must(w.db.Posts.Post(t.Context(), w.post.ID)) }

// late is how long after its due time the post was published.
func (w *world) late() time.Duration { return w.x.timeline[0].CreatedAt.Sub(w.post.ScheduledAt) }

func (w *world) execute(t *testing.T) {
	t.Helper()
	w.env.ExecuteWorkflow(workflows.Post, workflows.PostInput{PostID: w.post.ID, Timing: post.TimingFor(10 * time.Second)})
	require.True(t, w.env.IsWorkflowCompleted())
	w.post = must(w.db.Posts.Post(t.Context(), w.post.ID))
}

// run runs a workflow that must not fail, and returns its result.
func run[R any](t *testing.T, env *testsuite.TestWorkflowEnvironment, flow any, in ...any) (result R) {
	t.Helper()
	env.ExecuteWorkflow(flow, in...)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, env.GetWorkflowResult(&result))
	return result
}

type reply struct {
	rejected error
	done     bool
	answer   any
	err      error
}

func (*reply) Accept()            {}
func (r *reply) Reject(err error) { r.rejected = err }
func (r *reply) Complete(answer any, err error) {
	r.done, r.answer, r.err = true, answer, err
}
