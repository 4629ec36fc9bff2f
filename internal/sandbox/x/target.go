package x

import "slices"

// Target is which calls a rule is about.
type Target string

const (
	OnPost         Target = "post"          // POST /2/tweets
	OnRead         Target = "read"          // GET /2/…
	OnLogin        Target = "login"         // the two that follow
	OnRequestToken Target = "request_token" // POST /oauth/request_token
	OnAccessToken  Target = "access_token"  // POST /oauth/access_token
	OnAny          Target = "any"           // all of those, and the two that follow

	// No rule is about these alone.
	onDelete Target = "delete" // DELETE /2/tweets/{id}
	onRevoke Target = "revoke" // POST /1.1/oauth/invalidate_token
)

// targets lists what a rule can be on.
var targets = []Target{OnPost, OnRead, OnLogin, OnRequestToken, OnAccessToken, OnAny}

// calls lists the kinds of calls that the target stands for.
func (t Target) calls() []Target {
	switch t {
	case OnAny:
		return []Target{OnPost, OnRead, OnRequestToken, OnAccessToken, onDelete, onRevoke}
	case OnLogin:
		return []Target{OnRequestToken, OnAccessToken}
	default:
		return []Target{t}
	}
}

// targetsFor lists what a rule with the fault can be on.
func targetsFor(f Fault) []Target {
	var usable []Target
	for _, t := range targets {
		if slices.ContainsFunc(t.calls(), f.suits) {
			usable = append(usable, t)
		}
	}
	return usable
}
