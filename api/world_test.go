package api_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/domain/run"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

const (
	key           = "the-founders-key"
	requestSecret = "the-secret-of-a-request-token" // X's
	verifier      = "the-verifier-of-somebody"      // X's
)

var now = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// runs is a Temporal that only notes what it is told. With publish, a started post goes out.
type runs struct {
	mu      sync.Mutex
	orders  []string
	publish *store.DB
	refuse  bool
	down    bool
	err     error

	db         *store.DB
	connection string
	asked      account.Outcome // how X answers at once; empty: with a token
	finished   account.Outcome // how it ends; empty: as the user
	user       account.XUser
	refusal    string // why tokens are refused, in a word
	joined     bool   // a refund's run was under way, and only looks

	history run.Timeline // of every run
	newest  []run.Brief

	texts map[string]generation.End // what models answer; one that is not there goes on writing

	look    func(verificationID string) // ends a verification while somebody waits for it; nil: it goes on
	patient time.Duration               // how long that somebody would wait
}

func (r *runs) note(order string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.orders = append(r.orders, order)
	return r.err
}

func (r *runs) StartPost(ctx context.Context, p post.Post) (string, error) {
	if r.down {
		return "", errors.New("dial tcp 10.0.0.3: connection refused")
	}
	if r.publish != nil {
		_, err := r.publish.Posts.ArmPost(ctx, p.ID, 1, r.connection, now)
		if err == nil {
			v := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: p.ID, URL: "https://x.com/bot/status/" + p.ID, At: now}
			if r.refuse {
				v = post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refuses this post."}
			}
			_, err = r.publish.Posts.ConcludePost(ctx, p.ID, v, now)
		}
		return "run-" + p.ID, err
	}
	return "run-" + p.ID, r.note("start " + p.ID)
}

func (r *runs) EditPost(_ context.Context, p post.Post, o workflows.EditOrder) error {
	return r.note("edit " + p.ID + " " + o.Text)
}

func (r *runs) ReschedulePost(_ context.Context, p post.Post, o workflows.RescheduleOrder) error {
	return r.note("reschedule " + p.ID + " " + o.ScheduledAt.Format(time.RFC3339))
}
func (r *runs) CancelPost(_ context.Context, p post.Post) error { return r.note("cancel " + p.ID) }
func (r *runs) RetryPost(_ context.Context, p post.Post) error  { return r.note("retry " + p.ID) }

func (r *runs) WakePost(_ context.Context, p post.Post) error { return r.note("wake " + p.ID) }

func (r *runs) KeepSeries(_ context.Context, kept recurring.Series) error {
	return r.note("keep " + kept.ID + " " + string(kept.State))
}

func (r *runs) SendLetter(_ context.Context, id string) error { return r.note("letter " + id) }

// BeginXLogin does what X would: it hands out a token, or says how the login ends.
func (r *runs) BeginXLogin(ctx context.Context, id string) error {
	if r.down {
		return errors.New("dial tcp 10.0.0.3: connection refused")
	}
	if r.asked != "" {
		_, err := r.db.Accounts.EndXLogin(ctx, id, r.asked, "http_503", nil)
		return err
	}
	_, err := r.db.Accounts.SendXLoginAway(ctx, id, account.RequestToken{Token: "token-" + id, Secret: requestSecret}, "run-"+id)
	return err
}

// FinishXLogin says that it was the person whom the test names.
func (r *runs) FinishXLogin(ctx context.Context, id string) error {
	if r.finished != "" {
		_, err := r.db.Accounts.EndXLogin(ctx, id, r.finished, "http_401", nil)
		return err
	}
	a, err := r.db.Accounts.XAccount(ctx, r.user.ID, r.user.Handle, now)
	if err == nil {
		_, err = r.db.Accounts.EndXLogin(ctx, id, account.LoggedIn, "", &a.ID)
	}
	return err
}

// Diagnose finds that everything is well.
func (r *runs) Diagnose(ctx context.Context, id string) (string, error) {
	for _, step := range []diagnostic.Step{
		diagnostic.StepEnvironment, diagnostic.StepSignature, diagnostic.StepRequestToken, diagnostic.StepAccount,
	} {
		found := diagnostic.Found{Finding: diagnostic.Finding{Step: step, OK: true, Code: "ok"}, Raw: "raw answer"}
		if err := r.db.Diagnoses.SaveFinding(ctx, id, found, now); err != nil {
			return "", err
		}
	}
	return "run-" + id, r.note("diagnose " + id)
}

// TryConnection believes the tokens unless the test says otherwise.
func (r *runs) TryConnection(ctx context.Context, id string) error {
	if r.err != nil {
		_, err := r.db.Bot.RefuseConnection(ctx, id, cmp.Or(r.refusal, "x_bad_token"), "X does not accept the bot's keys.", "run", now)
		return err
	}
	_, err := r.db.Bot.Connect(ctx, id, "77", "bot", "run", now)
	return err
}

func (r *runs) ReplaceKeys(ctx context.Context, id string) error {
	if r.err != nil {
		_, err := r.db.Bot.RefuseKeys(ctx, id, "keys_refused", "X refused the keys.", "run")
		return err
	}
	_, err := r.db.Bot.ReplaceKeys(ctx, id, "run", now)
	return err
}

