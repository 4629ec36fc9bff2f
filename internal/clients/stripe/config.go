package stripe

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	stripeURL    = "https://api.stripe.com"
	stripePages  = "checkout.stripe.com"
	usualTimeout = 15 * time.Second
)

// Config says where Stripe is and who calls.
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
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.BaseURL == "" {
		c.BaseURL = stripeURL
	}
	if len(c.PayHosts) == 0 {
		c.PayHosts = []string{stripePages}
	}
	if c.Timeout <= 0 {
		c.Timeout = usualTimeout
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

// live says whether cards are really charged.
func (c Config) live() bool {
	return strings.HasPrefix(c.SecretKey, "sk_live_") || strings.HasPrefix(c.SecretKey, "rk_live_")
}
