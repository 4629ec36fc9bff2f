package stripe

import "customerzero/internal/domain/checkout"

// Our codes for what Stripe says. They are stored with checkouts: add, never rename. What it
// refuses has its own code behind "stripe_".
const (
	codeBroken      = "stripe_broken"
	codeForbidden   = "stripe_forbidden"
	codeGone        = "stripe_gone"
	codeInProgress  = "stripe_in_progress"
	codeLimited     = "stripe_limited"
	codeLiveDemo    = "stripe_live_demo"
	codeNoRefund    = "stripe_refund_failed"
	codeRefused     = "stripe_refused"
	codeStrangeURL  = "stripe_strange_url"
	codeTimeout     = "stripe_timeout"
	codeUnclear     = "stripe_unclear"
	codeUnreachable = "stripe_unreachable"
)

// sentences tell people what a code means and what helps. A refusal that is not here is told
// in Stripe's own words.
var sentences = map[string]string{
	codeBroken:     "Stripe has trouble of its own. Nothing but time helps.",
	codeForbidden:  "Stripe does not accept our key, or the key may not do this. A founder has to check STRIPE_SECRET_KEY.",
	codeGone:       "Stripe has no such thing.",
	codeInProgress: "Stripe is still busy with the same request.",
	codeLimited:    "Stripe takes no more requests from us right now. Time helps.",
	codeLiveDemo:   "A demo is never paid with real money, and STRIPE_SECRET_KEY is a live key.",
	codeNoRefund:   "Stripe could not give the money back. A founder has to look in Stripe's dashboard.",
	codeRefused:    "Stripe refused this without saying why.",
	codeStrangeURL: "Stripe answered with a payment page at a place that is not on our list, so nobody is sent there.",
	codeTimeout:    "Stripe did not answer in time.",
	codeUnclear:    "The answer made no sense, or did not come from Stripe. Check STRIPE_BASE_URL.",

	"stripe_amount_too_small":        "The price is below the least that a card can pay at Stripe.",
	"stripe_coupon_expired":          "The discount was used already, or its time is over.",
	"stripe_idempotency_error":       "Stripe was asked this before with other details.",
	"stripe_resource_already_exists": "Stripe has one like it already, with other details.",
	"stripe_resource_missing":        "Stripe does not know something that we named, such as the discount.",
}

// saying makes an error of a code that has its sentence.
func saying(class checkout.PaymentClass, code string) *checkout.PaymentError {
	return &checkout.PaymentError{Class: class, Code: code, Message: sentences[code]}
}

// unclear is the error for an answer that does not say whether it happened.
func unclear() *checkout.PaymentError { return saying(checkout.PaymentUnreachable, codeUnclear) }
