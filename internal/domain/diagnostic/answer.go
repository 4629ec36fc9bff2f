package diagnostic

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Answer is the result of one call to X.
type Answer struct {
	Status      int           // HTTP; 0: no response
	Unreachable string        // why the response is missing or incomplete, or empty
	Code        int           // of X's errors[0]
	Kind        string        // the last element of the problem's type
	Title       string        // of the problem
	Reason      string        // of the problem
	Detail      string        // X's message, sanitized
	AccessLevel string        // of the token: read, read-write, …
	Skew        time.Duration // X's Date minus our clock; 0: unknown
	HasToken    bool          // the response has a request token
	Confirmed   bool          // X confirmed the callback
	HTML        bool          // the body is a web page
	Body        string        // redacted, at most 2,000 characters
	UserID      string        // of the token's account
	Username    string
}

// Reasons for a missing or incomplete response.
const (
	UnreachableDNS     = "dns"
	UnreachableRefused = "refused"
	UnreachableTimeout = "timeout"
	UnreachableTLS     = "tls"
	UnreachableOther   = "other"
)

// CheckRequestToken evaluates the first call of every login.
func CheckRequestToken(a Answer) Finding {
	return a.find(StepRequestToken, cmp.Or(unreached(a), refusedCode(a, CodeKeysRefused), tokenCode(a)))
}

// CheckAccount evaluates a call with the bot's own tokens.
func CheckAccount(a Answer) Finding {
	return a.find(StepAccount, cmp.Or(unreached(a), refusedCode(a, CodeTokenRefused), shownCode(a)))
}

func (a Answer) find(step Step, code string) Finding {
	skew := "not in sync with X's"
	if !inStep(a.Skew) {
		skew = clock(a.Skew)
	}
	return find(step, code, a.facts(), "{skew}", skew, "{status}", strconv.Itoa(a.Status))
}

// word matches values of X that are shown unchanged; it excludes secrets.
var word = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

func (a Answer) facts() []Fact {
	var facts []Fact
	add := func(name, value string, known bool) {
		if known {
			facts = append(facts, Fact{name, value})
		}
	}
	add("HTTP status", strconv.Itoa(a.Status), a.Status != 0)
	add("X's error number", strconv.Itoa(a.Code), a.Code != 0)
	add("X's kind of problem", a.Kind, word.MatchString(a.Kind))
	add("access level", a.AccessLevel, word.MatchString(a.AccessLevel))
	add("this machine's clock", clock(a.Skew), a.Skew != 0)
	add("account", "@"+a.Username, a.Username != "")
	return facts
}

// signatureLength is the length of an HMAC-SHA1 in base64.
const signatureLength = 28

// Signature describes a signed call. The base string contains the key, so only its length and hash are kept.
type Signature struct {
	BaseLength int
	BaseHash   string // hexadecimal SHA-256
	Length     int    // of the signature in characters; 0: none
}

// CheckSignature reports whether calls to X can be signed.
func CheckSignature(s Signature) Finding {
	if s.Length != signatureLength || s.BaseLength == 0 {
		return find(StepSignature, CodeSignatureFailed, nil)
	}
	return find(StepSignature, CodeOK, []Fact{
		{"base string", strconv.Itoa(s.BaseLength) + " characters"},
		{"SHA-256 of the base string", s.BaseHash},
		{"signature", strconv.Itoa(s.Length) + " characters"},
	})
}

// tolerance covers the precision of X's Date header and the network latency.
const tolerance = 3 * time.Second

func inStep(skew time.Duration) bool { return skew.Abs() < tolerance }

// clock compares this machine's clock with X's.
func clock(skew time.Duration) string {
	if inStep(skew) {
		return "in sync with X's"
	}
	side := "behind"
	if skew < 0 { // X's time minus ours
		side = "ahead of"
	}
	return amount(skew.Abs()) + " " + side + " X's"
}

// amount rounds to the largest unit of which there are at least 2.
func amount(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d seconds", d.Round(time.Second)/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", d.Round(time.Minute)/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d hours", d.Round(time.Hour)/time.Hour)
	default:
		return fmt.Sprintf("%d days", d.Round(day)/day)
	}
}

