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

// failure classifies a call that got no complete answer. Without a connection nothing can
// have left; with one, whatever went wrong after it, something may have.
func failure(err error, connected bool) *post.XError {
	switch {
	case !connected:
		return &post.XError{Class: post.NotSent, Code: codeUnreachable, Message: unreachable(err)}
	case outage.IsTimeout(err):
		return saying(post.Unclear, 0, codeTimeout)
	default:
		return unclear(0)
	}
}

// unreachable returns why there was no connection.
func unreachable(err error) string {
	const nothing = "X cannot be reached, and nothing was sent: "
	remedy := outage.Remedy(err, "X_BASE_URL")
	switch {
	case remedy != "":
		return nothing + remedy
	case errors.Is(err, context.Canceled):
		return "Nothing was sent to X, because we are shutting down."
	case outage.IsTimeout(err):
		return nothing + "there was no connection in time. Check this machine's network."
	default:
		return nothing + "there was no connection. Check this machine's network and X_BASE_URL."
	}
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

// The last elements of the types of X's problems. The host before them changes.
const (
	typePermissions = "oauth1-permissions"
	typeForbidden   = "client-forbidden"
	typeUsageCapped = "usage-capped"
	typeGone        = "resource-not-found"
)

// What the older endpoints' numbers mean. Some of them still come with API v2.
const (
	numberSuspended = 64
	numberDuplicate = 187
	numberLocked    = 326
)

// complaint is what X says when it refuses. All of it is optional.
type complaint struct {
	Title  string      `json:"title"`
	Detail string      `json:"detail"`
	Type   string      `json:"type"`
	Reason string      `json:"reason"`
	Errors []objection `json:"errors" xml:"error"`
}

// objection is one of a complaint's errors: a number and a message from the older
// endpoints, a small problem from API v2.
type objection struct {
	Code    int    `json:"code" xml:"code,attr"`
	Message string `json:"message" xml:",chardata"`
	Detail  string `json:"detail" xml:"-"`
	Type    string `json:"type" xml:"-"`
}

// refusal classifies an answer that is not a success. The body may be cut short.
func (c *Client) refusal(got reply) error {
	var said complaint
	readable := got.err == nil && json.Unmarshal(got.body, &said) == nil
	switch status := got.status; {
	case status == http.StatusUnauthorized:
		return saying(post.AccountRefused, status, codeBadToken)
	case status == http.StatusPaymentRequired:
		return saying(post.AccountRefused, status, codeNoCredits)
	case status == http.StatusForbidden && got.err != nil:
		return unclear(status) // a duplicate cannot be told from other refusals
	case status == http.StatusForbidden:
		return c.forbidden(said)
	case status == http.StatusTooManyRequests:
		return c.tooMany(got.header, said)
	case status >= 500:
		return saying(post.Unclear, status, codeUnavailable)
	case status < 400, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return unclear(status) // a redirect, or something between X and us
	case status == http.StatusNotFound && said.kind() == typeGone:
		return saying(post.Refused, status, codeGone)
	default:
		return c.refused(status, codeInvalid, said, readable)
	}
}

// forbidden sorts out the many meanings of 403: most are about the account.
func (c *Client) forbidden(said complaint) *post.XError {
	const status = http.StatusForbidden
	switch {
	case said.has(numberDuplicate, "duplicate content"):
		return saying(post.Duplicate, status, codeDuplicate)
	case said.kind() == typePermissions:
		return saying(post.AccountRefused, status, codeReadOnly)
	case said.kind() == typeForbidden, said.Reason == "client-not-enrolled":
		return saying(post.AccountRefused, status, codeNotEnrolled)
	case said.capped():
		return saying(post.AccountRefused, status, codeCapReached)
	case said.has(numberSuspended, "suspended"), said.has(numberLocked, "temporarily locked"):
		return saying(post.AccountRefused, status, codeSuspended)
	default:
		return c.refused(status, codeRefused, said, true)
	}
}

// tooMany is a limit that time lifts, or the month's allowance, which it does not.
func (c *Client) tooMany(header http.Header, said complaint) *post.XError {
	if said.capped() {
		return saying(post.AccountRefused, http.StatusTooManyRequests, codeCapReached)
	}
	at := retryAt(header, c.config.Now())
	return &post.XError{
		Class: post.RateLimited, Status: http.StatusTooManyRequests, Code: codeRateLimited, RetryAt: at,
		Message: "X takes no more from the bot until " + at.UTC().Format("15:04:05 on 2 January") + " (UTC).",
	}
}

// refused is a refusal in X's own words.
func (c *Client) refused(status int, code string, said complaint, readable bool) *post.XError {
	message := "X refused this without saying why."
	// Secrets go first: a line that was cut in the midst of one would no longer show it.
	if words := outage.Line(c.redact.Replace(said.words())); readable && words != "" {
		message = "X refused this: " + words
	}
	return &post.XError{Class: post.Refused, Status: status, Code: code, Message: message}
}

// kind is the last element of the problem's type.
func (p complaint) kind() string { return path.Base(p.Type) }

func (p complaint) capped() bool {
	return p.kind() == typeUsageCapped || p.Title == "UsageCapExceeded" || p.Title == "SpendCapReached"
}

// has looks for one of the old numbers, or for words.
func (p complaint) has(number int, words string) bool {
	for _, e := range p.Errors {
		if e.Code == number || strings.Contains(strings.ToLower(e.Message), words) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(p.Detail), words)
}

// words prefers the particular to the general.
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

// limitHeaders begin the headers of X's limits. The first is the usual one; the others cap
// a day, and come only where there is such a cap.
var limitHeaders = []string{"x-rate-limit", "x-app-limit-24hour", "x-user-limit-24hour"}

const (
	usualWait = time.Minute // when X does not say
	leastWait = time.Second // when its clock is ahead of ours

	// longestWait is a little more than the longest of X's limits, which is that of a day. A time
	// beyond it is none: somebody between us writes milliseconds, say.
	longestWait = 25 * time.Hour
)

// retryAt is when a call may be made again: when the last of the used-up limits is renewed.
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
