package stripe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"customerzero/internal/sandbox/faults"
)

const (
	senders        = 8  // concurrent webhooks
	webhookTries   = 10 // attempts of one copy; the waits add up to 511 times the base
	webhookTimeout = 10 * time.Second
)

// courier delivers events to the webhook URL at least once and in no particular order.
type courier struct {
	config Config
	faults *faults.Board
	client *http.Client
	report func(Delivery) // called after every attempt

	ctx   context.Context
	stop  context.CancelFunc
	works sync.WaitGroup
	slots chan struct{}

	mu   sync.Mutex
	sent int                   // number of events so far
	held map[int]chan struct{} // reordered events, by number

	progressMu sync.Mutex
	progress   map[string]Delivery // by event
}

func newCourier(config Config, board *faults.Board, report func(Delivery)) *courier {
	c := &courier{
		config: config, faults: board, report: report, slots: make(chan struct{}, senders),
		held: map[int]chan struct{}{}, progress: map[string]Delivery{},
		client: &http.Client{
			Timeout:       webhookTimeout,
			Transport:     &http.Transport{MaxIdleConnsPerHost: senders}, // no proxy: the URL is local
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

func (c *courier) close() {
	c.stop()
	c.works.Wait()
	c.client.CloseIdleConnections()
}

// send starts the delivery of an event and applies faults.
func (c *courier) send(e Event) {
	if c.hits(Lose).Fault == Lose {
		c.works.Go(func() { c.report(Delivery{Event: e.ID, Type: e.Type, Status: Lost}) })
		return
	}
	number, later, most := c.number()
	delay, copies := c.hits(Delay).Delay, 1
	if again := c.hits(Duplicate); again.Fault == Duplicate {
		copies += max(again.Copies, 1)
	}
	for range copies {
		c.works.Go(func() {
			if c.wait(nil, delay) && c.wait(later, most) {
				c.deliver(e, number)
			}
		})
	}
}

// deliver sends one copy until it is accepted or given up.
func (c *courier) deliver(e Event, number int) {
	for try := range webhookTries {
		signed := sign(e.Payload, c.config.WebhookSecret, c.config.Now())
		status, err := c.post(c.ctx, signed.Payload, signed.Header)
		if c.ctx.Err() != nil {
			return
		}
		accepted := err == nil && status/100 == 2
		c.tried(number)
		c.record(e, accepted, try == webhookTries-1)
		if accepted || !c.wait(nil, c.config.RetryBase<<try) {
			return
		}
	}
}

func sign(payload []byte, secret string, at time.Time) *webhook.SignedPayload {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: secret, Timestamp: at})
}

// post sends a payload once and returns the status of the response.
func (c *courier) post(ctx context.Context, payload []byte, signature string) (int, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.WebhookURL, bytes.NewReader(payload))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("Stripe-Signature", signature)
	response, err := c.client.Do(request)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxBody)) // so that the connection is reused
	return response.StatusCode, response.Body.Close()
}

// record counts an attempt and reports it.
func (c *courier) record(e Event, accepted, last bool) {
	c.progressMu.Lock()
	defer c.progressMu.Unlock()
	d, tried := c.progress[e.ID]
	if !tried {
		d = Delivery{Event: e.ID, Type: e.Type, Status: Pending}
	}
	d.Tries++
	switch {
	case accepted:
		d.Status = Delivered
	case last && d.Status == Pending:
		d.Status = GivenUp
	}
	c.progress[e.ID] = d
	c.report(d)
}

// wait waits for happened or at most most, and reports whether the sandbox is still open.
func (c *courier) wait(happened <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-happened:
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return c.ctx.Err() == nil
}

// number assigns the next event's number. A reordered event waits for an attempt of a later one, at most for
// its Delay.
func (c *courier) number() (number int, later chan struct{}, most time.Duration) {
	rule := c.hits(Reorder)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	if rule.Fault == Reorder {
		later = make(chan struct{})
		c.held[c.sent] = later
	}
	return c.sent, later, rule.Delay
}

// tried releases the reordered events before this one.
func (c *courier) tried(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for earlier, waits := range c.held {
		if earlier < number {
			close(waits)
			delete(c.held, earlier)
		}
	}
}

// emit adds an event with the object's current state.
func (t *tx) emit(kind, object string, snapshot wire) {
	id := "evt_" + rand.Text()
	payload, _ := json.Marshal(eventJSON(id, kind, snapshot, t.now)) // encodable types only
	t.change.Events = append(t.change.Events, Event{
		ID: id, Type: kind, Object: object, CreatedAt: t.now, Payload: payload,
	})
}

func eventJSON(id, kind string, snapshot wire, now time.Time) wire {
	return wire{
		"id": id, "object": "event", "api_version": apiVersion, "created": now.Unix(), "data": wire{"object": snapshot},
		"livemode": false, "pending_webhooks": 1, "request": wire{"id": nil, "idempotency_key": nil}, "type": kind,
	}
}

// listEvents lists the events of some types since a time.
func (c *call) listEvents() (any, *refusal) {
	kinds, since := c.fields.list("types"), c.fields.integer("created[gte]", 0, 1<<40)
	return list(c, c.st.events, func(e Event) bool {
		return e.CreatedAt.Unix() >= since && (len(kinds) == 0 || slices.Contains(kinds, e.Type))
	}, func(e Event) any { return e.Payload })
}

// Forgery is a kind of webhook that Stripe did not send.
type Forgery string

const (
	WrongSecret     Forgery = "wrong_secret"
	OldTimestamp    Forgery = "old_timestamp"    // correctly signed, an hour ago
	FutureTimestamp Forgery = "future_timestamp" // correctly signed, in an hour
	ChangedBody     Forgery = "changed_body"     // amount changed after signing
)

// Forgeries lists all kinds.
var Forgeries = []Forgery{WrongSecret, OldTimestamp, FutureTimestamp, ChangedBody}

const forgedAge = time.Hour

// Forge sends a webhook that the newest session was paid, and returns the status of the response.
func (s *Server) Forge(ctx context.Context, kind Forgery) (int, error) {
	payload, err := s.forgedPayload()
	if err != nil {
		return 0, err
	}
	secret, at := s.config.WebhookSecret, s.config.Now()
	switch kind {
	case WrongSecret:
		secret = "whsec_" + rand.Text()
	case OldTimestamp:
		at = at.Add(-forgedAge)
	case FutureTimestamp:
		at = at.Add(forgedAge)
	case ChangedBody:
	default:
		return 0, fmt.Errorf("stripe sandbox: no forgery %q", kind)
	}
	signed := sign(payload, secret, at)
	if kind == ChangedBody {
		signed.Payload = bytes.Replace(signed.Payload, []byte(`"amount_total":`), []byte(`"amount_total":1`), 1)
	}
	return s.courier.post(ctx, signed.Payload, signed.Header)
}

// forgedPayload returns the event of the newest session's payment.
func (s *Server) forgedPayload() (payload []byte, err error) {
	err = s.state.do(func(t *tx) error {
		session := Session{ID: "cs_test_" + rand.Text(), Subtotal: 900, Total: 900, CreatedAt: t.now, ExpiresAt: t.now.Add(leastTime)}
		if sessions := t.st.sessions.all(); len(sessions) > 0 {
			session = sessions[0]
		}
		session.Status = Complete
		id := "evt_" + rand.Text()
		payload, err = json.Marshal(eventJSON(id, "checkout.session.completed", t.sessionJSON(session, false), t.now))
		return err
	})
	return payload, err
}
