package diagnostic

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Answer is what one call to X showed.
type Answer struct {
	Status      int           // HTTP; 0: there was no answer
	Unreachable string        // why there was no whole answer; empty: there was
	Code        int           // of X's errors[0]
	Kind        string        // the last element of the problem's type
	Title       string        // of the problem
	Reason      string        // of the problem
	Detail      string        // X's own words, made presentable
	AccessLevel string        // what the token may do: read, read-write, …
	Skew        time.Duration // X's Date minus our clock; 0: unknown
	HasToken    bool          // a request token came
	Confirmed   bool          // and X confirmed the callback
	HTML        bool          // the body is a web page
	Body        string        // at most 2,000 characters, redacted
	UserID      string        // of the account that the token is for
	Username    string
}

// Why a call got no whole answer.
const (
	UnreachableDNS     = "dns"
	UnreachableRefused = "refused"
	UnreachableTimeout = "timeout"
	UnreachableTLS     = "tls"
	UnreachableOther   = "other"
)

// CheckRequestToken judges the call that every login begins with.
func CheckRequestToken(a Answer) Finding {
	return a.find(StepRequestToken, cmp.Or(unreached(a), refusedCode(a, CodeKeysRefused), tokenCode(a)))
}

// CheckAccount judges a call with the bot's own tokens.
func CheckAccount(a Answer) Finding {
	return a.find(StepAccount, cmp.Or(unreached(a), refusedCode(a, CodeTokenRefused), shownCode(a)))
}

func (a Answer) find(step Step, code string) Finding {
	skew := "not in step with X's"
	if !inStep(a.Skew) {
		skew = clock(a.Skew)
	}
	return find(step, code, a.facts(), "{skew}", skew, "{status}", strconv.Itoa(a.Status))
}

// word is what X may have said that is shown as it is: it holds no secret.
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

// signatureLength is that of an HMAC-SHA1 in base64.
const signatureLength = 28

// Signature is what signing a call showed. The base string holds the key, so only its
// length and its hash are kept.
type Signature struct {
	BaseLength int
	BaseHash   string // SHA-256, in hexadecimal digits
	Length     int    // of the signature, in characters; 0: there is none
}

// CheckSignature says whether calls to X can be signed.
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

// tolerance is for the second that X's Date is rounded by, and for the way of the answer.
const tolerance = 3 * time.Second

func inStep(skew time.Duration) bool { return skew.Abs() < tolerance }

// clock says in words how this machine's clock stands beside X's.
func clock(skew time.Duration) string {
	if inStep(skew) {
		return "in step with X's"
	}
	side := "behind"
	if skew < 0 { // X's time minus ours
		side = "ahead of"
	}
	return amount(skew.Abs()) + " " + side + " X's"
}

// amount rounds to the largest unit of which there are at least two.
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

// unreached is for calls without a whole answer. A refusal that broke off still is one.
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

// refusedCode names why X refused. Many answers admit two causes: the order goes from what
// can mean nothing else to what is merely likely. Unauthorized is what a 401 is likeliest about.
func refusedCode(a Answer, unauthorized string) string {
	if a.succeeded() {
		return ""
	}
	return cmp.Or(
		pageCode(a),
		certain[a.Code],
		clockCode(a),
		credentialsCode(a.Code, unauthorized),
		titles[a.Title],
		kindCode(a),
		detailCode(a.Detail),
		statusCode(a.Status, unauthorized),
	)
}

// tokenCode judges a success that should bring a token.
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

// shownCode judges a success that should show the account. X shows an account that it has
// suspended as a success without one.
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

// The codes of findings. Pages and runs keep them: add, never rename.
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
