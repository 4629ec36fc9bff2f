// Package outage classifies calls of a vendor that got no complete response. Its results never contain an
// error's own text, which may hold addresses.
package outage

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"unicode"

	"customerzero/internal/domain/diagnostic"
)

// KindOf returns a kind of package diagnostic, such as UnreachableDNS.
func KindOf(err error) string {
	switch {
	case is[*net.DNSError](err):
		return diagnostic.UnreachableDNS
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err), errors.Is(err, http.ErrSchemeMismatch):
		return diagnostic.UnreachableTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return diagnostic.UnreachableRefused
	case IsTimeout(err):
		return diagnostic.UnreachableTimeout
	default:
		return diagnostic.UnreachableOther
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// IsTimeout reports whether a timeout or a deadline ended the call.
func IsTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// Remedy returns why there was no connection and what to check, as the end of a sentence; "" for kinds with
// several remedies. setting is the name of the setting with the vendor's address.
func Remedy(err error, setting string) string {
	return map[string]string{
		diagnostic.UnreachableDNS:     "its name is not found. Check this machine's network and " + setting + ".",
		diagnostic.UnreachableTLS:     "the connection is not secure. Check " + setting + ", and this machine's clock and certificates.",
		diagnostic.UnreachableRefused: "the connection was refused. Check this machine's network and " + setting + ".",
	}[KindOf(err)]
}

// Line returns a vendor's message as one printable line of at most 200 characters.
func Line(words string) string {
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
