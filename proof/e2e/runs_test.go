package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
	"customerzero/workflows"
)

const adminKey = "canary-admin-key-0123456789"

func (w *world) serve(t *testing.T) *httptest.Server {
	w.plant(adminKey)
	server := httptest.NewServer((&api.Server{
		Deps: httpapi.Deps{
			Posts: w.db.Posts, Members: w.db.Members, Accounts: w.db.Accounts, Bot: w.db.Bot, Limits: w.db.Limits, Audits: w.db.AuditLog, Marks: w.db.Keys(),
			Runs: w.runs, Founders: account.ParseFounders([]string{founder.Username}), Now: time.Now,
			Site: httpapi.Site{PublicURL: site, Local: true, Sandbox: true},
		},
		AdminKey: adminKey, UI: fstest.MapFS{},
		Health: &api.Health{Database: w.db.Ping, Temporal: w.runs.Ping, Canary: w.runs.RunCanary, Now: time.Now},
	}).Handler())
	t.Cleanup(server.Close)
	return server
}

// A post for now is one tree of spans: the request, below the proxy's span, the run that it starts, its activities,
// and their database statements and calls to X.
func TestPostNowIsOneTrace(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		url := w.serve(t).URL
		id, proxy := newTraceID(), trace.SpanID{1, 2, 3, 4, 5, 6, 7, 8}
		traced.Follow(id)
		sent := w.ask(t, url, traceparent(id, proxy), `{"content":"canary in the text"}`)
		require.Equal(t, id.String(), sent.Header.Get("X-Trace-Id"))
		p := w.onlyPost(t, sent)
		w.ends(t, p, post.StatusPublished)
		// The span of a run is exported when the worker has completed it.
		eventually(t, func(c *assert.CollectT) { require.NotNil(c, named(traced.Of(id), "RunWorkflow:Post")) })

		spans := traced.Of(id)
		isTree(t, spans, proxy)
		w.hops(t, spans, p)
		require.False(t, traced.Holds("canary in the text"), "a post's text is in no span")
	})
}

// A run that another worker continues stays in its trace.
func TestTraceSurvivesItsWorker(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		url := w.serve(t).URL
		id, proxy := newTraceID(), trace.SpanID{8, 7, 6, 5, 4, 3, 2, 1}
		traced.Follow(id)
		soon := time.Now().Add(15 * time.Second).UTC().Format(time.RFC3339Nano)
		p := w.onlyPost(t, w.ask(t, url, traceparent(id, proxy), `{"content":"later","scheduledAt":"`+soon+`"}`))
		eventually(t, func(c *assert.CollectT) { require.NotNil(c, named(traced.Of(id), "RunActivity:BeginPost")) })
		w.stopWorker()
		w.startWorker(t)
		w.ends(t, p, post.StatusPublished)
		eventually(t, func(c *assert.CollectT) { isTree(c, traced.Of(id), proxy) })
		require.True(t, descends(traced.Of(id), []string{"RunWorkflow:Post", "StartActivity:PublishPost", "RunActivity:PublishPost"}))
	})
}

func traceparent(id trace.TraceID, above trace.SpanID) string {
	return "00-" + id.String() + "-" + above.String() + "-00"
}

// ask writes a post with the admin key, and with secrets in the trace headers.
func (w *world) ask(t *testing.T, url, traceparent, body string) *http.Response {
	w.plant("canary-in-the-query", "canary-in-the-tracestate", "canary-in-the-baggage", "canary-in-the-browser")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/posts", strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-Admin-Key": adminKey, "traceparent": traceparent,
		"tracestate": "vendor=canary-in-the-tracestate", "baggage": "who=canary-in-the-baggage", "User-Agent": "canary-in-the-browser",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	return resp
}

