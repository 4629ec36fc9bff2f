package diagnostic

import "time"

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
	Measures Measures
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
