package diagnostic

import (
	"fmt"
	"regexp"
	"strconv"
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
func CheckRequestToken(a Answer) Finding { return a.find(StepRequestToken, requestTokenCode(a)) }

// CheckAccount judges a call with the bot's own tokens.
func CheckAccount(a Answer) Finding { return a.find(StepAccount, accountCode(a)) }

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
