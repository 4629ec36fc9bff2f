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

// failure converts an error of the library to a *checkout.PaymentError, or returns nil.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*checkout.PaymentError](err); ok {
		return failed
	}
	if refused, ok := errors.AsType[*stripe.Error](err); ok {
		return refusal(refused)
	}
	return lost(err)
}

// failureOf classifies the statuses that need no body, or returns nil.
func failureOf(status int) *checkout.PaymentError {
	switch {
	case status >= 500:
		return errorOf(checkout.PaymentBroken, codeBroken)
	case status == http.StatusTooManyRequests:
		return errorOf(checkout.PaymentLimited, codeLimited)
	case status == http.StatusConflict:
		return errorOf(checkout.PaymentUnreachable, codeInProgress)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return errorOf(checkout.PaymentForbidden, codeForbidden)
	default:
		return nil
	}
}

// lost classifies a call without a complete response.
func lost(err error) *checkout.PaymentError {
	remedy := outage.Remedy(err, "STRIPE_BASE_URL")
	switch {
	case errors.Is(err, context.Canceled):
		return unreachable("The call of Stripe was canceled because the server is shutting down.")
	case outage.IsTimeout(err):
		return errorOf(checkout.PaymentUnreachable, codeTimeout)
	case remedy != "":
		return unreachable("Stripe cannot be reached: " + remedy)
	default:
		return unreachable("The connection to Stripe was lost, or its response was invalid.")
	}
}

func unreachable(why string) *checkout.PaymentError {
	return &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: codeUnreachable, Message: why}
}

// The codes of errors. They are stored with checkouts: add, never rename. Other refusals have Stripe's own
// code after "stripe_".
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

// sentences are the messages of codes. Refusals without one repeat Stripe's own message.
var sentences = map[string]string{
	codeBroken:     "Stripe has an internal problem. Try again later.",
	codeForbidden:  "Stripe rejected our key, or the key lacks a permission. A founder has to check STRIPE_SECRET_KEY.",
	codeGone:       "Stripe has no such object.",
	codeInProgress: "Stripe is still processing the same request.",
	codeLimited:    "Stripe's rate limit is exceeded. Try again later.",
	codeLiveDemo:   "A demo must not use real money, and STRIPE_SECRET_KEY is a live key.",
	codeNoRefund:   "Stripe could not refund the payment. A founder has to check Stripe's dashboard.",
	codeRefused:    "Stripe refused the request without giving a reason.",
	codeStrangeURL: "Stripe returned a payment page on a host that is not allowed, so the buyer was not sent there.",
	codeTimeout:    "Stripe did not answer in time.",
	codeUnclear:    "The response was invalid or did not come from Stripe. Check STRIPE_BASE_URL.",

	"stripe_amount_too_small":        "The price is below Stripe's minimum charge.",
	"stripe_coupon_expired":          "The discount was already used or has expired.",
	"stripe_idempotency_error":       "Stripe has received this request before with other details.",
	"stripe_resource_already_exists": "Stripe already has this object with other details.",
	"stripe_resource_missing":        "Stripe does not know an object in the request, such as the discount.",
}

// errorOf returns the error of a code that has a sentence.
func errorOf(class checkout.PaymentClass, code string) *checkout.PaymentError {
	return &checkout.PaymentError{Class: class, Code: code, Message: sentences[code]}
}

// unclear returns the error of a response that does not show whether the call succeeded.
func unclear() *checkout.PaymentError { return errorOf(checkout.PaymentUnreachable, codeUnclear) }

// validCode limits codes, because they are stored and shown.
var validCode = regexp.MustCompile(`^[a-z0-9_]{1,60}$`)

// sensitive matches text that may be a key, an address or a link: Stripe's messages may quote the request.
var sensitive = regexp.MustCompile(`(?i)@|%40|:/|\bwww\.|[prs]k_|whsec|secret|token|bearer|\*\*`)

// refusal classifies an error response of Stripe.
func refusal(reply *stripe.Error) *checkout.PaymentError {
	if reply.HTTPStatusCode == http.StatusNotFound && reply.Code == stripe.ErrorCodeResourceMissing {
		return errorOf(checkout.PaymentGone, codeGone)
	}
	code := codeRefused
	if its := cmp.Or(string(reply.Code), string(reply.Type)); validCode.MatchString(its) {
		code = "stripe_" + its
	}
	failed := errorOf(checkout.PaymentRefused, code)
	if reply.Type == stripe.ErrorTypeIdempotency { // an earlier attempt used the key: another key may succeed
		failed.Class = checkout.PaymentBroken
	}
	if failed.Message == "" {
		failed.Message = refused(reply)
	}
	return failed
}

// refused returns Stripe's own message if it contains nothing sensitive.
func refused(reply *stripe.Error) string {
	words := outage.Line(reply.Msg)
	if words == "" || reply.Type != stripe.ErrorTypeInvalidRequest || sensitive.MatchString(reply.Msg) {
		return sentences[codeRefused]
	}
	return "Stripe refused the request: " + words
}

const maxAnswer = 4 << 20 // bytes; a full page of events has a tenth. Longer responses are cut and then invalid

// responseFilter passes only Stripe's own complete responses of a limited size to the library, which does not
// keep the status of others and quotes them in its errors. It classifies the others here as
// *checkout.PaymentError.
//
// net/http may resend a request that failed on a reused connection. That is harmless, because the idempotency
// key is the same.
type responseFilter struct{ next http.RoundTripper }

func newResponseFilter() responseFilter {
	return responseFilter{next: telemetry.Transport(http.DefaultTransport.(*http.Transport).Clone())}
}

func (l responseFilter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // the body was read, or is of no use
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

// isStripes reports whether a response has Stripe's format.
func isStripes(status int, body []byte) bool {
	var reply struct {
		Object string          `json:"object"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &reply) != nil {
		return false
	}
	return status/100 == 2 && reply.Object != "" || status/100 == 4 && reply.Error != nil
}
