package diagnostic

import (
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
