// Package stripe is the product's only client of Stripe: coupons, payment pages, refunds, disputes, and webhook
// events.
//
// Nothing here retries, follows a redirect, or decides what happens to a checkout. Every error of a call is a
// *checkout.PaymentError, and none contains a key, an address, or a raw response. All amounts are US cents.
package stripe

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/coupon"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/event"
	"github.com/stripe/stripe-go/v76/refund"

	"customerzero/internal/domain/checkout"
)

// metadataCheckout is the metadata field with the checkout's ID.
const metadataCheckout = "checkout"

// Client calls Stripe with our account. It is safe for concurrent use.
type Client struct {
	config   Config
	coupons  coupon.Client
	sessions session.Client
	refunds  refund.Client
	disputes dispute.Client
	events   event.Client
}

// New returns a client that connects on first use. Its errors name settings and never repeat their values.
func New(config Config) (*Client, error) {
	config, err := config.check()
	if err != nil {
		return nil, err
	}
	// By default, the library retries and writes to stderr.
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:               &config.BaseURL,
		HTTPClient:        &http.Client{Timeout: config.Timeout, Transport: newResponseFilter()},
		MaxNetworkRetries: stripe.Int64(0),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Client{
		config:   config,
		coupons:  coupon.Client{B: backend, Key: config.SecretKey},
		sessions: session.Client{B: backend, Key: config.SecretKey},
		refunds:  refund.Client{B: backend, Key: config.SecretKey},
		disputes: dispute.Client{B: backend, Key: config.SecretKey},
		events:   event.Client{B: backend, Key: config.SecretKey},
	}, nil
}

// Live reports whether cards are really charged.
func (c *Client) Live() bool { return c.config.live() }

// once adds the idempotency key of this attempt at the offer. Stripe repeats its first response to a key for
// a day, even if it was an error.
func once(ctx context.Context, offer checkout.Offer, operation string) stripe.Params {
	key := "checkout:" + offer.CheckoutID + ":" + operation + ":" + strconv.Itoa(offer.Attempt)
	return stripe.Params{Context: ctx, IdempotencyKey: &key}
}

const (
	stripeURL    = "https://api.stripe.com"
	stripePages  = "checkout.stripe.com"
	usualTimeout = 15 * time.Second
)

// Config locates Stripe and identifies our account.
type Config struct {
	SecretKey string        // sk_test_…, sk_live_…, rk_test_… or rk_live_…
	BaseURL   string        // empty: Stripe's own
	PayHosts  []string      // allowed hosts of payment pages, with a port or for every port; empty: Stripe's own
	Product   string        // name of the product on the payment page
	Timeout   time.Duration // for one call; 0: 15 s
}

var secretKey = regexp.MustCompile(`^[sr]k_(test|live)_[!-~]+$`)

// check validates the settings and fills in defaults.
func (c Config) check() (Config, error) {
	c.BaseURL = cmp.Or(strings.TrimRight(c.BaseURL, "/"), stripeURL)
	c.Timeout = cmp.Or(c.Timeout, usualTimeout)
	if len(c.PayHosts) == 0 {
		c.PayHosts = []string{stripePages}
	}
	base, err := url.Parse(c.BaseURL)
	switch {
	case c.SecretKey == "":
		return c, errors.New("payment: STRIPE_SECRET_KEY is not set")
	case !secretKey.MatchString(c.SecretKey):
		return c, errors.New("payment: STRIPE_SECRET_KEY is not a secret key of Stripe's, sk_test_…, sk_live_…, rk_test_… or rk_live_…")
	case err != nil || base.Hostname() == "" || base.User != nil || base.Scheme != "https" && base.Scheme != "http":
		return c, errors.New("payment: STRIPE_BASE_URL is not an http or https URL with a host")
	case c.live() && c.BaseURL != stripeURL:
		return c, errors.New("payment: STRIPE_SECRET_KEY is a live key, and STRIPE_BASE_URL is not " + stripeURL)
	case c.Product == "":
		return c, errors.New("payment: the product has no name")
	}
	return c, nil
}

func (c Config) live() bool {
	return strings.HasPrefix(c.SecretKey, "sk_live_") || strings.HasPrefix(c.SecretKey, "rk_live_")
}
