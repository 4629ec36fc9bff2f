package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const stripeURL = "https://api.stripe.com"

// StripeSandbox says whether Stripe is the stand-in, or something else that is not Stripe.
func (c *Config) StripeSandbox() bool { return c.StripeBaseURL != stripeURL }

// checkPayments refuses settings with which somebody could be charged by mistake, or pay
// without anybody believing it.
func (c *Config) checkPayments() error {
	switch {
	case !isStripeKey(c.StripeSecretKey):
		return fmt.Errorf("STRIPE_SECRET_KEY is not a secret key of Stripe's: sk_test_…, sk_live_…, rk_test_… or rk_live_…")
	case !isStripeKey(c.StripeDemoKey):
		return fmt.Errorf("STRIPE_DEMO_KEY is not a test key of Stripe's: sk_test_… or rk_test_…")
	case isLive(c.StripeSecretKey) && c.StripeBaseURL != stripeURL:
		return fmt.Errorf("STRIPE_SECRET_KEY is a live key, and STRIPE_BASE_URL is not %s: real keys are not sent anywhere else", stripeURL)
	case isLive(c.StripeDemoKey):
		return fmt.Errorf("STRIPE_DEMO_KEY is a live key: the demo never charges a card, so it takes a test key only")
	case c.StripeBaseURL != "" && c.StripeSecretKey == "":
		return fmt.Errorf("STRIPE_BASE_URL is set, and STRIPE_SECRET_KEY is not; set both, or neither for the sandbox")
	case c.StripeSecretKey != "" && len(c.StripeWebhookSecret) == 0:
		return fmt.Errorf("STRIPE_SECRET_KEY is set, and STRIPE_WEBHOOK_SECRET is not: nothing that Stripe tells us could be believed")
	case c.PriceFloorCents < 50 || c.PriceFloorCents > 900:
		return fmt.Errorf("PRICE_FLOOR_CENTS is not between 50, the least that can be charged, and 900, the list price")
	case c.DiscountBudgetCents < 0:
		return fmt.Errorf("DISCOUNT_BUDGET_CENTS is negative")
	case c.OfferLife < 31*time.Minute && !c.StripeSandbox():
		return fmt.Errorf("OFFER_LIFE is less than 31m, and Stripe takes no less than half an hour; shorter ones are for the sandbox")
	case c.OfferLife < time.Second || c.OfferLife > 23*time.Hour:
		return fmt.Errorf("OFFER_LIFE is not between 1s and 23h")
	case c.ReconcileEvery < time.Second || c.ReconcileEvery > 24*time.Hour:
		return fmt.Errorf("RECONCILE_EVERY is not between 1s and 24h")
	}
	_, err := c.ModelPrices()
	return err
}

var stripeKey = regexp.MustCompile(`^([sr]k_(test|live)_[!-~]+)?$`)

// isStripeKey takes what is left out for a key, too.
func isStripeKey(key string) bool { return stripeKey.MatchString(key) }

func isLive(key string) bool {
	return strings.HasPrefix(key, "sk_live_") || strings.HasPrefix(key, "rk_live_")
}

// ModelPrices are US cents per million tokens, in and out, by model.
func (c *Config) ModelPrices() (map[string][2]int, error) {
	prices := map[string][2]int{}
	for _, entry := range c.LLMPrices {
		name, price, found := cutLast(entry, "=")
		in, out, both := strings.Cut(price, "/")
		inCents, errIn := strconv.Atoi(in)
		outCents, errOut := strconv.Atoi(out)
		if !found || !both || errIn != nil || errOut != nil || inCents < 0 || outCents < 0 {
			return nil, fmt.Errorf("LLM_PRICES holds something that is not like openai:gpt-4o-mini=15/60")
		}
		prices[strings.TrimSpace(name)] = [2]int{inCents, outCents}
	}
	return prices, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
