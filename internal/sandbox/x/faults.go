package x

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/sandbox/faults"
)

// These names are those of package faults.
type (
	Fault  = faults.Fault
	Target = faults.Target
	Rule   = faults.Rule
	Faults = faults.Plan
)

// The faults. "Done" means that X executes the call. A fault only hits the calls listed for it, whatever its
// rule's target is.
//
//	fault              calls          done  what the client sees
//	rate_limit         all            no    429; the reset is Delay from now
//	unauthorized       all            no    401
//	no_credits         all            no    402 in the format of API v2: there is no older one
//	forbidden          all            no    403: the app may only read
//	unavailable        all            no    503, as HTML
//	unavailable_after  all            yes   503, as HTML
//	drop_before        all            no    the connection is closed
//	drop_after         all            yes   the connection is closed
//	hang_before        all            no    no response until it disconnects
//	hang_after         all            yes   no response until it disconnects
//	truncate           all            yes   half of the response
//	slow               all            yes   the response after Delay
//	late               all            yes   no response until it disconnects; a new tweet is visible after Delay
//	garbage            all            no    200 with a web page, like the login of a public network
//	bad_app            all            no    401: the app's key or secret is wrong
//	clock              all            —     X's clock differs by Delay, which may be negative; 0: 10 min
//	suspended_app      all            no    401 for logins, else 403: the app is suspended
//	callback_refused   request_token  no    403: the callback is not registered
//	unconfirmed        request_token  yes   oauth_callback_confirmed=false
//	not_enrolled       API v2         no    403: the app belongs to no project
//	read_only          API v2         —     reads succeed with x-access-level: read; the rest is forbidden
//
// bad_app and clock apply when a call is verified, before the other faults; a call that passes the clock may
// be hit by another rule.
const (
	RateLimit        Fault = "rate_limit"
	Unauthorized     Fault = "unauthorized"
	NoCredits        Fault = "no_credits"
	Forbidden        Fault = "forbidden"
	Unavailable      Fault = "unavailable"
	UnavailableAfter Fault = "unavailable_after"
	DropBefore             = faults.DropBefore
	DropAfter              = faults.DropAfter
	HangBefore             = faults.HangBefore
	HangAfter              = faults.HangAfter
	Truncate         Fault = "truncate"
	Slow             Fault = "slow"
	Late             Fault = "late"
	Garbage          Fault = "garbage"
	BadApp           Fault = "bad_app"
	Clock            Fault = "clock"
	SuspendedApp     Fault = "suspended_app"
	CallbackRefused  Fault = "callback_refused"
	Unconfirmed      Fault = "unconfirmed"
	NotEnrolled      Fault = "not_enrolled"
	ReadOnly         Fault = "read_only"
)

// AllFaults lists every fault.
var AllFaults = []Fault{
	RateLimit, Unauthorized, NoCredits, Forbidden, Unavailable, UnavailableAfter, DropBefore, DropAfter,
	HangBefore, HangAfter, Truncate, Slow, Late, Garbage, BadApp, Clock, SuspendedApp, CallbackRefused,
	Unconfirmed, NotEnrolled, ReadOnly,
}

// suited lists the calls of faults that do not apply to all calls.
var suited = map[Fault][]Target{
	CallbackRefused: {OnRequestToken},
	Unconfirmed:     {OnRequestToken},
	NotEnrolled:     {OnPost, OnRead, onDelete},
	ReadOnly:        {OnPost, OnRead, onDelete},
}

// hits reports whether the rule applies to a call.
func hits(r Rule, call Target) bool {
	suitable, restricted := suited[r.Fault]
	return slices.Contains(targets[r.On], call) && (!restricted || slices.Contains(suitable, call))
}

const (
	OnPost         Target = "post"          // POST /2/tweets
	OnRead         Target = "read"          // GET /2/…
	OnLogin        Target = "login"         // the two that follow
	OnRequestToken Target = "request_token" // POST /oauth/request_token
	OnAccessToken  Target = "access_token"  // POST /oauth/access_token
	OnAny          Target = "any"           // all of those, and onDelete

	onDelete Target = "delete" // DELETE /2/tweets/{id}; a rule on it alone cannot be set
)

// targets lists the kinds of calls that each target of a rule stands for.
var targets = map[Target][]Target{
	OnPost:         {OnPost},
	OnRead:         {OnRead},
	OnRequestToken: {OnRequestToken},
	OnAccessToken:  {OnAccessToken},
	OnLogin:        {OnRequestToken, OnAccessToken},
	OnAny:          {OnPost, OnRead, OnRequestToken, OnAccessToken, onDelete},
}

// newBoard accepts every fault on every target. The clock fault's default is twice the accepted difference.
func newBoard() *faults.Board {
	faultsOn := map[Target][]Fault{}
	for target := range targets {
		faultsOn[target] = AllFaults
	}
	return faults.NewBoard(faultsOn, map[Fault]time.Duration{Clock: 10 * time.Minute})
}

// SetFaults replaces all rules. They are not stored in the file.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f) }

