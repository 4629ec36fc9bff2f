package diagnostic

import "strings"

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
	Facts           []Fact
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
