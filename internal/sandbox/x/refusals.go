package x

import (
	"net/http"
	"strconv"
)

// olderRefusals are the faults that refuse, in the words of X's older endpoints.
var olderRefusals = map[Fault]*refusal{
	RateLimit:       {http.StatusTooManyRequests, 88, "Rate limit exceeded."},
	Unauthorized:    errCredentials,
	Forbidden:       {http.StatusForbidden, 261, "Application cannot perform write actions."},
	SuspendedApp:    {http.StatusUnauthorized, 416, "Invalid / suspended application."},
	CallbackRefused: errCallback,
}

// inflictRefusal refuses in X's words, if the fault is a refusal.
func (s *Server) inflictRefusal(rule Rule, e endpoint, w http.ResponseWriter) bool {
	s.inflictHeaders(rule, w.Header())
	if older, found := olderRefusals[rule.Fault]; found && !e.modern() {
		refuse(w, older)
		return true
	}
	switch rule.Fault {
	case RateLimit:
		plain(w, http.StatusTooManyRequests)
	case Unauthorized:
		plain(w, http.StatusUnauthorized)
	case NoCredits:
		problem(w, http.StatusPaymentRequired, "CreditsDepleted", typeCredits, "Your enrolled account ["+
			s.config.UserID+"] does not have any credits to fulfill this request.")
	case Forbidden:
		notPermitted(w)
	case ReadOnly:
		if e.on == OnRead {
			return false
		}
		notPermitted(w)
	case SuspendedApp:
		// X documents no words for this in API v2, only the kind of problem.
		problem(w, http.StatusForbidden, "Client Forbidden", typeClient, "Invalid / suspended application.")
	case NotEnrolled:
		notEnrolled(w)
	default:
		return false
	}
	return true
}

// inflictHeaders adds what the headers say about the fault.
func (s *Server) inflictHeaders(rule Rule, h http.Header) {
	switch rule.Fault {
	case RateLimit:
		reset := s.config.Now().Add(rule.Delay)
		h.Set("x-rate-limit-remaining", "0")
		h.Set("x-rate-limit-reset", strconv.FormatInt(unixCeil(reset), 10))
	case Forbidden, ReadOnly:
		h.Set("x-access-level", "read")
	default:
	}
}

// notPermitted answers an app that may only read.
func notPermitted(w http.ResponseWriter) {
	problem(w, http.StatusForbidden, "Forbidden", typePermissions, "Your client app is not configured with the "+
		"appropriate oauth1 app permissions for this endpoint.")
}

// notEnrolled answers an app that is in no project. X leaves the status out of the body.
func notEnrolled(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, http.StatusForbidden, map[string]any{
		"client_id": "10000001",
		"detail": "When authenticating requests to the Twitter API v2 endpoints, you must use keys and tokens from a " +
			"Twitter developer App that is attached to a Project. You can create a project via the developer portal.",
		"registration_url":    "https://developer.twitter.com/en/docs/projects/overview",
		"title":               "Client Forbidden",
		"required_enrollment": "Appropriate Level of API Access",
		"reason":              "client-not-enrolled",
		"type":                typeClient,
	})
}
