package httpapi

import (
	"context"
	"strings"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
)

// Caller identifies the sender of a request: a login, the admin key, or a visitor.
type Caller struct {
	Login   *account.Login // nil for visitors and the admin key
	Browser *account.Login // the login of the session cookie; differs from Login only if a bearer token was sent too
	Cookie  string         // value of the session cookie; a login replaces that session, which prevents session fixation
	Key     bool           // the admin key was sent
	Role    account.Role

	AtHome   bool     // the request uses a loopback name of this machine
	Networks []string // client networks, narrowest first; stored as keyed digests only
	Device   string   // like "Firefox on Linux"
	DeviceID string   // token of the device cookie, which logins set; empty without one
	Pending  string   // cookie of an unfinished login with X

	Counted  string      // token of the signed cookie by which visits are counted; empty without one
	Declines pricing.Why // why the visitor must not be counted; empty if they may be
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// CallerOf returns the caller of a request, or an anonymous visitor.
func CallerOf(ctx context.Context) Caller {
	who, _ := ctx.Value(callerKey{}).(Caller)
	return who
}

// AccountID returns the ID of the caller's account, or nil without a login.
func (c Caller) AccountID() *string {
	if c.Login == nil {
		return nil
	}
	return &c.Login.Account.ID
}

// MemberID returns the ID of the caller's membership, or "" without one.
func (c Caller) MemberID() string {
	if c.Login == nil || c.Login.Account.MemberID == nil {
		return ""
	}
	return *c.Login.Account.MemberID
}

// Name returns the caller's display name, without @.
func (c Caller) Name() string {
	if c.Login == nil {
		return "the admin key"
	}
	return c.Login.Name()
}

// Within downgrades the caller to a visitor if their token is for another scope. Public operations would
// otherwise show them what only the login may see.
func (c Caller) Within(scope account.Scope) Caller {
	if c.Login != nil && c.Login.Session.Scope != "" && c.Login.Session.Scope != scope {
		c.Login, c.Role = nil, account.Visitor
	}
	return c
}

// Logins returns the logins of the request: at most two, of one account.
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

// Clip shortens a text to 60 characters.
func Clip(s string) string {
	const longest = 60
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest])
	}
	return s
}

// Deref returns the text, or "" for nil.
func Deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Visitor returns a keyed digest of the signed visitor cookie, or of the narrowest network, for rate limits.
func (c Caller) Visitor(marks Marker) string {
	subject := c.Counted
	if subject == "" && len(c.Networks) > 0 {
		subject = c.Networks[0]
	}
	return marks.Mark(subject, "visitor")
}

// Asker returns the caller as limits count them.
func (c Caller) Asker(marks Marker) account.Asker {
	asker := account.Asker{Founder: c.Role == account.Founder, Visitor: c.Visitor(marks), Browser: c.DeviceID}
	if c.Role == account.Member {
		asker.Member = c.MemberID()
	}
	for _, network := range c.Networks {
		asker.Networks = append(asker.Networks, marks.Mark(network, "visitor"))
	}
	return asker
}

const visitorCookie = "visitor cookie"

// SignVisitor returns the value of the visitor cookie. Its signature keeps callers from inventing visitors.
func SignVisitor(marks Marker, token string) string {
	return token + "." + marks.Mark(token, visitorCookie)
}

// ReadVisitor returns the token of a visitor cookie, or "" if this site did not sign it.
func ReadVisitor(marks Marker, cookie string) string {
	token, mark, _ := strings.Cut(cookie, ".")
	if !account.IsToken(token) || !marks.Marked(mark, token, visitorCookie) {
		return ""
	}
	return token
}

// Audited runs do and records its audit entry in one transaction. do must use the context it receives.
func Audited(ctx context.Context, log *store.AuditLog, at time.Time, action audit.Action, do func(ctx context.Context) (detail string, err error)) error {
	return log.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		detail, err := do(ctx)
		return []audit.Entry{Entry(ctx, at, action, audit.Done, detail)}, err
	})
}

// Entry returns an audit entry for the caller.
func Entry(ctx context.Context, at time.Time, action audit.Action, outcome audit.Outcome, detail string) audit.Entry {
	who := CallerOf(ctx)
	actor := who.Name()
	if who.Login != nil {
		actor = "@" + actor
	}
	return audit.Entry{At: at, AccountID: who.AccountID(), Actor: actor, Action: action, Outcome: outcome, Detail: detail}
}
