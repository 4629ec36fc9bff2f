package stripe

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
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

// lost classifies a call that got no complete answer. It names kinds only: an error's own text
// may hold what is nobody's business.
func lost(err error) *checkout.PaymentError {
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return unreachable("Stripe was not waited for, because we are shutting down.")
	case timeout != nil && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return saying(checkout.PaymentUnreachable, codeTimeout)
	case is[*net.DNSError](err):
		return unreachable("Stripe cannot be reached: its name is not found. Check this machine's network and STRIPE_BASE_URL.")
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err):
		return unreachable("Stripe cannot be reached: the connection is not secure. Check STRIPE_BASE_URL, and this machine's clock and certificates.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return unreachable("Stripe cannot be reached: the connection was refused. Check this machine's network and STRIPE_BASE_URL.")
	default:
		return unreachable("The connection to Stripe was lost, or its answer made no sense.")
	}
}

func unreachable(why string) *checkout.PaymentError {
	return &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: codeUnreachable, Message: why}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
