package diagnostic

import (
	"strings"
	"time"
)

// leastSkew of the clocks explains a 401. X itself tolerates about five minutes, and does
// not always say that it was the time.
const leastSkew = 4 * time.Minute

// The HTTP statuses that mean something of their own. The rules know no HTTP client.
const (
	statusInvalid      = 400 // and above
	statusUnauthorized = 401
	statusPayment      = 402
	statusTooMany      = 429
	statusBroken       = 500 // and above
)

// pageCode is for web pages: X's API itself shows none, but what stands before it does.
func pageCode(a Answer) string {
	if a.HTML {
		return CodePageDown
	}
	return ""
}

// certain has the numbers of X's older endpoints that have one meaning.
var certain = map[int]string{
	63:  CodeAccountSuspended,
	64:  CodeAccountSuspended,
	88:  CodeRateLimited,
	130: CodePageDown,
	131: CodePageDown,
	135: CodeClockSkew,
	261: CodeReadOnly,
	326: CodeAccountSuspended, // locked
	415: CodeCallbackRefused,
	416: CodeAppSuspended,
	417: CodeCallbackRefused, // the app lists no callback at all
	453: CodeNotEnrolled,
}

// clockCode is for refusals that a wrong clock explains, whatever X says: a call from
// another time looks to it like one with a wrong signature or an expired token.
func clockCode(a Answer) string {
	if a.Status == statusUnauthorized && a.Skew.Abs() > leastSkew {
		return CodeClockSkew
	}
	return ""
}

// credentialsCode is for the numbers by which X tells the app's keys from a token.
func credentialsCode(number int, token string) string {
	switch number {
	case 32, 99, 215:
		return CodeKeysRefused
	case 89:
		return token
	default:
		return ""
	}
}

// titles of problems say more than their kinds: a spending limit is of the kind "credits".
var titles = map[string]string{
	"CreditsDepleted":  CodeNoCredits,
	"SpendCapReached":  CodeCapped,
	"UsageCapExceeded": CodeCapped,
}

func kindCode(a Answer) string {
	switch a.Kind {
	case "credits":
		return CodeNoCredits
	case "oauth1-permissions":
		return CodeReadOnly
	case "usage-capped":
		return CodeCapped
	case "client-forbidden":
		if a.Reason == "client-not-enrolled" {
			return CodeNotEnrolled
		}
		return CodeAppSuspended
	default:
		return ""
	}
}

// detailCode is for the words of problems that have nothing else.
func detailCode(detail string) string {
	switch words := strings.ToLower(detail); {
	case strings.Contains(words, "suspended application"):
		return CodeAppSuspended
	case strings.Contains(words, "suspended"), strings.Contains(words, "temporarily locked"):
		return CodeAccountSuspended
	case strings.Contains(words, "oauth_callback"):
		return CodeCallbackRefused
	default:
		return ""
	}
}

func statusCode(status int, unauthorized string) string {
	switch status {
	case statusUnauthorized:
		return unauthorized
	case statusPayment:
		return CodeNoCredits
	case statusTooMany:
		return CodeRateLimited
	}
	switch {
	case status >= statusBroken:
		return CodePageDown
	case status >= statusInvalid:
		return CodeRefused
	default:
		return CodeNonsense // a redirect: X's API knows none
	}
}
