package x

import (
	"crypto/tls"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
)

func answered(trouble account.XTrouble, status int) *account.XError {
	return &account.XError{Trouble: trouble, Status: status, Message: "it answered " + strconv.Itoa(status)}
}

func nonsense(message string) *account.XError {
	return &account.XError{Trouble: account.TroubleNonsense, Status: http.StatusOK, Message: message}
}

// loginRefused gives a refusal in X's own words, where it has some.
func (a *App) loginRefused(got reply, secrets []string) *account.XError {
	refused := answered(account.TroubleRefused, got.status)
	words := redact(readComplaint(got.body).words(), a.secrets(secrets...))
	if line := presentable(words); line != "" {
		refused.Message = line
	}
	return refused
}

// readComplaint reads JSON, and the XML in which X refuses some callbacks.
func readComplaint(body []byte) complaint {
	var said complaint
	if json.Unmarshal(body, &said) != nil {
		_ = xml.Unmarshal(body, &said) // what is neither says nothing
	}
	return said
}

// lostMessages say why there was no whole answer.
var lostMessages = map[string]string{
	diagnostic.UnreachableDNS:     "its name is not found",
	diagnostic.UnreachableRefused: "the connection was refused",
	diagnostic.UnreachableTimeout: "it did not answer in time",
	diagnostic.UnreachableTLS:     "the connection is not secure",
	diagnostic.UnreachableOther:   "there was no connection, or it broke off",
}

// lostBecause sorts out why there was no whole answer. It names kinds only: an error's own
// text may hold addresses that are nobody's business.
func lostBecause(err error) string {
	switch {
	case is[*net.DNSError](err):
		return diagnostic.UnreachableDNS
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err),
		errors.Is(err, http.ErrSchemeMismatch):
		return diagnostic.UnreachableTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return diagnostic.UnreachableRefused
	case isTimeout(err):
		return diagnostic.UnreachableTimeout
	default:
		return diagnostic.UnreachableOther
	}
}
