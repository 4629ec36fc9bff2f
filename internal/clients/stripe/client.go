package stripe

import (
	"context"
	"net/http"
	"strconv"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/coupon"
	"github.com/stripe/stripe-go/v76/event"
	"github.com/stripe/stripe-go/v76/refund"

	"customerzero/internal/domain/checkout"
)

// metadataCheckout is the name under which what we make at Stripe carries its checkout's ID.
const metadataCheckout = "checkout"

// Client is our account with Stripe. It is safe for concurrent use.
type Client struct {
	config   Config
	coupons  coupon.Client
	sessions session.Client
	refunds  refund.Client
	events   event.Client
}

// New gives a client. It connects when it is first used. Its errors name settings and never
// repeat them: one of them is a key.
func New(config Config) (*Client, error) {
	config, err := config.check()
	if err != nil {
		return nil, err
	}
	// The library would otherwise try again by itself, and write to stderr.
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:               &config.BaseURL,
		HTTPClient:        &http.Client{Timeout: config.Timeout, Transport: newListener()},
		MaxNetworkRetries: stripe.Int64(0),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Client{
		config:   config,
		coupons:  coupon.Client{B: backend, Key: config.SecretKey},
		sessions: session.Client{B: backend, Key: config.SecretKey},
		refunds:  refund.Client{B: backend, Key: config.SecretKey},
		events:   event.Client{B: backend, Key: config.SecretKey},
	}, nil
}

// Live says whether cards are really charged.
func (c *Client) Live() bool { return c.config.live() }

// once makes a call safe to repeat for this attempt at the offer: what answers a key once,
// answers it so for a day, a failure too.
func once(ctx context.Context, offer checkout.Offer, what string) stripe.Params {
	key := "checkout:" + offer.CheckoutID + ":" + what + ":" + strconv.Itoa(offer.Attempt)
	return stripe.Params{Context: ctx, IdempotencyKey: &key}
}
