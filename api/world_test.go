package api_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

const (
	key           = "the-admin-key"
	requestSecret = "the-secret-of-a-request-token" // from X
	verifier      = "the-verifier-of-a-login"       // from X
)

var now = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// world is a server with a real store and a fake Temporal.
type world struct {
	db      *store.DB
	runs    *runs
	server  *api.Server
	handler http.Handler
	now     time.Time

	pictures *blob.Store

	file     string // database address
	answers  recording
	canaries canarySet
}

// newWorld returns a world on SQLite and makes the test parallel.
func newWorld(t *testing.T) *world {
	if _, already := parallel.LoadOrStore(t, true); !already {
		t.Parallel()
	}
	return newWorldOn(t, "sqlite")
}

// newWorldOn returns a world on a kind of database.
func newWorldOn(t *testing.T, kind string) *world {
	address := storetest.Address(t, kind)
	w := &world{db: storetest.Open(t, address), runs: &runs{}, now: now, file: strings.TrimPrefix(address, "sqlite:")}
	w.checksSecrets(t)
	w.pictures = must(blob.Open(t.TempDir()))(t)
	w.runs.connection = storetest.Connection(t, w.db)
	w.runs.db, w.runs.user = w.db, account.XUser{ID: "1", Handle: "Grace"}
	ok := func(context.Context) error { return nil }
	w.server = &api.Server{
		Deps: httpapi.Deps{
			Posts: w.db.Posts, Members: w.db.Members, ClientErrors: w.db.ClientErrors, Runs: w.runs,
			Accounts: w.db.Accounts, Diagnoses: w.db.Diagnoses, Bot: w.db.Bot, Emails: w.db.Emails, Audits: w.db.AuditLog,
			PostingTimes: w.db.PostingTimes, RecurringPosts: w.db.RecurringPosts,
			Chaos: w.db.Chaos, Faults: someFaults, TargetURL: "http://target.example",
			Limits: w.db.Limits, Visitors: w.db.Visitors, ModelCalls: w.db.ModelCalls, Checkouts: w.db.Checkouts, Treasury: w.db.Treasury, Webhooks: wired{},
			Verifications: w.db.Verifications, Pictures: w.pictures, Sites: someSites, VerifyEvery: 15 * time.Minute,
			Experiments: w.db.Experiments, Deletions: w.db.Deletions,
			Generations: w.db.Generations, Writers: []string{"openai:gpt-5", "ollama:llama3.2", "openai:gpt-4o-mini", "template-1"},
			Pricing: httpapi.PricingConfig{Sandbox: true, Demo: true, Model: "builtin", FloorCents: 600, BudgetCents: 5000},
			Marks:   w.db.Keys(), Founders: account.ParseFounders([]string{"@grace", "barbara"}),
			Consent:  func(token string) string { return "https://x.example/oauth/authorize?oauth_token=" + token },
			Settings: []httpapi.Setting{{Name: "SMTP_URL"}},
			Now:      func() time.Time { return w.now }, TweetWait: 200 * time.Millisecond,
			Site: httpapi.Site{Username: "bot", TemporalURL: "http://console", Namespace: "default", PublicURL: "http://example.com", Local: true, Sandbox: false},
		},
		AdminKey: key,
		UI: fstest.MapFS{
			"landing.html":  {Data: []byte(`<title>front door</title><meta property="og:image" content="__PUBLIC_URL__/og-image.png">`)},
			"index.html":    {Data: []byte(`<title>pages</title><meta property="og:url" content="__PUBLIC_URL____PAGE_PATH__"><meta property="og:image" content="__PUBLIC_URL__/og-image.png">`)},
			"assets/app.js": {Data: []byte("1")}, "color-scheme.js": {Data: []byte("__PUBLIC_URL__")},
		},
		Health: &api.Health{Database: ok, Temporal: ok, Canary: ok, Now: time.Now},
	}
	w.registerMetrics()
	w.handler = handlerOf(w.server)
	return w
}

