// Package account holds the rules of accounts: roles, sessions, login codes and rate limits. An account
// is a login; a member has a share. Most members have an account, most founders need no membership. No
// clock, no I/O.
package account

import (
	"slices"
	"strings"
	"time"
)

// Account is a login with X, an email address, or both.
type Account struct {
	ID         string
	XUserID    *string // X's user ID; unlike a handle it never changes owner
	XHandle    string  // as last returned by X; empty without an X login
	XHandleKey *string // lower case, unique
	Email      *string // canonical, unique, verified by a code or an activation link
	MemberID   *string
	Notices    bool // receives optional emails
	CreatedAt  time.Time
}

// DevUserID is the prefix of the XUserID of founders logged in by DEV_LOGIN. The first X login replaces
// the ID.
const DevUserID = "dev-"

// Role is a level of permissions. Each role includes those before it.
type Role int

const (
	Visitor Role = iota
	Member
	Founder
)

func (r Role) String() string { return [...]string{"visitor", "member", "founder"}[r] }

// Founders are the founders' X handles in lower case.
type Founders []string

// ParseFounders parses handles with or without @.
func ParseFounders(handles []string) Founders {
	var founders Founders
	for _, handle := range handles {
		founders = append(founders, strings.ToLower(strings.TrimPrefix(strings.TrimSpace(handle), "@")))
	}
	return founders
}

// Include reports whether the handle is a founder's.
func (f Founders) Include(handle string) bool { return slices.Contains(f, strings.ToLower(handle)) }

// RoleOf is the role of an account. It is evaluated on every request, so that changes to the list of
// founders or to a membership take effect at once. Only a login with X makes a founder, never an email
// address or a username.
func (f Founders) RoleOf(a Account, memberActive bool) Role {
	switch {
	case a.XUserID != nil && f.Include(a.XHandle):
		return Founder
	case a.MemberID != nil && memberActive:
		return Member
	}
	return Visitor
}

// ActivationLink is the link in a welcome email: it verifies the address and logs in once.
type ActivationLink struct {
	ID        string
	AccountID string
	TokenHash string
	UsedAt    *time.Time
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Welcome is the welcome email for a new member.
type Welcome struct {
	Email string
	Token string
	Facts map[string]string // template values, including the link with the token
}

// UnsubscribePurpose is the purpose of the signature in unsubscribe links.
const UnsubscribePurpose = "unsubscribe"

// Limit is a rate limit.
type Limit struct {
	Name  string // prefix of the bucket's name
	Most  int
	Per   time.Duration
	Doing string // completes "Too many …"
}

// Rate limits. Those per visitor are keyed by a digest of the network address. X bills every diagnosis,
// so diagnoses also have an overall limit.
var (
	CodesPerSubject    = Limit{"code-subject", 5, time.Hour, "codes for this account"}
	CodesPerVisitor    = Limit{"code-visitor", 20, time.Hour, "codes from your network"}
	GuessesPerVisitor  = Limit{"guess-visitor", 60, time.Hour, "attempts from your network"}
	WrongKeys          = Limit{"admin-key", 60, time.Hour, "wrong admin keys from your network"}
	LoginsPerVisitor   = Limit{"x-login-visitor", 40, 10 * time.Minute, "logins from your network"}
	LoginsOverall      = Limit{"x-login", 300, 10 * time.Minute, "logins"}
	DiagnosisPerPerson = Limit{"diagnosis-visitor", 1, time.Minute, "diagnoses"}
	DiagnosesOverall   = Limit{"diagnosis", 30, time.Hour, "diagnoses"}
	CredentialTries    = Limit{"credentials", 10, 10 * time.Minute, "attempts"}
	QuotesPerVisitor   = Limit{"quote-visitor", 120, 10 * time.Minute, "prices for your network"}
	QuotesOverall      = Limit{"quote", 3000, 10 * time.Minute, "prices"}
	VisitorsPerNetwork = Limit{"visitors", 600, time.Hour, "visitors from your network"}
	// GenerationsPerAccount counts texts: a prompt to 3 models counts 3.
	GenerationsPerAccount = Limit{"generation", 30, time.Hour, "generated texts"}
	// GenerationsOverall bounds the daily cost of models, regardless of the number of members.
	GenerationsOverall = Limit{"generation-day", 2000, 24 * time.Hour, "texts by models overall"}
	// PricesByModels does the same for prices. Above it, prices come from fixed rules.
	PricesByModels = Limit{"price-model-day", 5000, 24 * time.Hour, "prices by models"}
	// RunsPerVisitor counts views of workflow runs, each of which reads a history.
	RunsPerVisitor = Limit{"run-visitor", 600, 10 * time.Minute, "views of runs from your network"}
	// ExportsPerAccount limits the downloads of an account's data.
	ExportsPerAccount = Limit{"export-account", 10, time.Hour, "downloads of your data"}
	// ReportsOverall limits client error reports.
	ReportsOverall = Limit{"page-report", 90, time.Minute, "error reports"}
)
