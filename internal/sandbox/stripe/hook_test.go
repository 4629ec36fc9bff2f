package stripe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"customerzero/internal/platform/testwait"
)

// hook is a shop that takes webhooks, as Stripe's own library checks them.
type hook struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	failures int // that many more are answered 500
	received []stripego.Event
	refused  int
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{t: t}
	server := httptest.NewServer(http.HandlerFunc(h.take))
	t.Cleanup(server.Close)
	h.url = server.URL + "/webhooks/stripe"
	return h
}

func (h *hook) take(w http.ResponseWriter, r *http.Request) {
	payload, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	event, err := webhook.ConstructEvent(payload, r.Header.Get("Stripe-Signature"), testSecret)
	switch {
	case err != nil:
		h.refused++
		w.WriteHeader(http.StatusBadRequest)
	case h.failures > 0:
		h.failures--
		h.refused++
		w.WriteHeader(http.StatusInternalServerError)
	default:
		h.received = append(h.received, event)
	}
}

func (h *hook) fail(times int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures = times
}

// events gives what was accepted, in the order in which it came.
func (h *hook) events() []stripego.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]stripego.Event{}, h.received...)
}

func (h *hook) refusals() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused
}

// await gives the events once so many were accepted.
func (h *hook) await(count int) []stripego.Event {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return len(h.events()) >= count }, testwait.Limit, time.Millisecond)
	return h.events()
}
