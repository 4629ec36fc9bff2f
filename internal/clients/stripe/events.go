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

const longestPage = 100 // events, the most that Stripe returns

// relevantTypes are the events that a checkout depends on. Expired pages are not among them, because the
// checkout closes its pages itself.
var relevantTypes = []string{
	string(stripe.EventTypeCheckoutSessionCompleted),
	string(stripe.EventTypeCheckoutSessionAsyncPaymentSucceeded),
	string(stripe.EventTypeChargeRefunded),
	string(stripe.EventTypeChargeRefundUpdated),
	"refund.created", "refund.updated", "refund.failed", // newer than the library
	string(stripe.EventTypeChargeDisputeCreated),
	string(stripe.EventTypeChargeDisputeUpdated),
	string(stripe.EventTypeChargeDisputeClosed),
	string(stripe.EventTypeChargeDisputeFundsWithdrawn),
	string(stripe.EventTypeChargeDisputeFundsReinstated),
}

// Events returns the relevant events since a time, for when webhooks were lost: at most most of them, oldest
// first. To continue, call it with the time of the last one.
func (c *Client) Events(ctx context.Context, since time.Time, most int) ([]checkout.Event, error) {
	if most <= 0 {
		return nil, nil
	}
	list := c.events.List(&stripe.EventListParams{
		ListParams:   stripe.ListParams{Context: ctx, Limit: stripe.Int64(longestPage)},
		CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		Types:        stripe.StringSlice(relevantTypes),
	})
	var newestFirst []checkout.Event
	for list.Next() {
		event, err := read(list.Event())
		if err != nil {
			return nil, unclear()
		}
		newestFirst = append(newestFirst, event)
	}
	if err := list.Err(); err != nil {
		return nil, failure(err)
	}
	slices.Reverse(newestFirst)
	return newestFirst[:min(most, len(newestFirst))], nil
}

// subject holds the fields that we read of an event's object: a payment page, a charge, a refund or a dispute.
type subject struct {
	ID                string                `json:"id"`
	ClientReferenceID string                `json:"client_reference_id"`
	Metadata          map[string]string     `json:"metadata"`
	PaymentIntent     *stripe.PaymentIntent `json:"payment_intent"`
}

// read converts an event. Of unknown types it only keeps the type. It reads few fields, because a webhook may
// use another API version.
func read(raw *stripe.Event) (checkout.Event, error) {
	if raw == nil || raw.ID == "" || raw.Type == "" || raw.Data == nil {
		return checkout.Event{}, errors.New("not an event")
	}
	event := checkout.Event{
		ID: raw.ID, Type: string(raw.Type), Live: raw.Livemode, CreatedAt: moment(raw.Created),
	}
	page := strings.HasPrefix(event.Type, "checkout.session.")
	if !page && !strings.HasPrefix(event.Type, "charge.") && !strings.HasPrefix(event.Type, "refund.") {
		return event, nil
	}
	var about subject
	if json.Unmarshal(raw.Data.Raw, &about) != nil || about.ID == "" {
		return checkout.Event{}, errors.New("an event without an object")
	}
	if page {
		event.SessionID, event.CheckoutID = about.ID, cmp.Or(about.Metadata[metadataCheckout], about.ClientReferenceID)
	} else if about.PaymentIntent != nil {
		event.PaymentIntent = about.PaymentIntent.ID
	}
	return event, nil
}

// tolerance is the largest accepted difference between a webhook's signed time and ours. It prevents replays.
const tolerance = 300 * time.Second

// The errors of ReadEvent.
var (
	// ErrForged means that the signature does not prove that Stripe sent this just now.
	ErrForged = problem.New(problem.Unauthorized, "The signature is missing, invalid, or expired.")
	// ErrUnreadable means that the payload is signed but is not an event.
	ErrUnreadable = problem.New(problem.Invalid, "The payload is signed but is not an event.")
)

// ReadEvent verifies and reads a webhook. payload is the unchanged body and signature the header
// Stripe-Signature; any of the secrets may have signed it, so that secrets can be rotated.
func ReadEvent(payload []byte, signature string, secrets []string, now time.Time) (checkout.Event, error) {
	if at := signedAt(signature); at.Before(now.Add(-tolerance)) || at.After(now.Add(tolerance)) {
		return checkout.Event{}, ErrForged
	}
	if !slices.ContainsFunc(secrets, func(secret string) bool {
		return secret != "" && webhook.ValidatePayloadIgnoringTolerance(payload, signature, secret) == nil // anyone can sign with an empty secret
	}) {
		return checkout.Event{}, ErrForged
	}
	var raw stripe.Event
	if json.Unmarshal(payload, &raw) != nil {
		return checkout.Event{}, ErrUnreadable
	}
	event, err := read(&raw)
	if err != nil {
		return checkout.Event{}, ErrUnreadable
	}
	return event, nil
}

// signedAt returns the time in "t=1700000000,v1=5257…,v1=6ffb…", or the zero time. With several times it
// returns the last one, which the library verifies. The library's own limit uses the machine's clock and
// accepts future times.
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
