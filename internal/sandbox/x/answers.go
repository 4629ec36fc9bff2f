package x

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// The types of X's problems. Clients have to look at the last part only: X uses two hosts.
const (
	typeBlank       = "about:blank"
	typeClient      = "https://api.twitter.com/2/problems/client-forbidden"
	typeCredits     = "https://api.twitter.com/2/problems/credits"
	typeInvalid     = "https://api.twitter.com/2/problems/invalid-request"
	typeNotFound    = "https://api.twitter.com/2/problems/resource-not-found"
	typePermissions = "https://api.x.com/2/problems/oauth1-permissions"
)

func writeJSON(w http.ResponseWriter, status int, body any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // the client has gone
}

// problem answers with an error of API v2.
func problem(w http.ResponseWriter, status int, title, kind, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, status, map[string]any{"title": title, "type": kind, "status": status, "detail": detail})
}

// plain answers with an error that X says no more about than its status.
func plain(w http.ResponseWriter, status int) {
	problem(w, status, http.StatusText(status), typeBlank, http.StatusText(status))
}

func forbid(w http.ResponseWriter, detail string) {
	problem(w, http.StatusForbidden, "Forbidden", typeBlank, detail)
}

// refuse answers with an error of the older endpoints.
func refuse(w http.ResponseWriter, r *refusal) {
	writeJSON(w, r.status, map[string]any{"errors": []any{map[string]any{"code": r.code, "message": r.message}}})
}

// invalid answers a request that X's schema does not allow.
func invalid(w http.ResponseWriter, parameters map[string][]string, format string, args ...any) {
	if parameters == nil {
		parameters = map[string][]string{}
	}
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, http.StatusBadRequest, map[string]any{
		"errors": []any{map[string]any{"parameters": parameters, "message": fmt.Sprintf(format, args...)}},
		"title":  "Invalid Request",
		"detail": "One or more parameters to your request was invalid.",
		"type":   typeInvalid,
	})
}

// notFound is what X says, with status 200, about something that is not there.
func notFound(resource, parameter, id string) map[string]any {
	return map[string]any{
		"value": id, "detail": fmt.Sprintf("Could not find %s with %s: [%s].", resource, parameter, id),
		"title": "Not Found Error", "resource_type": resource, "parameter": parameter, "resource_id": id,
		"type": typeNotFound,
	}
}

// unavailable answers like the machines in front of X, which do not speak JSON.
func unavailable(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte("<!DOCTYPE html>\n<html lang=\"en\"><head><title>Over capacity</title></head>" +
		"<body><h1>Over capacity</h1><p>Please try again later.</p></body></html>\n"))
}

// garbage answers like a network that wants people to log in first. It is not even a form
// by accident: the entity keeps it from being one.
func garbage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<html><head><title>Welcome</title></head>" +
		"<body><h1>Welcome&hellip;</h1><p>Accept our terms to use this network.</p></body></html>\n"))
}

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
