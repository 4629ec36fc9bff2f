package x

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"

	"customerzero/internal/domain/post"
)

// failure classifies a call that got no complete answer. Without a connection nothing can
// have left; with one, whatever went wrong after it, something may have.
func failure(err error, connected bool) *post.XError {
	switch {
	case !connected:
		return &post.XError{Class: post.NotSent, Code: codeUnreachable, Message: unreachable(err)}
	case isTimeout(err):
		return saying(post.Unclear, 0, codeTimeout)
	default:
		return unclear(0)
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// unreachable says why there was no connection. It names kinds only: an error's own text
// may hold addresses that are nobody's business.
func unreachable(err error) string {
	const nothing = "X cannot be reached, and nothing was sent: "
	switch {
	case is[*net.DNSError](err):
		return nothing + "its name is not found. Check this machine's network and X_BASE_URL."
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err):
		return nothing + "the connection is not secure. Check X_BASE_URL, and this machine's clock and certificates."
	case errors.Is(err, syscall.ECONNREFUSED):
		return nothing + "the connection was refused. Check this machine's network and X_BASE_URL."
	case errors.Is(err, context.Canceled):
		return "Nothing was sent to X, because we are shutting down."
	case isTimeout(err):
		return nothing + "there was no connection in time. Check this machine's network."
	default:
		return nothing + "there was no connection. Check this machine's network and X_BASE_URL."
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Our codes for what X says. They are stored with posts: add, never rename.
const (
	codeBadToken    = "x_bad_token"
	codeCapReached  = "x_cap_reached"
	codeDuplicate   = "x_duplicate"
	codeGone        = "x_gone"
	codeInvalid     = "x_invalid"
	codeNoCredits   = "x_no_credits"
	codeNotEnrolled = "x_not_enrolled"
	codeRateLimited = "x_rate_limited"
	codeReadOnly    = "x_read_only"
	codeRefused     = "x_refused"
	codeSuspended   = "x_suspended"
	codeTimeout     = "x_timeout"
	codeUnavailable = "x_unavailable"
	codeUnclear     = "x_unclear"
	codeUnreachable = "x_unreachable"
)

// sentences tell people what a code means and what helps.
var sentences = map[string]string{
	codeBadToken: "X does not accept the bot's keys. A founder has to check them, and this machine's clock.",
	codeCapReached: "The bot has used up what X, or its own spending limit there, allows it this month. " +
		"A founder can raise the limit in X's developer console.",
	codeDuplicate: "X has a post with this text already. Change the text.",
	codeGone:      "X has no such post.",
	codeNoCredits: "The bot's X account is out of credits. A founder has to buy some in X's developer console.",
	codeNotEnrolled: "The bot's app is not enrolled with X. A founder has to attach it to a project in X's " +
		"developer console.",
	codeReadOnly: "The bot's keys may only read. A founder has to let the app write in X's developer console and " +
		"then make a new access token, because the old one stays as it is.",
	codeSuspended:   "X has suspended or locked the bot's account. A founder has to log in there and appeal.",
	codeTimeout:     "X did not answer in time.",
	codeUnavailable: "X has trouble of its own. Nothing but time helps.",
	codeUnclear:     "The connection to X was lost, or its answer made no sense.",
}

// saying makes an error of a code that has its sentence.
func saying(class post.Class, status int, code string) *post.XError {
	return &post.XError{Class: class, Status: status, Code: code, Message: sentences[code]}
}

// unclear is the error for an answer that does not say whether it happened.
func unclear(status int) *post.XError { return saying(post.Unclear, status, codeUnclear) }
