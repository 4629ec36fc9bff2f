package cli

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/activities"
	"customerzero/internal/clients/llm"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/generation"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

// product is the name on the payment page.
const product = "Founding membership of Customer Zero"

func newCheckout(cfg config.Config, c client.Client, db *store.DB, models *llm.Models) (*activities.Checkout, error) {
	payments, err := newPayments(cfg, cfg.StripeSecretKey)
	if err != nil {
		return nil, err
	}
	checkouts := &activities.Checkout{
		Store: db.Checkouts, Limits: db.Limits, ModelCalls: db.ModelCalls, Payments: payments, DemoPayments: payments, Runs: newRuns(cfg, c), Site: publicURL(cfg),
		Budget: checkout.Budget{FloorCents: cfg.PriceFloorCents, MonthCents: cfg.DiscountBudgetCents}, Now: time.Now,
	}
	if pricingModel(cfg) != "" {
		checkouts.Models = models
	}
	if key := demoKey(cfg); key != cfg.StripeSecretKey {
		if checkouts.DemoPayments, err = newPayments(cfg, key); err != nil {
			return nil, err
		}
	}
	return checkouts, nil
}

func newPayments(cfg config.Config, key string) (*stripe.Client, error) {
	return stripe.New(stripe.Config{
		SecretKey: key, BaseURL: cfg.StripeBaseURL, PayHosts: cfg.StripePayHosts, Product: product, Timeout: stripeTimeout,
	})
}

// stripeTimeout is shorter than the timeout of the activity that makes the call.
const stripeTimeout = 6 * time.Second

// demoKey returns the key of the pricing demo, which must be a test key.
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

// writers lists the models and templates that write texts. Invalid settings give an empty list here; the
// worker, which needs the models, returns the error.
func writers(cfg config.Config) []string {
	models, err := newModels(cfg)
	if err != nil {
		return nil
	}
	names := models.Names()
	if len(names) == 0 || slices.Contains(cfg.LLMModels, llm.Builtin) {
		names = append(names, generation.Templates()...)
	}
	return names
}

// pricingModel returns the model that proposes prices, or an empty string if fixed rules decide.
func pricingModel(cfg config.Config) string {
	if len(cfg.LLMModels) == 0 {
		return ""
	}
	name := strings.TrimSpace(cfg.LLMModels[0])
	if name == llm.Builtin {
		return ""
	}
	return name
}

type webhooks struct{ secrets []string }

func (w webhooks) ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error) {
	return stripe.ReadEvent(payload, signature, w.secrets, at)
}

// stripePages returns the URL of the Stripe sandbox, or an empty string.
func stripePages(cfg config.Config) string {
	if cfg.StripeSecretKey != stripeSandboxKey {
		return ""
	}
	return cfg.StripeBaseURL
}

// The sandbox's keys are not secrets: it listens on loopback and charges no card.
const (
	stripeSandboxKey    = "sk_test_sandbox0key000000000000000000"
	stripeSandboxSecret = "whsec_sandbox0secret0000000000000000000"
)

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

// webhookURL returns the URL to which the sandbox sends its webhooks.
func webhookURL(cfg config.Config) string {
	return cmp.Or(cfg.StripeSandboxHook, fromHere(cfg.Addr)+"/webhooks/stripe")
}