// handlerOf builds the handler on first use, because that is slow and many tests change the server first.
func handlerOf(s *api.Server) http.Handler {
	handler := sync.OnceValue(s.Handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

type call struct {
	method, path, body, contentType, key, host string

	from   string // network address; empty means the default one
	header map[string]string
}

// do sends a request, with the admin key unless key is "none".
func (w *world) do(t *testing.T, c call) *httptest.ResponseRecorder {
	return w.answer(t, w.request(t, c))
}

func (w *world) request(t *testing.T, c call) *http.Request {
	req := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
	if c.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.contentType != "" {
		req.Header.Set("Content-Type", c.contentType)
	}
	if c.key != "none" {
		req.Header.Set("X-Admin-Key", key)
	}
	if c.host != "" {
		req.Host = c.host
	}
	if httpapi.IsLoopback(c.host) { // from this machine
		req.RemoteAddr = "127.0.0.1:1234"
	}
	if c.from != "" {
		req.RemoteAddr = c.from + ":1234"
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	return req
}

// answer serves a request, records the reply and checks it for addresses of others.
func (w *world) answer(t *testing.T, req *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, req)
	w.answers.keep(req, rec)
	w.checkAddresses(t, req, rec)
	return rec
}

// problemOf decodes a problem and checks its shape.
func problemOf(t *testing.T, rec *httptest.ResponseRecorder) httpapi.Problem {
	require.Equal(t, "application/json", strings.Split(rec.Header().Get("Content-Type"), ";")[0], rec.Body.String())
	var raw map[string]any
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &raw), rec.Body.String())
	require.Equal(t, false, raw["success"])
	for _, field := range []string{"error", "code", "request_id", "details"} {
		require.Contains(t, raw, field)
	}
	require.NotEmpty(t, raw["request_id"])
	require.Equal(t, rec.Header().Get("X-Request-Id"), raw["request_id"])
	var p httpapi.Problem
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &p))
	require.Contains(t, statusesOf(p.Code), rec.Code, p.Code)
	return p
}

// statusesOf returns the statuses of a code. Huma answers some errors with another status than the table.
func statusesOf(code problem.Code) []int {
	further := map[problem.Code][]int{
		problem.Invalid:  {http.StatusBadRequest, http.StatusNotAcceptable},
		problem.NotFound: {http.StatusMethodNotAllowed},
	}
	return append(further[code], httpapi.StatusOf(code))
}

// refused decodes a problem and checks its code.
func refused(t *testing.T, rec *httptest.ResponseRecorder, code problem.Code, about ...any) httpapi.Problem {
	p := problemOf(t, rec)
	require.Equal(t, code, p.Code, about...)
	return p
}

func read[T any](t *testing.T, rec *httptest.ResponseRecorder, status int) T {
	require.Equal(t, status, rec.Code, rec.Body.String())
	var out T
	decoder := json.NewDecoder(rec.Body)
	require.NoError(t, decoder.Decode(&out))
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF)
	return out
}

// open opens the database without the store.
func (w *world) open(t *testing.T) *sql.DB {
	driver, source := "sqlite", "file:"+(&url.URL{Path: w.file}).EscapedPath()+"?_pragma=busy_timeout(10000)"
	if strings.HasPrefix(w.file, "postgres://") {
		driver, source = "pgx", w.file
	}
	db := must(sql.Open(driver, source))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows dumps all tables as text, to detect changes.
func (w *world) rows(t *testing.T) string {
	db := w.open(t)
	var tables []string
	each(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", func(row []any) {
		tables = append(tables, fmt.Sprint(row[0]))
	})
	var lines []string
	for _, table := range tables {
		each(t, db, `SELECT * FROM "`+table+`"`, func(row []any) {
			if line := fmt.Sprintln(append([]any{table}, row...)...); !strings.HasPrefix(line, "rate_windows "+account.WrongKeys.Name) { // wrong keys are counted
				lines = append(lines, line)
			}
		})
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func (w *world) count(t *testing.T, query string) int {
	var n int
	require.NoError(t, w.open(t).QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func each(t *testing.T, db *sql.DB, query string, visit func(row []any)) {
	found, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	columns := must(found.Columns())(t)
	for found.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, found.Scan(into...))
		visit(row)
	}
	require.NoError(t, found.Err())
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		require.NoError(t, err)
		return value
	}
}

// parallel holds the tests that are parallel already.
var parallel sync.Map

// send sends a request with the admin key.
func (w *world) send(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	return w.answer(t, w.request(t, call{method: method, path: path, body: body}))
}

// visits sends a GET request as a visitor, with headers by name and value.
func (w *world) visits(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	c := call{method: http.MethodGet, path: path, key: "none", header: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		c.header[headers[i]] = headers[i+1]
	}
	return w.do(t, c)
}

func asJSON(t *testing.T, value any) string {
	return string(must(json.Marshal(value))(t))
}

func (w *world) exec(t *testing.T, query string, args ...any) {
	done := must(w.open(t).ExecContext(t.Context(), query, args...))(t)
	require.NotZero(t, must(done.RowsAffected())(t), query)
}

func (w *world) atOnce(t *testing.T, n int, request func(i int) *http.Request) []*httptest.ResponseRecorder {
	recs := make([]*httptest.ResponseRecorder, n)
	var all sync.WaitGroup
	for i := range recs {
		req := request(i)
		all.Go(func() { recs[i] = w.answer(t, req) })
	}
	all.Wait()
	return recs
}

// counted counts the replies by status.
func counted(recs []*httptest.ResponseRecorder) map[int]int {
	statuses := map[int]int{}
	for _, rec := range recs {
		statuses[rec.Code]++
	}
	return statuses
}
