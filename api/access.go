package api

import "customerzero/internal/domain/account"

// access says who may call a route. The zero access is for everyone.
type access struct {
	least  account.Role
	login  bool          // needs a login; a membership only if least says so
	key    bool          // the founders' key will do: programs cannot log in
	scope  account.Scope // a minted token of this scope will do
	fresh  bool          // the login must be younger than ten minutes
	hidden bool          // to others the route does not exist
}

var (
	public        = access{}
	publicOrToken = access{scope: account.ScopeCredentials}
	user          = access{login: true}
	freshUser     = access{login: true, fresh: true}
	// memberOrKey is for members, and for programs with the founders' key. For which posts, handlers decide.
	memberOrKey  = access{least: account.Member, login: true, key: true}
	founderOrKey = access{least: account.Founder, login: true, key: true}
	// memberOnly acts for a membership of the caller's own, which a program has not.
	memberOnly = access{least: account.Member, login: true}
	// botAdmin may change what the bot posts with.
	botAdmin   = access{least: account.Founder, login: true, scope: account.ScopeCredentials}
	adminOnly  = access{least: account.Founder, login: true, hidden: true}
	freshAdmin = access{least: account.Founder, login: true, hidden: true, fresh: true}
)

// schemes are the ways to authenticate that the contract names. Any one of the list will do.
func (a access) schemes() []map[string][]string {
	if !a.login {
		return nil
	}
	ways := []map[string][]string{{"session": {}}}
	if a.key {
		ways = append(ways, map[string][]string{"founder": {}})
	}
	if a.scope != "" {
		ways = append(ways, map[string][]string{"token": {}})
	}
	return ways
}
