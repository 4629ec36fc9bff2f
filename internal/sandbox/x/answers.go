package x

import (
	"encoding/json"
	"fmt"
	"net/http"
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
