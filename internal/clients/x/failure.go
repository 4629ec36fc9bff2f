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
