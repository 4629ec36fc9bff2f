package cli

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/activities"
	"customerzero/internal/clients/llm"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

// product is what a payment page says is bought.
const product = "Founding membership of Customer Zero"

// newCheckout is what takes payments.
func newCheckout(cfg config.Config, c client.Client, db *store.DB, models *llm.Models) (*activities.Checkout, error) {
	payments, err := newPayments(cfg, cfg.StripeSecretKey)
	if err != nil {
		return nil, err
	}
	till := &activities.Checkout{
		Store: db.Checkouts, Limits: db.Limits, ModelCalls: db.ModelCalls, Payments: payments, DemoPayments: payments, Models: models, Runs: newRuns(cfg, c), Site: publicURL(cfg),
		Budget: checkout.Budget{FloorCents: cfg.PriceFloorCents, MonthCents: cfg.DiscountBudgetCents}, Now: time.Now,
	}
	if key := demoKey(cfg); key != cfg.StripeSecretKey {
		if till.DemoPayments, err = newPayments(cfg, key); err != nil {
			return nil, err
		}
	}
	return till, nil
}

func newPayments(cfg config.Config, key string) (*stripe.Client, error) {
	return stripe.New(stripe.Config{
		SecretKey: key, BaseURL: cfg.StripeBaseURL, PayHosts: cfg.StripePayHosts, Product: product, Timeout: stripeTimeout,
	})
}

// stripeTimeout is shorter than the activity around a call.
const stripeTimeout = 6 * time.Second

// demoKey is the key that the demo pays with: in test mode, always.
func demoKey(cfg config.Config) string {
	return cmp.Or(cfg.StripeDemoKey, cfg.StripeSecretKey)
}

func isTest(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}

func newModels(cfg config.Config) (*llm.Models, error) {
	known, err := cfg.ModelPrices()
	if err != nil {
		return nil, err
	}
	prices := map[string]llm.Price{}
	for name, cents := range known {
		prices[name] = llm.Price{InCents: cents[0], OutCents: cents[1]}
	}
	return llm.New(llm.Config{
		Models: cfg.LLMModels, OpenAIBaseURL: cfg.OpenAIBaseURL, OpenAIKey: cfg.OpenAIKey, OllamaHost: cfg.OllamaHost, Prices: prices,
	})
}

// writers names the models that write texts. Settings that no model can be made of name none:
// the worker, which needs the models themselves, says what is wrong with them.
func writers(cfg config.Config) []string {
	models, err := newModels(cfg)
	if err != nil {
		return nil
	}
	return models.Writers()
}

// usualModel is the one that proposes prices.
func usualModel(cfg config.Config) string {
	if len(cfg.LLMModels) == 0 {
		return "builtin"
	}
	return strings.TrimSpace(cfg.LLMModels[0])
}

// webhooks reads what Stripe sends us.
type webhooks struct{ secrets []string }

func (w webhooks) ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error) {
	return stripe.ReadEvent(payload, signature, w.secrets, at)
}

// stripePages is where the Stripe sandbox shows its pages; empty without one.
func stripePages(cfg config.Config) string {
	if cfg.StripeSecretKey != stripeSandboxKey {
		return ""
	}
	return cfg.StripeBaseURL
}

// The sandbox's keys are no secrets: it listens on loopback, and charges no card.
const (
	stripeSandboxKey    = "sk_test_sandbox0key000000000000000000"
	stripeSandboxSecret = "whsec_sandbox0secret0000000000000000000"
)

// withStripeSandbox points the settings at the Stripe sandbox.
func withStripeSandbox(cfg config.Config, baseURL string) config.Config {
	cfg.StripeBaseURL, cfg.StripeSecretKey = baseURL, stripeSandboxKey
	cfg.StripeWebhookSecret = []string{stripeSandboxSecret}
	cfg.StripePayHosts = nil
	for _, page := range []string{publicURL(cfg), baseURL} {
		if u, err := url.Parse(page); err == nil {
			cfg.StripePayHosts = append(cfg.StripePayHosts, u.Host)
		}
	}
	return cfg
}

// webhookURL is where the sandbox tells what happened: at this machine, unless told otherwise.
func webhookURL(cfg config.Config) string {
	return cmp.Or(cfg.StripeSandboxHook, fromHere(cfg.Addr)+"/webhooks/stripe")
}
