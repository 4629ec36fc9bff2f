package stripe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"
)

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
