// Package diagnostic holds the rules that say why logging in with X does not work, and what
// helps. Values in, values out: no clock, no I/O; internal/clients/x makes the calls.
//
// What is found may be shown to anybody: a finding never repeats a key, a token or a body.
package diagnostic

import (
	"strings"
	"time"
)

// Run is one diagnosis and what it has found so far.
type Run struct {
	ID            string
	Visitor       string  // keyed digest of a network address
	ProviderKeyID *string // the new keys that are tried; nil: those in use
	RunID         string
	CreatedAt     time.Time
	EndedAt       *time.Time
	Findings      []Found `gorm:"-"`
}

// TableName is where runs are kept.
func (Run) TableName() string { return "diagnoses" }

// Found is a finding with what was measured, and with X's answer, redacted, which founders
// may see.
type Found struct {
	Finding
	Measures Measures `gorm:"serializer:json"`
	Raw      string
}

// Measures are the numbers of a step, in characters; Status is HTTP's. 0 is not measured.
type Measures struct {
	KeyLength, SecretLength     int
	BaseLength, SignatureLength int
	Status                      int
}

// CodeNoAccount says that there are no tokens to look at. Nobody's login needs them.
const CodeNoAccount = "no_account"

// NoAccount is the finding about the bot's tokens when there are none.
func NoAccount() Finding { return Finding{Step: StepAccount, OK: true, Code: CodeNoAccount} }

// Of gives what a step found, if it has ended.
func (r Run) Of(step Step) (Found, bool) {
	for _, f := range r.Findings {
		if f.Step == step {
			return f, true
		}
	}
	return Found{}, false
}

// Step is a part of logging in with X.
type Step string

const (
	StepEnvironment  Step = "env"
	StepSignature    Step = "signature"
	StepRequestToken Step = "request_token"
	StepRedirect     Step = "redirect"
	StepAccount      Step = "account" // the bot's own tokens; no part of a person's login
)

// Finding is what came of a step. Unless it is OK, it names what is wrong and what to do.
type Finding struct {
	Step            Step
	OK              bool
	Code            string
	Problem, Remedy string
	Facts           []Fact `gorm:"serializer:json"`
}

// Fact is something measured that anybody may see.
type Fact struct{ Name, Value string }

// find words a code. The details replace the words in braces of its sentences.
func find(step Step, code string, facts []Fact, details ...string) Finding {
	fill, said := strings.NewReplacer(details...), sentences[code]
	return Finding{
		Step: step, OK: code == CodeOK, Code: code, Facts: facts,
		Problem: fill.Replace(said.problem), Remedy: fill.Replace(said.remedy),
	}
}
