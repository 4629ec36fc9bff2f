// Package account holds the rules of who is who: roles, sessions, codes and their limits.
// Values in, values out: no clock, no I/O. An account is how somebody logs in; a member is
// somebody with a share. Most members have an account, most founders need no membership.
package account

import (
	"slices"
	"strings"
	"time"
)

// Account is somebody who can log in: with X, with an address, or with both.
type Account struct {
	ID         string
	XUserID    *string // X's number; handles change hands, numbers do not
	XHandle    string  // as X last wrote it; empty without a login through X
	XHandleKey *string // lower case, unique
	Email      *string // canonical, unique, proven by a code or a claim link
	MemberID   *string
	Notices    bool // wants emails that may be unsubscribed
	CreatedAt  time.Time
}

// DevUserID begins the number of somebody whom DEV_LOGIN believed to be a founder. The
// first login through X replaces it by the true one.
const DevUserID = "dev-"

// Role says what somebody may do. Each may do what the ones before it may.
type Role int

const (
	Visitor Role = iota
	Member
	Founder
)

func (r Role) String() string { return [...]string{"visitor", "member", "founder"}[r] }

// Founders are the X handles of the founding team, in lower case.
type Founders []string

// ParseFounders reads handles, with or without @.
func ParseFounders(handles []string) Founders {
	var founders Founders
	for _, handle := range handles {
		founders = append(founders, strings.ToLower(strings.TrimPrefix(strings.TrimSpace(handle), "@")))
	}
	return founders
}

// Include says whether the handle is a founder's.
func (f Founders) Include(handle string) bool { return slices.Contains(f, strings.ToLower(handle)) }

// RoleOf is what an account may do. It is asked anew for every request, so that a handle
// taken off the list, or a membership that was frozen, counts at once. A founder is known
// by X's word alone: an address or a member's name never makes one.
func (f Founders) RoleOf(a Account, memberActive bool) Role {
	switch {
	case a.XUserID != nil && f.Include(a.XHandle):
		return Founder
	case a.MemberID != nil && memberActive:
		return Member
	}
	return Visitor
}

// ActivationLink is the link of a welcome email: it proves the address, and logs in once.
type ActivationLink struct {
	ID        string
	AccountID string
	TokenHash string
	UsedAt    *time.Time
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Welcome is what a new member with an address is sent.
type Welcome struct {
	Email string
	Token string
	Facts map[string]string // of the email, the link with the token included
}

// UnsubscribePurpose is what the proof in an email's last link is made for.
const UnsubscribePurpose = "unsubscribe"

// Limit is how often something may happen in a window of time.
type Limit struct {
	Name  string // the bucket's name begins with it
	Most  int
	Per   time.Duration
	Doing string // completes "Too many …"
}

// The limits of logging in. X bills a call of each diagnosis, hence a limit for everybody together. Those that name a visitor count by network address, of which
// only a keyed digest is kept.
var (
	CodesPerSubject    = Limit{"code-subject", 5, time.Hour, "codes for this account"}
	CodesPerVisitor    = Limit{"code-visitor", 20, time.Hour, "codes from your network"}
	GuessesPerVisitor  = Limit{"guess-visitor", 60, time.Hour, "tries from your network"}
	LoginsPerVisitor   = Limit{"x-login-visitor", 40, 10 * time.Minute, "logins from your network"}
	LoginsOverall      = Limit{"x-login", 300, 10 * time.Minute, "logins"}
	DiagnosisPerPerson = Limit{"diagnosis-visitor", 1, time.Minute, "diagnoses"}
	DiagnosesOverall   = Limit{"diagnosis", 30, time.Hour, "diagnoses"}
	CredentialTries    = Limit{"credentials", 10, 10 * time.Minute, "tries"}
	QuotesPerVisitor   = Limit{"quote-visitor", 120, 10 * time.Minute, "prices for your network"}
	QuotesOverall      = Limit{"quote", 3000, 10 * time.Minute, "prices"}
	VisitorsPerNetwork = Limit{"visitors", 600, time.Hour, "visitors from your network"}
	// GenerationsPerAccount counts texts: a question to three models is three.
	GenerationsPerAccount = Limit{"generation", 30, time.Hour, "generated texts"}
	// GenerationsOverall bounds what models cost in a day, however many members there are.
	GenerationsOverall = Limit{"generation-day", 2000, 24 * time.Hour, "texts by models, for everybody together"}
	// PricesByModels bounds the same for prices. Whoever comes later gets one by our rules.
	PricesByModels = Limit{"price-model-day", 5000, 24 * time.Hour, "prices by models"}
	// RunsPerVisitor counts looks at runs: each reads a history.
	RunsPerVisitor = Limit{"run-visitor", 600, 10 * time.Minute, "looks at runs from your network"}
	// ExportsPerAccount: a file is some work, and changes little within minutes.
	ExportsPerAccount = Limit{"export-account", 10, time.Hour, "downloads of your data"}
	// ReportsOverall counts what broken pages report.
	ReportsOverall = Limit{"page-report", 90, time.Minute, "reports come in just now"}
)
