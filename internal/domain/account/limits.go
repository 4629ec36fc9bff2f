package account

import "time"

// Limit is a rate limit.
type Limit struct {
	Name  string // prefix of the bucket's name
	Most  int
	Per   time.Duration
	Doing string // completes "Too many …"
}

// Asker is a caller as limits count them: a member or founder, or a visitor in a network. The digests are keyed.
type Asker struct {
	Member   string   // ID of the membership; empty for others
	Founder  bool     // a founder or the admin key
	Visitor  string   // digest of the signed visitor cookie, or of the narrowest network
	Networks []string // digests, narrowest first: an IPv4 address, or the /64, /56 and /48 of an IPv6 address
	Browser  string   // token that a login stores in the browser; empty without one
}

// Network is the widest network of the caller, which one customer of a provider can own.
func (a Asker) Network() string {
	if len(a.Networks) == 0 {
		return ""
	}
	return a.Networks[len(a.Networks)-1]
}

// Use is one use of a limit by a subject.
type Use struct {
	Limit
	Subject string
}

// By returns the uses of a limit by the caller's networks. Each wider network has twice the uses of the one before:
// providers assign a /64, a /56 or a /48 to one customer, but some divide them among several.
func (a Asker) By(limit Limit) []Use {
	var uses []Use
	for _, network := range a.Networks {
		uses = append(uses, Use{limit, network})
		limit.Most *= 2
	}
	return uses
}

// Shared limits something that all callers share. Half of Overall is reserved for networks that use it for the first
// time in the window of PerNetwork, so that a few networks cannot use it up. Members and founders have as much again
// for themselves.
type Shared struct {
	PerVisitor Limit // optional
	PerNetwork Limit
	PerMember  Limit // optional
	Overall    Limit
}

// Common is the half of Overall that every visitor may use.
func (s Shared) Common() Limit {
	s.Overall.Most -= s.Reserved().Most
	return s.Overall
}

// Reserved is the half of Overall that is reserved for the first use by a network.
func (s Shared) Reserved() Limit {
	return Limit{s.Overall.Name + "-first", s.Overall.Most / 2, s.Overall.Per, s.Overall.Doing}
}

// Members is what members and founders share.
func (s Shared) Members() Limit {
	return Limit{s.Overall.Name + "-members", s.Overall.Most, s.Overall.Per, s.Overall.Doing}
}

// Rate limits. Those by network are keyed by digests of the network address.
var (
	// CodesPerBrowser limits the codes for a browser in which the account was logged in before. It shares no other
	// limit, so that strangers cannot keep a user from logging in.
	CodesPerBrowser = Limit{"code-browser", 5, time.Hour, "codes for this account"}
	// CodesForSubject limits the codes for an account that other browsers request.
	CodesForSubject = Shared{
		PerNetwork: Limit{"code-asker", 10, 24 * time.Hour, "codes for this account from your network"},
		Overall:    Limit{"code-subject", 60, 24 * time.Hour, "codes for this account"},
	}
	CodesPerNetwork = Limit{"code-network", 20, time.Hour, "codes from your network"}
	// GuessesPerNetwork counts attempts without a code that this browser requested. Attempts at such a code are limited
	// by the code.
	GuessesPerNetwork = Limit{"guess-network", 60, time.Hour, "attempts from your network"}
	// XLogins limits logins with X, which X counts. A browser in which a founder was logged in before uses
	// XLoginsPerBrowser instead.
	XLogins = Shared{
		PerNetwork: Limit{"x-login-network", 40, 10 * time.Minute, "logins from your network"},
		Overall:    Limit{"x-login", 300, 10 * time.Minute, "logins"},
	}
	XLoginsPerBrowser = Limit{"x-login-browser", 20, 10 * time.Minute, "logins"}
	// Diagnoses limits the diagnoses of the login with X, which bills each.
	DiagnosisPerVisitor = Limit{"diagnosis-visitor", 1, time.Minute, "diagnoses"}
	Diagnoses           = Shared{
		PerNetwork: Limit{"diagnosis-network", 6, time.Hour, "diagnoses from your network"},
		Overall:    Limit{"diagnosis", 30, time.Hour, "diagnoses"},
	}
	WrongKeys        = Limit{"admin-key", 60, time.Hour, "wrong admin keys from your network"}
	CredentialTries  = Limit{"credentials", 10, 10 * time.Minute, "attempts"}
	TokensPerAccount = Limit{"token", 20, time.Hour, "tokens"}
	// QuotesPerNetwork and QuotesOverall limit bursts, Quotes the rows of a day.
	QuotesPerNetwork = Limit{"quote-network", 120, 10 * time.Minute, "prices for your network"}
	QuotesOverall    = Limit{"quote", 3000, 10 * time.Minute, "prices"}
	// VisitorsPerNetwork and VisitorsOverall limit the visitors that are counted. Others get the list price.
	VisitorsPerNetwork = Limit{"visitors-network", 600, time.Hour, "visitors from your network"}
	VisitorsOverall    = Limit{"visitors", 20_000, 24 * time.Hour, "visitors"}
	// GenerationsPerAccount counts texts: a prompt to 3 models counts 3.
	GenerationsPerAccount = Limit{"generation", 30, time.Hour, "generated texts"}
	// GenerationsOverall bounds the daily cost of models, regardless of the number of members.
	GenerationsOverall = Limit{"generation-day", 2000, 24 * time.Hour, "texts by models overall"}
	// PricesByModels does the same for prices. Above it, prices come from fixed rules.
	PricesByModels = Limit{"price-model-day", 5000, 24 * time.Hour, "prices by models"}
	// RunsPerNetwork counts views of workflow runs, each of which reads a history.
	RunsPerNetwork = Limit{"run-network", 600, 10 * time.Minute, "views of runs from your network"}
	// ExportsPerAccount limits the downloads of an account's data.
	ExportsPerAccount = Limit{"export-account", 10, time.Hour, "downloads of your data"}
	// Reports limits client error reports, of which one has up to 64 kB.
	Reports = Shared{
		PerNetwork: Limit{"page-report-network", 20, time.Hour, "error reports from your network"},
		Overall:    Limit{"page-report", 300, 24 * time.Hour, "error reports"},
	}
)
