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

// delivery returns the newest event's delivery once it is not pending.
func (w *world) delivery() Delivery {
	w.t.Helper()
	var last Delivery
	require.Eventually(w.t, func() bool {
		deliveries := w.sandbox.Deliveries()
		if len(deliveries) == 0 {
			return false
		}
		last = deliveries[len(deliveries)-1]
		return last.Status != Pending
	}, testwait.Limit, time.Millisecond)
	return last
}

func TestAWebhookTellsTheFactUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook.fail(3)
	w.coupon("all", 100)
	session := w.session("all")
	w.pay(session.ID, goodCard, buyer)
	event := w.hook.await(1)[0]
	require.Equal(t, w.sandbox.Events()[0].ID, event.ID)
	require.Equal(t, "checkout.session.completed", string(event.Type))
	require.Equal(t, "2023-10-16", event.APIVersion)
	require.False(t, event.Livemode)
	for field, want := range map[string]any{
		"id": session.ID, "status": "complete", "payment_status": "no_payment_required", "amount_total": 0.0, "client_reference_id": "chk_1",
	} {
		require.Equal(t, want, event.Data.Object[field], field)
	}
	d := w.delivery()
	require.Equal(t, []any{Delivered, 4, 3}, []any{d.Status, d.Tries, w.hook.refusals()})
}

func TestAWebhookIsGivenUpAfterTheLastTry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.RetryBase = time.Microsecond })
	w.hook.fail(1000)
	w.expired()
	d := w.delivery()
	require.Equal(t, GivenUp, d.Status)
	require.Equal(t, webhookTries, d.Tries)
	require.Greater(t, usualRetryBase<<(webhookTries-1), 5*time.Minute, "by default retries last minutes")
}

// Proves: F14
func TestDuplicatesAllArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnWebhook, Fault: Duplicate, Copies: 19, Times: 1})
	w.expired()
	events := w.hook.await(20)
	for _, e := range events {
		require.Equal(t, events[0].ID, e.ID)
	}
	require.Eventually(t, func() bool { return w.delivery().Tries == 20 }, testwait.Limit, time.Millisecond)
	w.expired()
	require.NotEqual(t, events[0].ID, w.hook.await(21)[20].ID, "the fault hits one event")
}

// Proves: F15
func TestALateEventComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnWebhook, Fault: Reorder, Times: 1, Delay: time.Hour})
	session := w.session("")
	w.pay(session.ID, badCard, buyer)
	_, err := w.api.CheckoutSessions.Expire(session.ID, nil)
	require.NoError(t, err)
	events := w.hook.await(2)
	require.Equal(t, "checkout.session.expired", string(events[0].Type))
	require.Equal(t, "payment_intent.payment_failed", string(events[1].Type))
	require.Equal(t, "requires_payment_method", events[1].Data.Object["status"], "the state at the time of the event")
}

func TestALostEventIsOnlyInTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnWebhook, Fault: Lose, Times: 1})
	w.expired()
	require.Equal(t, Lost, w.delivery().Status)
	w.expired()
	require.Equal(t, w.sandbox.Events()[1].ID, w.hook.await(1)[0].ID)
	listed := w.api.Events.List(nil)
	require.True(t, listed.Next())
	require.True(t, listed.Next())
	require.NoError(t, listed.Err())
}

func TestADelayedEventIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnWebhook, Fault: Delay, Times: 1, Delay: 200 * time.Millisecond})
	began := time.Now()
	w.expired()
	w.expired()
	events := w.hook.await(2)
	require.Equal(t, w.sandbox.Events()[0].ID, events[1].ID)
	require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
}

func TestWebhooksOutliveTheProcess(t *testing.T) {
	t.Parallel()
	there := onFile(t)
	first := newWorld(t, there, func(c *Config) { c.RetryBase = time.Hour })
	first.hook.fail(1)
	first.expired()
	require.Eventually(t, func() bool { return first.sandbox.Deliveries()[0].Tries == 1 }, testwait.Limit, time.Millisecond)
	delivered := newWorld(t, there)
	require.Equal(t, first.sandbox.Events()[0].ID, delivered.hook.await(1)[0].ID)
	require.Equal(t, Delivered, delivered.delivery().Status)
	again := newWorld(t, there)
	again.expired()
	require.Equal(t, again.sandbox.Events()[1].ID, again.hook.await(1)[0].ID, "the first one is not resent")
}

// Proves: F16
func TestForgeriesAreSent(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Forgery]int{
		WrongSecret: http.StatusBadRequest, OldTimestamp: http.StatusBadRequest, ChangedBody: http.StatusBadRequest,
		FutureTimestamp: http.StatusOK, // Stripe's library accepts it
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			session := w.session("")
			status, err := w.sandbox.Forge(t.Context(), kind)
			require.NoError(t, err)
			require.Equal(t, want, status)
			require.Empty(t, w.sandbox.Events())
			if want == http.StatusOK {
				require.Equal(t, session.ID, w.hook.events()[0].Data.Object["id"])
				require.Equal(t, "paid", w.hook.events()[0].Data.Object["payment_status"])
			}
		})
	}
	w := newWorld(t)
	_, err := w.sandbox.Forge(t.Context(), "other")
	require.Error(t, err)
}

// hook is a webhook endpoint that verifies events with Stripe's library.
type hook struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	failures int // number of events to refuse with 500
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

// events returns the accepted events in order.
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

// await returns the events once count were accepted.
func (h *hook) await(count int) []stripego.Event {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return len(h.events()) >= count }, testwait.Limit, time.Millisecond)
	return h.events()
}
