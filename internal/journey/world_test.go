package journey_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/internal/embedded"
	"customerzero/internal/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/social"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

const (
	patient   = 5 * time.Second        // for X to answer, where nothing is to go wrong
	impatient = 300 * time.Millisecond // where X is to be found silent
)

// world is the whole product around one database, but for HTTP.
type world struct {
	books    *store.Store
	x        *xsandbox.Server
	sends    atomic.Int32 // posts that reached X; it would hide a second one, as it refuses the same text
	account  *social.Client
	temporal client.Client
	runs     *workflows.Client
	flows    sdkworker.Worker // nil while it is stopped
}

// each tells a journey on both databases. send is how long X may take to answer.
func each(t *testing.T, send time.Duration, journey func(t *testing.T, w *world)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			journey(t, newWorld(t, server, kind, send))
		})
	}
}

// newWorld lets the worker work, as up does.
func newWorld(t *testing.T, server *embedded.Server, kind string, send time.Duration) *world {
	t.Helper()
	w := &world{books: storetest.Open(t, testdb.Address(t, kind))}
	w.startX(t, send)
	w.temporal = dial(t, server, newNamespace(t, server))
	w.runs = &workflows.Client{Temporal: w.temporal, Timing: post.TimingFor(send)}
	w.startWorker(t)
	t.Cleanup(func() { w.stopWorker() })
	t.Cleanup(func() { w.keepsSecrets(t) })
	return w
}

func (w *world) startX(t *testing.T, send time.Duration) {
	t.Helper()
	var err error
	w.x, err = xsandbox.New(xsandbox.Config{
		ConsumerKey: consumerKey, ConsumerSecret: consumerSecret, AccessToken: accessToken, AccessSecret: accessSecret,
		UserID: "4242", Username: "customerzerobot", Log: slog.Default(),
	})
	require.NoError(t, err)
	listener := httptest.NewServer(w.counting(w.x.Handler()))
	t.Cleanup(func() {
		require.NoError(t, w.x.Close())
		listener.Close()
	})
	w.account = social.New(social.Config{
		BaseURL: listener.URL, ConsumerKey: consumerKey, ConsumerSecret: consumerSecret,
		AccessToken: accessToken, AccessSecret: accessSecret, Timeout: send,
	})
}

func (w *world) counting(x http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/2/tweets" {
			w.sends.Add(1)
		}
		x.ServeHTTP(answer, r)
	})
}

func dial(t *testing.T, server *embedded.Server, namespace string) client.Client {
	t.Helper()
	dialled, err := client.DialContext(t.Context(), client.Options{
		HostPort: server.Address(), Namespace: namespace, Identity: "journey",
		Logger: sdklog.NewStructuredLogger(slog.Default()),
	})
	require.NoError(t, err)
	t.Cleanup(dialled.Close)
	return dialled
}

func (w *world) startWorker(t *testing.T) {
	t.Helper()
	w.flows = worker.New(w.temporal, worker.Activities{
		Post:       &activities.Post{Posts: w.books, Account: w.account, Now: time.Now},
		Engagement: &activities.Engagement{Readings: w.books, Account: w.account, Now: time.Now},
		Canary:     &activities.Canary{Database: w.books},
	}, w.runs.Timing.Close)
	require.NoError(t, w.flows.Start())
}

func (w *world) stopWorker() {
	if w.flows != nil {
		w.flows.Stop()
		w.flows = nil
	}
}

// write writes a post down, as the API does before it starts the run.
func (w *world) write(t *testing.T, p post.Post) post.Post {
	t.Helper()
	p.ID, p.Status = xid.New().String(), post.StatusScheduled
	written, err := w.books.CreatePost(t.Context(), p, time.Now())
	require.NoError(t, err)
	return written
}

// schedule writes a post for a while from now, and starts its run.
func (w *world) schedule(t *testing.T, text string, after time.Duration) post.Post {
	t.Helper()
	p := w.write(t, post.Post{Text: text, ScheduledAt: time.Now().Add(after)})
	_, err := w.runs.StartPost(t.Context(), p)
	require.NoError(t, err)
	return p
}

// misbehave makes X misbehave, or behave again.
func (w *world) misbehave(t *testing.T, rules ...xsandbox.Rule) {
	t.Helper()
	require.NoError(t, w.x.SetFaults(xsandbox.Faults{Rules: rules}))
}