// pick selects the rule for a call's verification or, afterwards, for its execution.
func (s *Server) pick(call Target, checking bool) Rule {
	return s.faults.First(func(r Rule) bool {
		return checking == (r.Fault == BadApp || r.Fault == Clock) && hits(r, call)
	})
}

// injectCheck returns X's time, or a refusal if the fault refuses every call.
func (s *Server) injectCheck(e endpoint, h http.Header) (time.Time, *refusal) {
	now := s.config.Now()
	switch rule := s.pick(e.on, true); rule.Fault {
	case BadApp:
		return now, errCredentials
	case Clock:
		now = now.Add(rule.Delay)
		h.Set("Date", now.UTC().Format(http.TimeFormat))
	default:
	}
	return now, nil
}

// inject serves a call with a fault.
func (s *Server) inject(rule Rule, e endpoint, w http.ResponseWriter, r *http.Request, c call) {
	s.faults.Before(r.Context(), rule)
	if s.injectRefusal(rule, e, w) {
		return
	}
	c.unconfirmed = rule.Fault == Unconfirmed
	if rule.Fault == Late {
		c.hold = rule.Delay
	}
	a := &answer{header: w.Header().Clone(), status: http.StatusOK}
	e.serve(a, r, c) // from here on, the call has taken effect
	s.faults.After(r.Context(), rule)
	switch rule.Fault {
	case UnavailableAfter:
		unavailable(w)
		return
	case Late:
		s.faults.After(r.Context(), Rule{Fault: HangAfter})
	case Truncate:
		a.body.Truncate(a.body.Len() / 2)
	case Slow:
		s.faults.Pause(r.Context(), rule.Delay)
	default:
	}
	a.writeTo(w)
}

// answer buffers an endpoint's response.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

func (a *answer) writeTo(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // the client has gone
}

// The types of X's problems. X uses two hosts, so clients must compare the last element only.
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

// problem sends an error of API v2.
func problem(w http.ResponseWriter, status int, title, kind, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, status, map[string]any{"title": title, "type": kind, "status": status, "detail": detail})
}

// plain sends an error with no more information than its status.
func plain(w http.ResponseWriter, status int) {
	problem(w, status, http.StatusText(status), typeBlank, http.StatusText(status))
}

func forbid(w http.ResponseWriter, detail string) {
	problem(w, http.StatusForbidden, "Forbidden", typeBlank, detail)
}

// refuse sends an error in the older format.
func refuse(w http.ResponseWriter, r *refusal) {
	writeJSON(w, r.status, map[string]any{"errors": []any{map[string]any{"code": r.code, "message": r.message}}})
}

// invalid sends the error of a request that violates X's schema.
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

// notFound returns X's error for a missing object, which X sends with status 200.
func notFound(resource, parameter, id string) map[string]any {
	return map[string]any{
		"value": id, "detail": fmt.Sprintf("Could not find %s with %s: [%s].", resource, parameter, id),
		"title": "Not Found Error", "resource_type": resource, "parameter": parameter, "resource_id": id,
		"type": typeNotFound,
	}
}

// unavailable responds as X's load balancers do, without JSON.
func unavailable(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte("<!DOCTYPE html>\n<html lang=\"en\"><head><title>Over capacity</title></head>" +
		"<body><h1>Over capacity</h1><p>Please try again later.</p></body></html>\n"))
}

// garbage responds like the login page of a public network. The HTML entity keeps it from parsing as a form.
func garbage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<html><head><title>Welcome</title></head>" +
		"<body><h1>Welcome&hellip;</h1><p>Accept our terms to use this network.</p></body></html>\n"))
}

// olderRefusals are the refusing faults in the older format.
var olderRefusals = map[Fault]*refusal{
	RateLimit:       {http.StatusTooManyRequests, 88, "Rate limit exceeded."},
	Unauthorized:    errCredentials,
	Forbidden:       {http.StatusForbidden, 261, "Application cannot perform write actions."},
	SuspendedApp:    {http.StatusUnauthorized, 416, "Invalid / suspended application."},
	CallbackRefused: errCallback,
}

// injectRefusal responds with X's refusal if the fault is one.
func (s *Server) injectRefusal(rule Rule, e endpoint, w http.ResponseWriter) bool {
	s.injectHeaders(rule, w.Header())
	if older, found := olderRefusals[rule.Fault]; found && !e.modern() {
		refuse(w, older)
		return true
	}
	switch rule.Fault {
	case Unavailable:
		unavailable(w)
	case Garbage:
		garbage(w)
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

// injectHeaders sets the headers of the fault.
func (s *Server) injectHeaders(rule Rule, h http.Header) {
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

// notPermitted refuses a call of a read-only app.
func notPermitted(w http.ResponseWriter) {
	problem(w, http.StatusForbidden, "Forbidden", typePermissions, "Your client app is not configured with the "+
		"appropriate oauth1 app permissions for this endpoint.")
}

// notEnrolled refuses a call of an app without a project. X omits the status in the body.
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