func (w *world) onlyPost(t *testing.T, resp *http.Response) (id string) {
	var reply struct {
		Post struct {
			ID string `json:"id"`
		} `json:"post"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&reply))
	require.NotEmpty(t, reply.Post.ID)
	return reply.Post.ID
}

func newTraceID() (id trace.TraceID) {
	_, _ = rand.Read(id[:]) // it never fails
	return id
}

// isTree verifies that the parent of every span but the root is another span.
func isTree(t require.TestingT, spans tracetest.SpanStubs, above trace.SpanID) {
	known := map[trace.SpanID]string{}
	for _, span := range spans {
		require.NotContains(t, known, span.SpanContext.SpanID(), "%s is exported once", span.Name)
		known[span.SpanContext.SpanID()] = span.Name
	}
	roots := 0
	for _, span := range spans {
		parent := span.Parent.SpanID()
		if parent == above {
			roots++
			require.Equal(t, "POST /api/posts", span.Name)
			continue
		}
		require.Contains(t, known, parent, "the parent of %s", span.Name)
	}
	require.Equal(t, 1, roots)
}

// hops verifies the spans of a post and their ancestors.
func (w *world) hops(t *testing.T, spans tracetest.SpanStubs, p string) {
	x, err := url.Parse(w.xURL)
	require.NoError(t, err)
	for _, hop := range [][]string{
		{"POST /api/posts", "transaction", "INSERT posts"},
		{"POST /api/posts", "StartWorkflow:Post", "RunWorkflow:Post", "StartActivity:PublishPost", "RunActivity:PublishPost", "POST " + x.Hostname()},
		{"RunWorkflow:Post", "StartActivity:BeginPost", "RunActivity:BeginPost", "transaction", "SELECT posts"}, // a local one
		{"RunActivity:PublishPost", "transaction", "INSERT post_attempts"},                                      // armed
		{"RunActivity:PublishPost", "transaction", "UPDATE post_attempts"},                                      // and settled
		{"POST /api/posts", "SELECT posts"},
	} {
		require.True(t, descends(spans, hop), "%v in %v", hop, names(spans))
	}
	run := named(spans, "RunWorkflow:Post")
	require.Contains(t, run.Attributes, attribute.String("temporalWorkflowID", workflows.PostID(p)))
	call := named(spans, "POST "+x.Hostname())
	require.Contains(t, call.Attributes, attribute.String("url.full", w.xURL+"/2/tweets"))
	require.Contains(t, call.Attributes, attribute.Int("http.response.status_code", http.StatusCreated))
	require.Contains(t, named(spans, "POST /api/posts").Attributes, attribute.String("http.route", "/api/posts"))
}

// descends reports whether there is a path of spans with these names.
func descends(spans tracetest.SpanStubs, path []string) bool {
	var from func(parent trace.SpanID, rest []string) bool
	from = func(parent trace.SpanID, rest []string) bool {
		for _, span := range spans {
			first := len(rest) == len(path)
			if span.Name != rest[0] || !first && span.Parent.SpanID() != parent {
				continue
			}
			if len(rest) == 1 || from(span.SpanContext.SpanID(), rest[1:]) {
				return true
			}
		}
		return false
	}
	return from(trace.SpanID{}, path)
}

func named(spans tracetest.SpanStubs, name string) *tracetest.SpanStub {
	for i, span := range spans {
		if span.Name == name {
			return &spans[i]
		}
	}
	return nil
}

func names(spans tracetest.SpanStubs) (all []string) {
	for _, span := range spans {
		all = append(all, span.Name)
	}
	return all
}

func TestNewestPublicRunsAreListed(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		first := w.schedule(t, "waits for long", time.Hour)
		done := w.schedule(t, "goes out", 0)
		w.ends(t, done.ID, post.StatusPublished)
		r := w.want(t) // checkouts are not listed
		last := w.schedule(t, "waits, too", time.Hour)

		var newest []run.Brief
		await(t, func() bool {
			var err error
			newest, err = w.runs.NewestRuns(t.Context(), "", 10)
			return err == nil && len(newest) == 3 && newest[1].State == run.Done
		})
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
		found, err := w.runs.Timeline(t.Context(), workflows.CheckoutID(r.ID), "")
		require.NoError(t, err)
		require.Equal(t, r.ID, found.Subject, "its ID is enough to read it")
	})
}

func TestUnknownRunsAreNotFound(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.schedule(t, "one run", time.Hour)
		for _, id := range [][2]string{
			{"post:none", ""}, {workflows.PostID(p.ID), "01a1fb8c-1851-770a-9223-8a882ed47dd1"}, {workflows.PostID(p.ID), "no run"}, {"", ""},
		} {
			_, err := w.runs.Timeline(t.Context(), id[0], id[1])
			require.Equal(t, problem.NotFound, problem.CodeOf(err), "%v: %v", id, err)
		}
	})
}
