// Package e2e runs end-to-end tests of the workflows with the real Temporal server, worker, clients, sandboxes and
// store. They cover what a fake or a skipped clock cannot show: signals, lost connections, lost runs, and leaked
// secrets. Every workflow ends here at least once, so that its history can be recorded; other endings are tested in
// package workflows.
//
// -record saves the histories that the replay test of workflows does not have yet (make history).
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/platform/telemetry/telemetrytest"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testwait"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
	"customerzero/worker"
	"customerzero/workflows"
	flows "customerzero/workflows/client"
)

var record = flag.Bool("record", false, "save the histories that the replay test does not have yet")

// server is the Temporal server of all tests. Each world has its own namespace.
var server *launcher.Server

// logged captures the log of the product, the SDK and the server.
var logged = &transcript{}

var traced = telemetrytest.New()

func TestMain(m *testing.M) {
	playTarget()
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // most tests wait
	slog.SetDefault(telemetry.NewLog(logged, "text", slog.LevelDebug))
	if _, err := telemetry.Start(context.Background(), telemetry.Options{Exporter: traced, Share: 1, Service: "e2e"}); err != nil {
		panic(err)
	}
	code, err := withServer(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot start the Temporal server (make build builds it):", err)
		code = 1
	}
	os.Exit(code)
}

func withServer(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if server, err = launcher.Start(ctx, serverOptions(dir)); err != nil {
		return 1, err
	}
	code = run()
	stopping, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return code, server.Stop(stopping)
}

// serverOptions are the options of a server with its database in dir.
func serverOptions(dir string) launcher.Options {
	bin := os.Getenv("TEMPORAL_BIN")
	if bin == "" {
		bin = filepath.Join("..", "..", "bin", "temporald")
	}
	return launcher.Options{
		Bin: bin, DBFile: filepath.Join(dir, "temporal.db"), SearchAttributes: workflows.SearchAttributes(), Logs: logged,
	}
}

const patience = testwait.Limit

const tick = 20 * time.Millisecond

func await(t *testing.T, condition func() bool) { require.Eventually(t, condition, patience, tick) }

// eventually waits for a condition and reports the assertion that failed last.
func eventually(t *testing.T, condition func(c *assert.CollectT)) {
	require.EventuallyWithT(t, condition, patience, tick)
}

// newNamespace creates a namespace, because all workers poll task queues of the same names.
func newNamespace(t *testing.T, server *launcher.Server) string {
	logger := sdklog.NewStructuredLogger(slog.Default())
	admin, err := client.NewNamespaceClient(client.Options{HostPort: server.Address(), Logger: logger})
	require.NoError(t, err)
	defer admin.Close()
	name := "e2e-" + xid.New().String()
	require.NoError(t, admin.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	awaitNamespace(t, dial(t, server, name), name)
	return name
}

// awaitNamespace returns when every service of the server has the namespace and its search attributes.
func awaitNamespace(t *testing.T, c client.Client, name string) {
	eventually(t, func(a *assert.CollectT) {
		require.NoError(a, launcher.EnsureSearchAttributes(t.Context(), c, name, workflows.SearchAttributes()))
		_, err := c.DescribeTaskQueue(t.Context(), workflows.QueueCore, enums.TASK_QUEUE_TYPE_WORKFLOW)
		require.NoError(a, err)
		_, err = c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: `Flow="post"`})
		require.NoError(a, err)
	})
}

const (
	longSend  = time.Minute     // POST_SEND_TIMEOUT if X answers
	shortSend = 5 * time.Second // POST_SEND_TIMEOUT if an answer is lost, because the settle time derives from it
)

type world struct {
	db        *store.DB
	x         *xsandbox.Server
	xURL      string
	sends     atomic.Int32 // calls that reached X, which refuses a duplicate text
	silence   sync.RWMutex // while it is locked, X accepts posts and does not answer
	account   *worker.X
	shop      *shop
	mail      *smtpsandbox.Server
	door      *door // listener of the mail server
	temporal  client.Client
	namespace string
	runs      *flows.Client
	flows     worker.Workers // nil while it is stopped
	target    *liveTarget    // nil without one
	site      *liveSite      // nil without one
	newcomer  person
	grace     person
	planted   []string // secrets of this world, in addition to secrets
}

// each runs a test on one of the databases, or on both with PROOF=1. send is POST_SEND_TIMEOUT.
func each(t *testing.T, send time.Duration, run func(t *testing.T, w *world)) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			run(t, newWorld(t, server, kind, send))
		})
	}
}

func newWorld(t *testing.T, server *launcher.Server, kind string, send time.Duration) *world {
	w := &world{db: storetest.New(t, kind)}
	w.startX(t, send)
	w.startMail(t)
	w.startStripe(t)
	w.populate(t)
	w.namespace = newNamespace(t, server)
	w.temporal = dial(t, server, w.namespace, w.delayHeartbeats)
	w.runs = &flows.Client{Temporal: w.temporal, Timing: post.TimingFor(send), ReconcileEvery: time.Hour, Within: patience}
	w.startWorker(t)
	t.Cleanup(func() { w.stopWorker() })
	t.Cleanup(func() { w.keepsSecrets(t) })
	return w
}