// unreached classifies calls without a complete response. An incomplete refusal still counts as a refusal.
func unreached(a Answer) string {
	if a.Status != 0 && (a.Unreachable == "" || !a.succeeded()) {
		return ""
	}
	switch a.Unreachable {
	case UnreachableDNS:
		return CodeUnreachableDNS
	case UnreachableRefused:
		return CodeUnreachableRefused
	case UnreachableTimeout:
		return CodeUnreachableTimeout
	case UnreachableTLS:
		return CodeUnreachableTLS
	default:
		return CodeUnreachable
	}
}

// refusedCode is the reason for a refusal. Many responses have several possible causes, so the order is
// from certain to likely. unauthorized is the most likely cause of a 401.
func refusedCode(a Answer, unauthorized string) string {
	switch {
	case a.succeeded():
		return ""
	case a.HTML: // X's API returns no web pages, but proxies in front of it do
		return CodePageDown
	}
	return cmp.Or(
		certain[a.Code],
		clockCode(a),
		credentialsCode(a.Code, unauthorized),
		titles[a.Title],
		kindCode(a),
		detailCode(a.Detail),
		statusCode(a.Status, unauthorized),
	)
}

// tokenCode evaluates a successful response that should contain a token.
func tokenCode(a Answer) string {
	switch {
	case !a.HasToken:
		return CodeNonsense
	case !a.Confirmed:
		return CodeUnconfirmed
	default:
		return CodeOK
	}
}

// shownCode evaluates a successful response that should contain the account. X omits suspended accounts.
func shownCode(a Answer) string {
	switch {
	case a.UserID == "":
		return cmp.Or(detailCode(a.Detail), CodeNonsense)
	case a.AccessLevel == "read":
		return CodeReadOnly
	default:
		return CodeOK
	}
}

func (a Answer) succeeded() bool { return a.Status >= 200 && a.Status < 300 }

// leastSkew is the clock skew that explains a 401. X tolerates about 5 minutes and does not always name the
// cause.
const leastSkew = 4 * time.Minute

// certain maps the error codes of X's older endpoints that have one meaning.
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

// clockCode recognizes refusals caused by a wrong clock, which X reports as a wrong signature or an expired
// token.
func clockCode(a Answer) string {
	if a.Status == 401 && a.Skew.Abs() > leastSkew {
		return CodeClockSkew
	}
	return ""
}

// credentialsCode maps the error codes that distinguish the app's keys from a token.
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

// titles of problems are more specific than their kinds: a spending limit has the kind "credits".
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

// detailCode recognizes problems that are only identified by their message.
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
	switch {
	case status == 401:
		return unauthorized
	case status == 402:
		return CodeNoCredits
	case status == 429:
		return CodeRateLimited
	case status >= 500:
		return CodePageDown
	case status >= 400:
		return CodeRefused
	}
	return CodeNonsense // X's API has no redirects
}

// The codes of findings. They are used by pages and stored in runs: add, never rename.
const (
	CodeOK = "ok"

	CodeKeyMissing      = "key_missing"
	CodeKeyBlank        = "key_blank"
	CodeKeyIsBearer     = "key_is_bearer"
	CodeKeyIsOAuth2     = "key_is_oauth2"
	CodeKeyLength       = "key_length"
	CodeKeysSwapped     = "keys_swapped"
	CodeSecretMissing   = "secret_missing"
	CodeSecretLength    = "secret_length"
	CodeCallbackInvalid = "callback_invalid"
	CodeFoundersMissing = "founders_missing"
	CodeSignatureFailed = "signature_failed"

	CodeAccountSuspended = "account_suspended"
	CodeAppSuspended     = "app_suspended"
	CodeCallbackRefused  = "callback_refused"
	CodeCapped           = "capped"
	CodeClockSkew        = "clock_skew"
	CodeKeysRefused      = "keys_refused"
	CodeNoCredits        = "no_credits"
	CodeNotEnrolled      = "not_enrolled"
	CodeRateLimited      = "rate_limited"
	CodeReadOnly         = "read_only"
	CodeRefused          = "refused"
	CodeTokenRefused     = "token_refused"

	CodeNonsense    = "nonsense"
	CodePageDown    = "page_down"
	CodeUnconfirmed = "unconfirmed"

	CodeUnreachable        = "unreachable"
	CodeUnreachableDNS     = "unreachable_dns"
	CodeUnreachableRefused = "unreachable_refused"
	CodeUnreachableTimeout = "unreachable_timeout"
	CodeUnreachableTLS     = "unreachable_tls"
)
