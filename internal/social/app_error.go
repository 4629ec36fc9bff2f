package social

import (
	"crypto/tls"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"customerzero/internal/account"
	"customerzero/internal/diagnosis"
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
	diagnosis.UnreachableDNS:     "its name is not found",
	diagnosis.UnreachableRefused: "the connection was refused",
	diagnosis.UnreachableTimeout: "it did not answer in time",
	diagnosis.UnreachableTLS:     "the connection is not secure",
	diagnosis.UnreachableOther:   "there was no connection, or it broke off",
}

// lostBecause sorts out why there was no whole answer. It names kinds only: an error's own
// text may hold addresses that are nobody's business.
func lostBecause(err error) string {
	switch {
	case is[*net.DNSError](err):
		return diagnosis.UnreachableDNS
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err),
		errors.Is(err, http.ErrSchemeMismatch):
		return diagnosis.UnreachableTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return diagnosis.UnreachableRefused
	case isTimeout(err):
		return diagnosis.UnreachableTimeout
	default:
		return diagnosis.UnreachableOther
	}
}
