package x

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"customerzero/internal/domain/post"
)

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
	if words := presentable(c.redact.Replace(said.words())); readable && words != "" {
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

// presentable makes one short, harmless line of what X said. Secrets are gone by then: a
// line that was cut in the midst of one would no longer show it.
func presentable(words string) string {
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
