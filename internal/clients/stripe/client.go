// Package stripe is the product's client of Stripe, and the one door to it: coupons, payment
// pages, refunds, and what webhooks tell.
//
// Nothing here tries again, follows a redirect, or decides what becomes of a checkout. Every
// error of a call is a *checkout.PaymentError; none of them holds a key, an address, or a body
// as it came. All money is US cents.
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

// New returns a client. It connects when it is first used. Its errors name settings and never
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

// Live reports whether cards are really charged.
func (c *Client) Live() bool { return c.config.live() }

// once makes a call safe to repeat for this attempt at the offer: what answers a key once,
// answers it so for a day, a failure too.
func once(ctx context.Context, offer checkout.Offer, what string) stripe.Params {
	key := "checkout:" + offer.CheckoutID + ":" + what + ":" + strconv.Itoa(offer.Attempt)
	return stripe.Params{Context: ctx, IdempotencyKey: &key}
}

const (
	stripeURL    = "https://api.stripe.com"
	stripePages  = "checkout.stripe.com"
	usualTimeout = 15 * time.Second
)

// Config describes where Stripe is and who calls.
type Config struct {
	SecretKey string        // sk_test_…, sk_live_…, or a restricted key, rk_…
	BaseURL   string        // left out, Stripe's own
	PayHosts  []string      // hosts, with a port or for any port, that a payment page may have; left out, Stripe's own
	Product   string        // what is bought, as the payment page calls it
	Timeout   time.Duration // of one call; 15 s when left out
}

var secretKey = regexp.MustCompile(`^[sr]k_(test|live)_[!-~]+$`)

// check fills in what was left out. Its errors name settings and never repeat them.
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

// live reports whether cards are really charged.
func (c Config) live() bool {
	return strings.HasPrefix(c.SecretKey, "sk_live_") || strings.HasPrefix(c.SecretKey, "rk_live_")
}
