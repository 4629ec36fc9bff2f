package stripe

import (
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// Config says which account the sandbox plays.
type Config struct {
	Key           string // the API key that clients send
	WebhookSecret string
	WebhookURL    string // none: webhooks wait for SendTo
	PagesURL      string // of the sandbox's pages, as browsers reach them: http://127.0.0.1:8080/sandbox/stripe
	Product       string // who sells, as the payment page says it
	File          string // where everything is kept; none: in memory

	LeastTime time.Duration // that a session lasts; half an hour when left out, as at Stripe
	RetryBase time.Duration // how long the first retry of a webhook waits; 1 s when left out
	Now       func() time.Time
	Log       *slog.Logger
}

const (
	apiVersion = "2023-10-16"
	root       = "/sandbox/stripe"
	maxBody    = 64 << 10 // of a request, in bytes

	usualRetryBase = time.Second
)

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	if c.Product == "" {
		c.Product = "This shop"
	}
	if c.LeastTime <= 0 {
		c.LeastTime = leastTime
	}
	if c.RetryBase <= 0 {
		c.RetryBase = usualRetryBase
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.PagesURL = strings.TrimSuffix(c.PagesURL, "/")
	return c
}

// check names settings only, never their values: some of them are secrets.
func (c Config) check() error {
	if c.Key == "" || c.WebhookSecret == "" {
		return errors.New("stripe sandbox: the key and the webhook secret are required")
	}
	if strings.Contains(c.Key, "_live_") {
		return errors.New("stripe sandbox: the key is a live one, which has no place here")
	}
	if !isWeb(c.PagesURL) {
		return errors.New("stripe sandbox: the pages' URL is an http or https URL")
	}
	if c.WebhookURL != "" && !isWeb(c.WebhookURL) {
		return errors.New("stripe sandbox: the webhook's URL is an http or https URL")
	}
	return nil
}

func isWeb(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
