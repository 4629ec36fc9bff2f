package stripe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/clients/outage"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/telemetry"
)

// failure makes what a call of the library ended with one of our errors, or nil.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*checkout.PaymentError](err); ok {
		return failed
	}
	if said, ok := errors.AsType[*stripe.Error](err); ok {
		return refusal(said)
	}
	return lost(err)
}

// failureOf classifies the answers whose status says it all, whoever gave them, or gives nil.
func failureOf(status int) *checkout.PaymentError {
	switch {
	case status >= 500:
		return saying(checkout.PaymentBroken, codeBroken)
	case status == http.StatusTooManyRequests:
		return saying(checkout.PaymentLimited, codeLimited)
	case status == http.StatusConflict:
		return saying(checkout.PaymentUnreachable, codeInProgress)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return saying(checkout.PaymentForbidden, codeForbidden)
	default:
		return nil
	}
}

// lost classifies a call that got no complete answer.
func lost(err error) *checkout.PaymentError {
	remedy := outage.Remedy(err, "STRIPE_BASE_URL")
	switch {
	case errors.Is(err, context.Canceled):
		return unreachable("Stripe was not waited for, because we are shutting down.")
	case outage.IsTimeout(err):
		return saying(checkout.PaymentUnreachable, codeTimeout)
	case remedy != "":
		return unreachable("Stripe cannot be reached: " + remedy)
	default:
		return unreachable("The connection to Stripe was lost, or its answer made no sense.")
	}
}

func unreachable(why string) *checkout.PaymentError {
	return &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: codeUnreachable, Message: why}
}

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

// word is what a code may be made of: it is stored, and shown.
var word = regexp.MustCompile(`^[a-z0-9_]{1,60}$`)

// telling finds what may be a key, an address or a link: what Stripe says may quote what it
// was sent.
var telling = regexp.MustCompile(`(?i)@|%40|:/|\bwww\.|[prs]k_|whsec|secret|token|bearer|\*\*`)

// refusal classifies what Stripe says no to.
func refusal(said *stripe.Error) *checkout.PaymentError {
	if said.HTTPStatusCode == http.StatusNotFound && said.Code == stripe.ErrorCodeResourceMissing {
		return saying(checkout.PaymentGone, codeGone)
	}
	code := codeRefused
	if its := cmp.Or(string(said.Code), string(said.Type)); word.MatchString(its) {
		code = "stripe_" + its
	}
	failed := saying(checkout.PaymentRefused, code)
	if said.Type == stripe.ErrorTypeIdempotency { // an earlier run asked: another key may do it
		failed.Class = checkout.PaymentBroken
	}
	if failed.Message == "" {
		failed.Message = refused(said)
	}
	return failed
}

// refused repeats Stripe's own words, where they are harmless.
func refused(said *stripe.Error) string {
	words := outage.Line(said.Msg)
	if words == "" || said.Type != stripe.ErrorTypeInvalidRequest || telling.MatchString(said.Msg) {
		return sentences[codeRefused]
	}
	return "Stripe refused this: " + words
}

const maxAnswer = 4 << 20 // bytes; a full page of events is a tenth of it. What is longer is cut, and then no JSON

// listener lets through to the library only what Stripe said: whole answers of a sane size, in
// Stripe's form. The library keeps the status of nothing else, and quotes it in its errors. So
// the rest is classified here, where its status is known, and ends as a *checkout.PaymentError.
//
// Under it, net/http may send again what failed on a worn connection. That is harmless: the
// idempotency key is the same.
type listener struct{ next http.RoundTripper }

func newListener() listener {
	return listener{next: telemetry.Transport(http.DefaultTransport.(*http.Transport).Clone())}
}

func (l listener) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // read, or given up
	switch failed := failureOf(resp.StatusCode); {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case !isStripes(resp.StatusCode, body):
		return nil, unclear()
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// isStripes reports Stripe's answers from those of whatever else may stand at the address.
func isStripes(status int, body []byte) bool {
	var said struct {
		Object string          `json:"object"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return false
	}
	return status/100 == 2 && said.Object != "" || status/100 == 4 && said.Error != nil
}
