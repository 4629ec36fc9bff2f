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
	Notices    bool // wants letters that may be unsubscribed
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
