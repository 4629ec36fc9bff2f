// Package diagnostic holds the rules that explain why login with X fails and how to fix it. No clock, no
// I/O: internal/clients/x makes the calls.
//
// Findings are public, so they never contain a key, a token or a response body.
package diagnostic

import (
	"strings"
	"time"
)

// Run is one diagnosis and its findings so far.
type Run struct {
	ID            string
	Visitor       string  // keyed digest of a network address
	ProviderKeyID *string // the new keys under test; nil: the current ones
	RunID         string
	CreatedAt     time.Time
	EndedAt       *time.Time
	Findings      []Found `gorm:"-"`
}

// TableName is the GORM table name.
func (Run) TableName() string { return "diagnoses" }

// Found is a finding with its measurements and X's redacted response, which only founders may see.
type Found struct {
	Finding
	Measures Measures `gorm:"serializer:json"`
	Raw      string
}

// Measures are the measurements of a step: lengths in characters and the HTTP status. 0 means not measured.
type Measures struct {
	KeyLength, SecretLength     int
	BaseLength, SignatureLength int
	Status                      int
}

// CodeNoAccount means that the bot has no tokens to check. Logins do not need them.
const CodeNoAccount = "no_account"

// NoAccount is the finding for a bot without tokens.
func NoAccount() Finding { return Finding{Step: StepAccount, OK: true, Code: CodeNoAccount} }

// Of returns the finding of a step, if it has ended.
func (r Run) Of(step Step) (Found, bool) {
	for _, f := range r.Findings {
		if f.Step == step {
			return f, true
		}
	}
	return Found{}, false
}

// Step is a step of the login with X.
type Step string

const (
	StepEnvironment  Step = "env"
	StepSignature    Step = "signature"
	StepRequestToken Step = "request_token"
	StepRedirect     Step = "redirect"
	StepAccount      Step = "account" // the bot's own tokens; not part of a login
)

// Finding is the result of a step. Unless it is OK, it has a problem and a remedy.
type Finding struct {
	Step            Step
	OK              bool
	Code            string
	Problem, Remedy string
	Facts           []Fact `gorm:"serializer:json"`
}

// Fact is a public measurement.
type Fact struct{ Name, Value string }

// find returns the finding for a code. details replace the placeholders in its sentences.
func find(step Step, code string, facts []Fact, details ...string) Finding {
	fill, texts := strings.NewReplacer(details...), sentences[code]
	return Finding{
		Step: step, OK: code == CodeOK, Code: code, Facts: facts,
		Problem: fill.Replace(texts.problem), Remedy: fill.Replace(texts.remedy),
	}
}
