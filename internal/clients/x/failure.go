package x

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"customerzero/internal/clients/outage"
	"customerzero/internal/domain/post"
)

// failure classifies a call without a complete response. Without a connection nothing was sent; with one, the
// call may have taken effect.
func failure(err error, connected bool) *post.XError {
	switch {
	case !connected:
		return &post.XError{Class: post.NotSent, Code: codeUnreachable, Message: unreachable(err)}
	case outage.IsTimeout(err):
		return errorOf(post.Unclear, 0, codeTimeout)
	default:
		return unclear(0)
	}
}

func unreachable(err error) string {
	const prefix = "X cannot be reached, and nothing was sent: "
	remedy := outage.Remedy(err, "X_BASE_URL")
	switch {
	case remedy != "":
		return prefix + remedy
	case errors.Is(err, context.Canceled):
		return "Nothing was sent to X because the server is shutting down."
	case outage.IsTimeout(err):
		return prefix + "there was no connection in time. Check this machine's network."
	default:
		return prefix + "there was no connection. Check this machine's network and X_BASE_URL."
	}
}

// The codes of errors. They are stored with posts: add, never rename.
const (
	codeBadToken    = "x_bad_token"
	codeCapReached  = "x_cap_reached"
	codeDuplicate   = post.CodeDuplicate
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

// sentences are the messages of codes.
var sentences = map[string]string{
	codeBadToken: "X rejected the bot's keys. A founder has to check them and this machine's clock.",
	codeCapReached: "The bot has reached its monthly limit at X or its own spending limit there. " +
		"A founder can raise the limit in X's developer console.",
	codeDuplicate: "X already has a post with this text. Change the text.",
	codeGone:      "X has no such post.",
	codeNoCredits: "The bot's X account is out of credits. A founder has to buy some in X's developer console.",
	codeNotEnrolled: "The bot's app is not enrolled with X. A founder has to attach it to a project in X's " +
		"developer console.",
	codeReadOnly: "The bot's keys are read-only. A founder has to give the app write access in X's developer console and " +
		"then create a new access token.",
	codeSuspended:   "X has suspended or locked the bot's account. A founder has to log in there and appeal.",
	codeTimeout:     "X did not answer in time.",
	codeUnavailable: "X has an internal problem. Try again later.",
	codeUnclear:     "The connection to X was lost, or its response was invalid.",
}

// errorOf returns the error of a code that has a sentence.
func errorOf(class post.Class, status int, code string) *post.XError {
	return &post.XError{Class: class, Status: status, Code: code, Message: sentences[code]}
}

// unclear returns the error of a response that does not show whether the call took effect.
func unclear(status int) *post.XError { return errorOf(post.Unclear, status, codeUnclear) }

// The last elements of X's problem types. Their host varies.
const (
	typePermissions = "oauth1-permissions"
	typeForbidden   = "client-forbidden"
	typeUsageCapped = "usage-capped"
	typeGone        = "resource-not-found"
)

// The older API's error numbers, some of which API v2 still returns.
const (
	numberSuspended = 64
	numberDuplicate = 187
	numberLocked    = 326
)

// complaint is X's error response. Every field is optional.
type complaint struct {
	Title  string      `json:"title"`
	Detail string      `json:"detail"`
	Type   string      `json:"type"`
	Reason string      `json:"reason"`
	Errors []objection `json:"errors" xml:"error"`
}

// objection is one error of a complaint: a number and a message in the older API, a problem in API v2.
type objection struct {
	Code    int    `json:"code" xml:"code,attr"`
	Message string `json:"message" xml:",chardata"`
	Detail  string `json:"detail" xml:"-"`
	Type    string `json:"type" xml:"-"`
}

// refusal classifies a response that is not a success. The body may be incomplete.
func (c *Client) refusal(got reply) error {
	var why complaint
	readable := got.err == nil && json.Unmarshal(got.body, &why) == nil
	switch status := got.status; {
	case status == http.StatusUnauthorized:
		return errorOf(post.AccountRefused, status, codeBadToken)
	case status == http.StatusPaymentRequired:
		return errorOf(post.AccountRefused, status, codeNoCredits)
	case status == http.StatusForbidden && got.err != nil:
		return unclear(status) // it may mean a duplicate
	case status == http.StatusForbidden:
		return c.forbidden(why)
	case status == http.StatusTooManyRequests:
		return c.tooMany(got.header, why)
	case status >= 500:
		return errorOf(post.Unclear, status, codeUnavailable)
	case status < 400, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return unclear(status) // a redirect, or an intermediary's response
	case status == http.StatusNotFound && why.kind() == typeGone:
		return errorOf(post.Refused, status, codeGone)
	default:
		return c.refused(status, codeInvalid, why, readable)
	}
}

// forbidden classifies status 403, which has many meanings; most concern the account.
func (c *Client) forbidden(why complaint) *post.XError {
	const status = http.StatusForbidden
	switch {
	case why.has(numberDuplicate, "duplicate content"):
		return errorOf(post.Duplicate, status, codeDuplicate)
	case why.kind() == typePermissions:
		return errorOf(post.AccountRefused, status, codeReadOnly)
	case why.kind() == typeForbidden, why.Reason == "client-not-enrolled":
		return errorOf(post.AccountRefused, status, codeNotEnrolled)
	case why.capped():
		return errorOf(post.AccountRefused, status, codeCapReached)
	case why.has(numberSuspended, "suspended"), why.has(numberLocked, "temporarily locked"):
		return errorOf(post.AccountRefused, status, codeSuspended)
	default:
		return c.refused(status, codeRefused, why, true)
	}
}

// tooMany classifies status 429: a rate limit, or the monthly allowance, which waiting does not lift.
func (c *Client) tooMany(header http.Header, why complaint) *post.XError {
	if why.capped() {
		return errorOf(post.AccountRefused, http.StatusTooManyRequests, codeCapReached)
	}
	at := retryAt(header, c.config.Now())
	return &post.XError{
		Class: post.RateLimited, Status: http.StatusTooManyRequests, Code: codeRateLimited, RetryAt: at,
		Message: "X's rate limit for the bot is exceeded until " + at.UTC().Format("15:04:05 on 2 January") + " (UTC).",
	}
}

// refused returns a refusal with X's own message, if it has one.
func (c *Client) refused(status int, code string, why complaint, readable bool) *post.XError {
	message := "X refused the request without giving a reason."
	// Secrets are redacted before the line is cut, which could split one.
	if words := outage.Line(c.redact.Replace(why.words())); readable && words != "" {
		message = "X refused the request: " + words
	}
	return &post.XError{Class: post.Refused, Status: status, Code: code, Message: message}
}

// kind returns the last element of the problem's type.
func (p complaint) kind() string { return path.Base(p.Type) }

func (p complaint) capped() bool {
	return p.kind() == typeUsageCapped || p.Title == "UsageCapExceeded" || p.Title == "SpendCapReached"
}

// has reports whether the complaint has one of the older numbers, or contains words.
func (p complaint) has(number int, words string) bool {
	for _, e := range p.Errors {
		if e.Code == number || strings.Contains(strings.ToLower(e.Message), words) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(p.Detail), words)
}

// words returns the most specific message.
func (p complaint) words() string {
	for _, e := range p.Errors {
		if e.Message != "" {
			return e.Message
		}
	}
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title
}

// limitHeaders are the prefixes of X's rate limit headers. The first is the usual limit; the others are daily
// limits that some apps have.
var limitHeaders = []string{"x-rate-limit", "x-app-limit-24hour", "x-user-limit-24hour"}

const (
	usualWait = time.Minute // if X returns no time
	leastWait = time.Second // if its clock is ahead of this machine's

	// longestWait is slightly more than a day, X's longest limit. A later time is wrong, such as one in
	// milliseconds.
	longestWait = 25 * time.Hour
)

// retryAt returns when the last of the exhausted limits is reset.
func retryAt(header http.Header, now time.Time) time.Time {
	var latest time.Time
	for _, name := range limitHeaders {
		reset, ok := resetOf(header, name)
		if ok && header.Get(name+"-remaining") == "0" && reset.After(latest) {
			latest = reset
		}
	}
	if latest.IsZero() {
		var ok bool
		if latest, ok = resetOf(header, limitHeaders[0]); !ok {
			return now.Add(usualWait)
		}
	}
	return now.Add(min(max(latest.Sub(now), leastWait), longestWait))
}

func resetOf(header http.Header, name string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(header.Get(name+"-reset"), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0), true
}
