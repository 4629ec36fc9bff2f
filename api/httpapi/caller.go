package httpapi

import (
	"context"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
)

// Caller is who asks: a login, the founders' key, or a visitor.
type Caller struct {
	Login   *account.Login // nil: no login
	Browser *account.Login // the cookie's: the same one, unless a bearer token came too
	Cookie  string         // the session's, as it came: a login replaces it, so that a planted one is not the session after
	Key     bool           // the founders' key
	Role    account.Role

	AtHome  bool   // comes to this machine under a name of its own
	Address string // of the network; kept as a keyed digest only
	Device  string
	Pending string // the cookie of a login through X under way

	Counted  string      // the cookie by which visits are counted
	Declines pricing.Why // to be counted; empty: does not say so
}

type callerKey struct{}

// WithCaller is a context that knows who calls.
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// CallerOf is who calls, or a visitor of whom nothing is known.
func CallerOf(ctx context.Context) Caller {
	who, _ := ctx.Value(callerKey{}).(Caller)
	return who
}

// AccountID names the caller's account, for rows that refer to it.
func (c Caller) AccountID() *string {
	if c.Login == nil {
		return nil
	}
	return &c.Login.Account.ID
}

// MemberID names the caller's membership; empty without one.
func (c Caller) MemberID() string {
	if c.Login == nil || c.Login.Account.MemberID == nil {
		return ""
	}
	return *c.Login.Account.MemberID
}

// Name is how people know the caller, without @.
func (c Caller) Name() string {
	if c.Login == nil {
		return "the founders' key"
	}
	return c.Login.Name()
}

// Within makes a visitor of a minted token's holder where the token has no business: what
// everybody may call shows some people more.
func (c Caller) Within(scope account.Scope) Caller {
	if c.Login != nil && c.Login.Session.Scope != "" && c.Login.Session.Scope != scope {
		c.Login, c.Role = nil, account.Visitor
	}
	return c
}

// Logins are what the request came with: at most two, of one account.
func (c Caller) Logins() []*account.Login {
	var all []*account.Login
	if c.Login != nil {
		all = append(all, c.Login)
	}
	if c.Browser != nil && c.Browser != c.Login {
		all = append(all, c.Browser)
	}
	return all
}

func Clip(s string) string {
	const longest = 60
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest])
	}
	return s
}

// Deref is the text, or nothing for nil.
func Deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Visitor is a digest of the network address, for counting.
func (c Caller) Visitor(marks Marker) string { return marks.Mark(c.Address, "visitor") }

// CountedFor names for whom a run is counted; founders' runs count in the sum only.
func (c Caller) CountedFor(marks Marker) string {
	if c.Role == account.Founder {
		return ""
	}
	return c.Visitor(marks)
}

// Audited does something in the database and notes it, as one. What is done has only the context that it is handed.
func Audited(ctx context.Context, log *store.AuditLog, at time.Time, action audit.Action, do func(ctx context.Context) (detail string, err error)) error {
	return log.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		detail, err := do(ctx)
		return []audit.Entry{Entry(ctx, at, action, audit.Done, detail)}, err
	})
}

// Entry begins a line of the audit.
func Entry(ctx context.Context, at time.Time, action audit.Action, outcome audit.Outcome, detail string) audit.Entry {
	who := CallerOf(ctx)
	actor := who.Name()
	if who.Login != nil {
		actor = "@" + actor
	}
	return audit.Entry{At: at, AccountID: who.AccountID(), Actor: actor, Action: action, Outcome: outcome, Detail: detail}
}
