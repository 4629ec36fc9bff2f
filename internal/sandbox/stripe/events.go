package stripe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"
)

// emit tells a fact, with the object as it is now.
func (t *tx) emit(kind, object string, snapshot wire) {
	id := "evt_" + rand.Text()
	payload, _ := json.Marshal(eventJSON(id, kind, snapshot, t.now)) // nothing that JSON does not know
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

func (c *call) listEvents() (any, *refusal) {
	f := c.fields
	kinds := f.list("types")
	if one := f.values.Get("type"); one != "" {
		kinds = append(kinds, one)
	}
	since := f.integer("created[gte]", 0, 1<<40)
	events := slices.DeleteFunc(c.st.events.all(), func(e Event) bool {
		return e.CreatedAt.Unix() < since || len(kinds) > 0 && !slices.Contains(kinds, e.Type)
	})
	return page(c, events, Event.key, func(e Event) any { return e.Payload })
}

// Forgery is a way to make a webhook that Stripe did not send.
type Forgery string

const (
	WrongSecret     Forgery = "wrong_secret"
	OldTimestamp    Forgery = "old_timestamp"    // signed well, an hour ago
	FutureTimestamp Forgery = "future_timestamp" // signed well, in an hour
	ChangedBody     Forgery = "changed_body"     // another amount than was signed
)

// Forgeries lists every one.
var Forgeries = []Forgery{WrongSecret, OldTimestamp, FutureTimestamp, ChangedBody}

const forgedAge = time.Hour

// Forge sends a webhook which says that the newest session was paid, and gives the status
// that it was answered with.
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
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: secret, Timestamp: at})
	if kind == ChangedBody {
		signed.Payload = bytes.Replace(signed.Payload, []byte(`"amount_total":`), []byte(`"amount_total":1`), 1)
	}
	return s.courier.postSigned(ctx, signed.Payload, signed.Header)
}

// forgedPayload is what a webhook about the newest session would be, had it been paid.
func (s *Server) forgedPayload() (payload []byte, err error) {
	err = s.state.do(func(t *tx) error {
		session := Session{ID: "cs_test_" + rand.Text(), Subtotal: 900, Total: 900, CreatedAt: t.now, ExpiresAt: t.now.Add(leastTime)}
		if sessions := t.st.sessions.all(); len(sessions) > 0 {
			session = sessions[0]
		}
		session.Status = Complete
		id := "evt_" + rand.Text()
		payload, err = json.Marshal(eventJSON(id, "checkout.session.completed", t.sessionJSON(session, nil), t.now))
		return err
	})
	return payload, err
}
