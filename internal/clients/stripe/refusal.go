package stripe

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

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
	words := presentable(said.Msg)
	if words == "" || said.Type != stripe.ErrorTypeInvalidRequest || telling.MatchString(said.Msg) {
		return sentences[codeRefused]
	}
	return "Stripe refused this: " + words
}

// presentable makes one short line.
func presentable(words string) string {
	const longest = 200
	words = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, words)
	line := []rune(strings.Join(strings.Fields(words), " "))
	if len(line) > longest {
		return string(line[:longest]) + "…"
	}
	return string(line)
}
