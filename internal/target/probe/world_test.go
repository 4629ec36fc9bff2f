package probe_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/probe"
)

const key = "the-key"

var picture = []byte("\x89PNG\r\n\x1a\n and the rest of it")

// world is a chaos target and its supervisor, two servers with replaceable responses.
type world struct {
	*probe.Prober
	mu       sync.Mutex
	pages    map[string]http.HandlerFunc
	orders   map[string]http.HandlerFunc
	received []string // of the supervisor: method, path and body

	supervisorURL string
	checksHanging int           // number of a probe's checks that are not answered
	hung          chan struct{} // receives for each unanswered request
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{hung: make(chan struct{}, 100)}
	w.pages = map[string]http.HandlerFunc{
		"/": says(`<html data-target="home">`), "/posts": says(`<html data-target="posts">`), "/og-image.png": says(string(picture)),
		"/api/bot-status": says(`{"monthlyLimit":500,"status":"active"}`),
		"/heartbeat": func(out http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(out).Encode(target.Heartbeat{At: time.Now(), Rounds: 1})
		},
	}
	w.orders = map[string]http.HandlerFunc{
		target.PathInspect:  answers(target.Inspection{Process: target.Process{ID: 42}}),
		target.PathManifest: answers(manifestOf(picture)),
	}
	pages := httptest.NewServer(w.serve(&w.pages, func(*http.Request) bool { return true }))
	supervisor := httptest.NewServer(w.serve(&w.orders, w.authorized))
	t.Cleanup(pages.Close)
	t.Cleanup(supervisor.Close)
	w.supervisorURL = supervisor.URL
	w.Prober = probe.New(pages.URL+"/", supervisor.URL, key)
	return w
}

func (w *world) serve(answers *map[string]http.HandlerFunc, admit func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		answer := (*answers)[r.URL.Path]
		w.mu.Unlock()
		switch {
		case !r.Close:
			out.WriteHeader(http.StatusTeapot) // connections must not be reused
		case !admit(r):
			out.WriteHeader(http.StatusUnauthorized)
		case answer == nil:
			out.WriteHeader(http.StatusNotFound)
		default:
			answer(out, r)
		}
	})
}

func (w *world) authorized(r *http.Request) bool {
	return r.Header.Get("Authorization") == "Bearer "+key
}

func (w *world) page(path string, answer http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = answer
}

func (w *world) supervisor(path string, answer http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders[path] = answer
}

func says(text string) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write([]byte(text)) }
}

func answers(body any) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(out).Encode(body) }
}

func status(code int) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(code) }
}

// hangs does not respond until the caller disconnects.
func (w *world) hangs(_ http.ResponseWriter, r *http.Request) {
	w.hung <- struct{}{}
	<-r.Context().Done()
}

func manifestOf(picture []byte) target.Signed {
	sum := sha256.Sum256(picture)
	return target.Signed{Files: []target.File{{Name: target.FileHome, SHA256: "x"}, {Name: target.FileOGImage, SHA256: hex.EncodeToString(sum[:])}}}
}

func (w *world) fails(t *testing.T, some ...target.Check) target.Sample {
	t.Helper()
	w.EndLast(w.checksHanging, w.hung)
	began := time.Now()
	sample := w.Probe(t.Context())
	require.Equal(t, target.Failed(some...).Checks(), sample.Failing.Checks())
	require.False(t, sample.At.Before(began) || sample.At.After(time.Now()), "%s", sample.At)
	require.LessOrEqual(t, sample.Took, time.Since(began))
	return sample
}
