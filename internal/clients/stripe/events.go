package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
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

// read gives an event of Stripe's as ours. Of kinds that we do not know it tells no more than
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