// world is a server with real books and a Temporal of our own.
type world struct {
	db      *store.DB
	runs    *runs
	server  *api.Server
	handler http.Handler
	now     time.Time

	pictures *blob.Store

	file     string // the database's
	answers  tape
	canaries cage
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, "sqlite")
}

// newWorldOn is a world whose books are in a database of this kind.
func newWorldOn(t *testing.T, kind string) *world {
	t.Helper()
	address := storetest.Address(t, kind)
	w := &world{db: storetest.Open(t, address), runs: &runs{}, now: now, file: strings.TrimPrefix(address, "sqlite:")}
	w.keepsItsSecrets(t)
	w.opensPictures(t)
	w.runs.connection = storetest.Connection(t, w.db)
	w.runs.db, w.runs.user = w.db, account.XUser{ID: "1", Handle: "Grace"}
	ok := func(context.Context) error { return nil }
	w.server = &api.Server{
		Posts: w.db.Posts, Members: w.db.Members, Reports: w.db.ClientErrors, Runs: w.runs, AdminKey: key,
		Accounts: w.db.Accounts, Logins: w.db.Accounts, Diagnoses: w.db.Diagnoses, Bot: w.db.Bot, Letters: w.db.Emails, Audits: w.db.AuditLog, Onboardings: w.db.Members,
		Timetables: w.db.PostingTimes, Series: w.db.RecurringPosts,
		Chaos: w.db.Chaos, Faults: someFaults, CellURL: "http://cell.example",
		Limits: w.db.Limits, Visitors: w.db.Visitors, Calls: w.db.ModelCalls, Checkouts: w.db.Checkouts, Treasury: w.db.Treasury, Webhooks: signed{},
		Verifications: w.db.Verifications, Pictures: w.pictures, Sites: someSites, VerifyEvery: 15 * time.Minute,
		Experiments: w.db.Experiments, Departures: w.db.Deletions,
		Generations: w.db.Generations, Writers: []string{"builtin-1", "builtin-brief-1", "openai:gpt-4o-mini"},
		Till:  api.Till{Sandbox: true, Demo: true, Model: "builtin", FloorCents: 600, BudgetCents: 5000},
		Marks: w.db.Keys(), Founders: account.ParseFounders([]string{"@grace", "barbara"}),
		Consent:  func(token string) string { return "https://x.example/oauth/authorize?oauth_token=" + token },
		Settings: []api.Setting{{Name: "SMTP_URL"}},
		Now:      func() time.Time { return w.now }, TweetWait: 200 * time.Millisecond,
		UI: fstest.MapFS{
			"landing.html":  {Data: []byte(`<title>front door</title><meta property="og:image" content="__PUBLIC_URL__/og-image.png">`)},
			"index.html":    {Data: []byte(`<title>pages</title><meta property="og:image" content="__PUBLIC_URL__/og-image.png">`)},
			"assets/app.js": {Data: []byte("1")}, "color-scheme.js": {Data: []byte("__PUBLIC_URL__")},
		},
		Health: &api.Health{Database: ok, Temporal: ok, Canary: ok, Now: time.Now},
		Site:   httpapi.Site{Username: "bot", TemporalURL: "http://console", Namespace: "default", PublicURL: "http://example.com", Local: true, Sandbox: false},
	}
	w.isScraped()
	w.handler = handlerOf(w.server)
	return w
}

// handlerOf makes the server's handler when it is first needed: making one takes longer than most
// calls, and many tests change the server first.
func handlerOf(s *api.Server) http.Handler {
	handler := sync.OnceValue(s.Handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

type call struct {
	method, path, body, contentType, key, host string

	from   string // the network address; empty: the one that everybody has
	header map[string]string
}

// do sends a call, as founders unless it says otherwise.
func (w *world) do(t *testing.T, c call) *httptest.ResponseRecorder {
	t.Helper()
	return w.answer(t, w.request(t, c))
}

func (w *world) request(t *testing.T, c call) *http.Request {
	t.Helper()
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
	if c.from != "" {
		req.RemoteAddr = c.from + ":1234"
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	return req
}

// answer serves a request, and keeps what was answered.
func (w *world) answer(t *testing.T, req *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, req)
	w.answers.keep(req, rec)
	w.keepsAddresses(t, req, rec)
	return rec
}

// problemOf reads the one error shape, and checks that it is whole.
func problemOf(t *testing.T, rec *httptest.ResponseRecorder) httpapi.Problem {
	t.Helper()
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
	return p
}

func read[T any](t *testing.T, rec *httptest.ResponseRecorder, status int) T {
	t.Helper()
	require.Equal(t, status, rec.Code, rec.Body.String())
	var out T
	decoder := json.NewDecoder(rec.Body)
	require.NoError(t, decoder.Decode(&out))
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF)
	return out
}

// untouched says that nothing was written.
func (w *world) untouched(t *testing.T) {
	t.Helper()
	_, total, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	require.Zero(t, total)
	usage, err := w.db.Posts.MonthUsage(t.Context(), post.MonthOf(now))
	require.NoError(t, err)
	require.Zero(t, usage.Reserved+usage.Spent)
	require.Empty(t, w.runs.orders)
}
