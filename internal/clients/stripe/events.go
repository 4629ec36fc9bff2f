package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/problem"
)

const longestPage = 100 // events, as Stripe gives them out

// matter are the events that a checkout goes by. It closes its pages itself, so it need not
// be told of those that expired.
var matter = []string{
	string(stripe.EventTypeCheckoutSessionCompleted),
	string(stripe.EventTypeCheckoutSessionAsyncPaymentSucceeded),
	string(stripe.EventTypeChargeRefunded),
}

// Events lists what happened since then and matters, for when webhooks were lost: as many as
// asked for, oldest first. When there are more, the last one says from where to go on.
func (c *Client) Events(ctx context.Context, since time.Time, most int) ([]checkout.Event, error) {
	if most <= 0 {
		return nil, nil
	}
	list := c.events.List(&stripe.EventListParams{
		ListParams:   stripe.ListParams{Context: ctx, Limit: stripe.Int64(longestPage)},
		CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		Types:        stripe.StringSlice(matter),
	})
	var newest []checkout.Event // first, as Stripe lists them: the oldest come at the end
	for list.Next() {
		event, err := read(list.Event())
		if err != nil {
			return nil, unclear()
		}
		newest = append(newest, event)
	}
	if err := list.Err(); err != nil {
		return nil, failure(err)
	}
	slices.Reverse(newest)
	return newest[:min(most, len(newest))], nil
}

// subject is what an event is about, as far as we look: a payment page, or a charge.
type subject struct {
	ID                string                `json:"id"`
	ClientReferenceID string                `json:"client_reference_id"`
	Metadata          map[string]string     `json:"metadata"`
	PaymentIntent     *stripe.PaymentIntent `json:"payment_intent"`
}

// read returns an event of Stripe's as ours. Of kinds that we do not know it tells no more than
// that it happened. It reads little on purpose: a webhook may speak another version of the API.
func read(happened *stripe.Event) (checkout.Event, error) {
	if happened == nil || happened.ID == "" || happened.Type == "" || happened.Data == nil {
		return checkout.Event{}, errors.New("not an event")
	}
	event := checkout.Event{
		ID: happened.ID, Type: string(happened.Type), Live: happened.Livemode, CreatedAt: moment(happened.Created),
	}
	page, charge := strings.HasPrefix(event.Type, "checkout.session."), strings.HasPrefix(event.Type, "charge.")
	if !page && !charge {
		return event, nil
	}
	var about subject
	if json.Unmarshal(happened.Data.Raw, &about) != nil || about.ID == "" {
		return checkout.Event{}, errors.New("an event about nothing")
	}
	if page {
		event.SessionID, event.CheckoutID = about.ID, cmp.Or(about.Metadata[metadataCheckout], about.ClientReferenceID)
	} else if about.PaymentIntent != nil {
		event.PaymentIntent = about.PaymentIntent.ID
	}
	return event, nil
}

// tolerance is how far Stripe's clock and ours may be apart, and how long a signed webhook
// may take to get here. Whoever finds one later cannot use it again.
const tolerance = 300 * time.Second

// The two ways in which a webhook is none.
var (
	// ErrForged: nothing shows that Stripe sent this, or that it did just now.
	ErrForged = problem.New(problem.Unauthorized, "The signature is missing, wrong, or not of this moment.")
	// ErrUnreadable: Stripe sent this, and it is no event.
	ErrUnreadable = problem.New(problem.Invalid, "This is signed, but it is no event.")
)

// ReadEvent reads a webhook's body as it came, byte for byte. The signature is its header
// Stripe-Signature; any of the secrets may have made it, so that they can be changed one by one.
func ReadEvent(payload []byte, signature string, secrets []string, now time.Time) (checkout.Event, error) {
	if at := signedAt(signature); at.Before(now.Add(-tolerance)) || at.After(now.Add(tolerance)) {
		return checkout.Event{}, ErrForged
	}
	if !slices.ContainsFunc(secrets, func(secret string) bool {
		return secret != "" && webhook.ValidatePayloadIgnoringTolerance(payload, signature, secret) == nil // without one, anybody could have signed
	}) {
		return checkout.Event{}, ErrForged
	}
	var happened stripe.Event
	if json.Unmarshal(payload, &happened) != nil {
		return checkout.Event{}, ErrUnreadable
	}
	event, err := read(&happened)
	if err != nil {
		return checkout.Event{}, ErrUnreadable
	}
	return event, nil
}

// signedAt reads the time in "t=1700000000,v1=5257…,v1=6ffb…": the last one, which is the one that the
// library checks the signatures with. Its own limit takes the machine's clock for now, and lets the
// future pass. A header without a time is very old.
func signedAt(header string) time.Time {
	i := strings.LastIndex(","+header, ",t=")
	if i < 0 {
		return time.Time{}
	}
	value, _, _ := strings.Cut(header[i+len("t="):], ",")
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
