package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/run"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store/testdb"
	"customerzero/proof/contract"
)

// roundsSetting is the environment variable with the number of requests per operation and caller.
const roundsSetting = "FUZZ_ROUNDS"

// contractOf reads the public contract once.
var contractOf = sync.OnceValues(func() (*contract.Contract, error) {
	rec := httptest.NewRecorder()
	(&api.Server{}).Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	return contract.Read(rec.Body.Bytes())
})

// words are meaningful values, at least one for each format.
var words = []string{
	"ada", "@Grace", "nobody", "001", "tour", "partnership", "posts.xml", "chaos.json", "score.svg", "status.svg", "credentials", "openai:gpt-5", "quota",
	"09:30", "23:59", "2026-11", "2026-12", "2026-11-20", "2026-12-01", "2024-02-29", "2026-12-01T09:00:00Z", "2026-11-20T12:00:00+01:00", "2027-03-28T02:30",
	"UTC", "Europe/Berlin", "Local", "http://example.com/", "https://docs.example.com/a", "/", "members", "crash-api", "dashboard", "number {number}", "hello there",
	"123456", "new@example.org", "1", "0", "true", "planning", "active", "testing", "post:nobody", "draft,published", "a-b",
}

// fuzzer sends requests generated from the contract.
type fuzzer struct {
	cast  cast
	maker contract.Maker
}

func newFuzzer(t *testing.T, numbers *rand.Rand) *fuzzer {
	spec := must(contractOf())(t)
	return &fuzzer{maker: contract.Maker{Chance: numbers, Contract: spec, Words: words}}
}

var fuzzCallers = []string{"visitor", "member", "founder", "admin key"}

// TestEveryOperationKeepsToItsContract sends valid and invalid requests to each operation as each caller. FUZZ_ROUNDS
// sets the number of requests.
// Proves: F29 in turn: sqlite postgres
func TestEveryOperationKeepsToItsContract(t *testing.T) {
	t.Parallel()
	rounds := 3
	if set := os.Getenv(roundsSetting); set != "" {
		var err error
		rounds, err = strconv.Atoi(set)
		require.NoError(t, err, roundsSetting)
	}
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, caller := range fuzzCallers {
				t.Run(caller, func(t *testing.T) {
					t.Parallel()
					f := newFuzzer(t, testseed.New(t))
					f.cast.kind = kind
					breaches := f.sendAll(t, caller, rounds)
					require.Empty(t, breaches, strings.Join(breaches, "\n\n"))
				})
			}
		})
	}
}

// sendAll returns the first breach of each operation.
func (f *fuzzer) sendAll(t *testing.T, caller string, rounds int) (breaches []string) {
	for _, op := range f.maker.Contract.Operations {
		for range rounds {
			if breach := f.send(t, op, caller); breach != "" {
				breaches = append(breaches, breach)
				break
			}
		}
		if op.Method != http.MethodGet && !f.loggedIn(t, caller) {
			f.cast.world = nil
		}
	}
	return breaches
}

// loggedIn reports whether the caller's session is still valid.
func (f *fuzzer) loggedIn(t *testing.T, caller string) bool {
	token := callers(f.cast.people, expected{})[caller].token
	if token == "" {
		return true
	}
	return must(f.cast.world.db.Accounts.Login(t.Context(), token, now))(t) != nil
}

// send sends a generated request and describes how the reply breaks the contract, or returns "".
func (f *fuzzer) send(t *testing.T, op *contract.Operation, caller string) string {
	w := f.cast.on(t)
	w.runs.history = run.Timeline{WorkflowID: "post:" + f.cast.ids.post, RunID: "run", Flow: "post", State: run.Running, StartedAt: now}
	sent := f.maker.Request(op, f.example(op.Method+" "+op.Path))
	req := f.request(t, sent, caller)
	rec := w.answersInTime(t, req, func() string { return described(sent, caller) })
	if err := f.breach(op, sent, rec); err != nil {
		return fmt.Sprintf("%s\n%s\n%d %s", clip(err.Error()), described(sent, caller), rec.Code, clip(rec.Body.String()))
	}
	return ""
}

func (f *fuzzer) breach(op *contract.Operation, sent contract.Request, rec *httptest.ResponseRecorder) error {
	if rec.Code >= http.StatusInternalServerError {
		return errors.New("internal error")
	}
	if sent.Astray {
		return nil
	}
	got := contract.Answer{Status: rec.Code, Header: rec.Header(), Body: rec.Body.Bytes()}
	if err := f.maker.Contract.Breach(op, sent, got); err != nil || rec.Code < http.StatusBadRequest {
		return err
	}
	var p httpapi.Problem
	if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
		return err
	}
	if !slices.Contains(statusesOf(p.Code), rec.Code) {
		return fmt.Errorf("a problem with the code %s has another status", p.Code)
	}
	return nil
}

// example returns a valid request in the current world.
func (f *fuzzer) example(route string) contract.Example {
	known := f.cast.world.callTo(route, answers[route].body, f.cast.ids, "", "", "none")
	path, query, _ := strings.Cut(known.path, "?")
	like := contract.Example{Path: map[string]string{}, Body: known.body, ContentType: known.contentType}
	like.Query, _ = url.ParseQuery(query)
	_, form, _ := strings.Cut(route, " ")
	values := strings.Split(path, "/")
	for i, part := range strings.Split(form, "/") {
		if name, found := strings.CutPrefix(part, "{"); found {
			like.Path[strings.TrimSuffix(name, "}")] = values[i]
		}
	}
	return like
}

// request adds the caller and a random network address, so that rate limits do not refuse most requests.
func (f *fuzzer) request(t *testing.T, sent contract.Request, caller string) *http.Request {
	req := httptest.NewRequestWithContext(t.Context(), sent.Method, sent.Target, strings.NewReader(string(sent.Body)))
	req.Host = "localhost"
	req.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1234", f.maker.Chance.IntN(200), f.maker.Chance.IntN(200))
	for name, values := range sent.Header {
		req.Header[name] = values
	}
	who := callers(f.cast.people, expected{})[caller]
	if who.token != "" {
		req.Header.Add("Cookie", "session="+who.token)
	}
	if caller == "admin key" {
		req.Header.Add("X-Admin-Key", key)
	}
	return req
}

// answersInTime serves a request within a time limit.
func (w *world) answersInTime(t *testing.T, req *http.Request, described func() string) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(req.Context(), testwait.Limit)
	defer cancel()
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, req.WithContext(ctx))
		done <- rec
	}()
	select {
	case rec := <-done:
		require.NoError(t, ctx.Err(), "it took too long: %s", described())
		w.answers.keep(req, rec)
		w.checkAddresses(t, req, rec)
		return rec
	case <-time.After(testwait.Limit + 5*time.Second):
		require.Fail(t, "it hangs", described())
		return nil
	}
}

// described formats a request without the caller's secrets.
func described(sent contract.Request, caller string) string {
	return fmt.Sprintf("%s %s by the %s\n%v\n%s", sent.Method, clip(sent.Target), caller, sent.Header, clip(string(sent.Body)))
}

func clip(text string) string {
	const most = 700
	if len(text) > most {
		return text[:most] + fmt.Sprintf("… (%d bytes)", len(text))
	}
	return text
}