func dial(t *testing.T, server *launcher.Server, namespace string, calls ...grpc.UnaryClientInterceptor) client.Client {
	connection := launcher.Connection(server.Address()) // as in the product
	connection.DialOptions = append(connection.DialOptions, grpc.WithChainUnaryInterceptor(append(calls, patiently)...))
	dialled, err := client.DialContext(t.Context(), client.Options{
		HostPort: server.Address(), Namespace: namespace, Identity: "e2e-worker",
		ConnectionOptions: connection,
		Logger:            sdklog.NewStructuredLogger(slog.Default()), Interceptors: telemetry.Flows(),
	})
	require.NoError(t, err)
	t.Cleanup(dialled.Close)
	return dialled
}

// patiently extends the SDK's timeout of 10 s to that of the tests for busy machines. It keeps cancellation and
// shorter timeouts.
func patiently(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if until, bounded := ctx.Deadline(); bounded && time.Until(until) < shortSend+time.Second {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})()
	return invoke(longer, method, req, reply, cc, opts...)
}

func (w *world) startWorker(t *testing.T) {
	founders := account.ParseFounders([]string{founder.Username})
	all := worker.Activities{
		Post:   &activities.Post{Posts: w.db.Posts, Accounts: w.account, Now: time.Now},
		Canary: &activities.Canary{Database: w.db},
		Email:  &activities.Email{Emails: w.db.Emails, Sender: w.postbox(t), Now: time.Now},
		XLogin: &activities.XLogin{Logins: w.db.Accounts, X: w.account, Founders: founders, Callback: callback, Now: time.Now},
		OAuthDiagnosis: &activities.OAuthDiagnosis{
			Runs: w.db.Diagnoses, X: w.account, Callback: callback, Founders: len(founders), Sandbox: true, Now: time.Now,
		},
		Credentials:     &activities.Credentials{Store: w.db.Bot, Diagnoses: w.db.Diagnoses, Audits: w.db.AuditLog, Posts: w.db.Posts, X: w.account, Runs: w.runs, Now: time.Now},
		Checkout:        w.shop.activities(w),
		Generation:      &activities.Generation{Store: w.db.Generations, ModelCalls: w.db.ModelCalls, Now: time.Now},
		RecurringPost:   &activities.RecurringPost{Store: w.db.RecurringPosts, Posts: w.db.Posts, Runs: w.runs, Now: time.Now},
		Experiment:      &activities.Experiment{Store: w.db.Experiments, Now: time.Now},
		AccountDeletion: &activities.AccountDeletion{Store: w.db.Deletions, Posts: w.db.Posts, RecurringPosts: w.db.RecurringPosts, Runs: w.runs, Now: time.Now},
	}
	if w.target != nil {
		w.target.activities(w, &all)
	}
	if w.site != nil {
		w.site.activities(w, &all)
	}
	w.flows = worker.New(w.temporal, all, w.runs.Timing.Close, worker.NewTimings(), worker.Deployment{})
	require.NoError(t, w.flows.Start())
}

func (w *world) stopWorker() {
	if w.flows != nil {
		w.flows.Stop()
		w.flows = nil
	}
}

// write stores a post, as the API does before it starts the run.
func (w *world) write(t *testing.T, p post.Post) post.Post {
	p.ID, p.Status = xid.New().String(), post.StatusScheduled
	written, err := w.db.Posts.CreatePost(t.Context(), p, time.Now())
	require.NoError(t, err)
	return written
}

// schedule stores a post that is due after a duration and starts its run.
func (w *world) schedule(t *testing.T, text string, after time.Duration) post.Post {
	p := w.write(t, post.Post{Text: text, ScheduledAt: time.Now().Add(after)})
	_, err := w.runs.StartPost(t.Context(), p)
	require.NoError(t, err)
	return p
}

func fetch[K, V any](t *testing.T, get func(context.Context, K) (V, error), id K) V {
	found, err := get(t.Context(), id)
	require.NoError(t, err)
	return found
}

// once reads a row by its ID until it meets a condition.
func once[K, V any](t *testing.T, get func(context.Context, K) (V, error), id K, is func(c *assert.CollectT, found V)) (found V) {
	eventually(t, func(c *assert.CollectT) {
		var err error
		found, err = get(t.Context(), id)
		require.NoError(c, err)
		is(c, found)
	})
	return found
}

func resultOf[R any](t *testing.T, w *world, workflowID string) (result R) {
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), &result))
	return result
}

// terminate terminates a workflow's latest run, as a founder can in the console.
func (w *world) terminate(t *testing.T, workflowID string) {
	require.NoError(t, w.temporal.TerminateWorkflow(t.Context(), workflowID, "", "by mistake"))
}
