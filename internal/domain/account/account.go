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
	Avatar     string  // profile picture at X as a data URL; empty if X returned none
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
