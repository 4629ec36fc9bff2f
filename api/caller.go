package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/mileusna/useragent"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// caller is who asks: a login, the founders' key, or a visitor.
type caller struct {
	login   *account.Login // nil: no login
	browser *account.Login // the cookie's: the same one, unless a bearer token came too
	cookie  string         // the session's, as it came: a login replaces it, so that a planted one is not the session after
	key     bool           // the founders' key
	role    account.Role

	atHome  bool   // comes to this machine under a name of its own
	address string // of the network; kept as a keyed digest only
	device  string
	pending string // the cookie of a login through X under way

	counted  string      // the cookie by which visits are counted
	declines pricing.Why // to be counted; empty: does not say so
}

const adminKeyHeader = "X-Admin-Key"

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// accountID names the caller's account, for rows that refer to it.
func (c caller) accountID() *string {
	if c.login == nil {
		return nil
	}
	return &c.login.Account.ID
}

// memberID names the caller's membership; empty without one.
func (c caller) memberID() string {
	if c.login == nil || c.login.Account.MemberID == nil {
		return ""
	}
	return *c.login.Account.MemberID
}

// name is how people know the caller, without @.
func (c caller) name() string {
	if c.login == nil {
		return "the founders' key"
	}
	return c.login.Name()
}

// actor names the caller in the audit.
func (c caller) actor() string {
	if c.login == nil {
		return "the founders' key"
	}
	return "@" + c.login.Name()
}

// authorize finds out who asks and holds it against the table, for every route alike.
func (s *Server) authorize(c *gin.Context) {
	if c.FullPath() == "" { // a page, or nothing at all
		return
	}
	route, listed := routeOf(c)
	if !listed {
		refuse(c, problem.NotFound, "There is nothing here.")
		return
	}
	who, err := s.identify(c)
	if err == nil {
		err = s.judge(who, route.access)
	}
	if err != nil {
		c.Header("Cache-Control", noStore)
		refuseWith(c, hide(who, route.access, err))
		return
	}
	who = who.within(route.access)
	if who.login != nil || who.browser != nil || who.key { // what they see is not for the next person at this machine
		c.Header("Cache-Control", noStore)
	}
	s.renewCookie(c, who)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), callerKey{}, who))
}

// hide answers for a hidden route as for one that does not exist, whatever else is wrong.
func hide(who caller, r access, err error) error {
	if r.hidden && who.role < r.least && problem.CodeOf(err) != problem.Internal {
		return problem.New(problem.NotFound, "There is nothing here.")
	}
	return err
}

// within makes a visitor of a minted token's holder where the token has no business: what
// everybody may call shows some people more.
func (c caller) within(r access) caller {
	if c.login != nil && c.login.Session.Scope != "" && c.login.Session.Scope != r.scope {
		c.login, c.role = nil, account.Visitor
	}
	return c
}

// logins are what the request came with: at most two, of one account.
func (c caller) logins() []*account.Login {
	var all []*account.Login
	if c.login != nil {
		all = append(all, c.login)
	}
	if c.browser != nil && c.browser != c.login {
		all = append(all, c.browser)
	}
	return all
}

func (s *Server) judge(who caller, r access) error {
	switch {
	case !r.login:
		return nil
	case who.key && r.key:
		return nil
	case who.key:
		return problem.New(problem.Forbidden, "The founders' key is for the queue. Log in to do this.")
	case who.login == nil:
		return problem.New(problem.Unauthorized, "Log in to do this.")
	case who.login.Session.Scope != "" && who.login.Session.Scope != r.scope:
		return problem.New(problem.Forbidden, "This token is for other calls.")
	case who.role < r.least && r.least == account.Founder:
		return problem.New(problem.Forbidden, "Only founders may do this.")
	case who.role < r.least:
		return problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
	case r.fresh && !who.login.Session.Fresh(s.Now()):
		return problem.New(problem.LoginStale, "Your login is older than ten minutes. Log in again to do this.")
	}
	return nil
}

// identify reads what a request says of its sender. Two that do not agree are refused:
// whoever mixes them up should not find out later as whom they acted.
func (s *Server) identify(c *gin.Context) (caller, error) {
	who := caller{atHome: s.atHome(c.Request), address: networkOf(c.ClientIP()), device: deviceOf(c.Request.UserAgent())}
	who.pending = oneCookie(c.Request, s.cookieName(pendingCookie))
	who.counted, who.declines = oneCookie(c.Request, s.cookieName(visitorCookie)), declinedBy(c.Request.Header)
	key, hasKey, err := oneHeader(c.Request.Header, adminKeyHeader)
	if err != nil {
		return who, err
	}
	bearer, hasBearer, err := bearerOf(c.Request.Header)
	if err != nil {
		return who, err
	}
	cookie, err := s.sessionCookieOf(c.Request)
	if err != nil {
		return who, err
	}
	if hasKey {
		return s.identifyKey(who, key, hasBearer || cookie != "")
	}
	return s.identifyLogin(c.Request.Context(), who, bearer, hasBearer, cookie)
}

func (s *Server) identifyKey(who caller, key string, more bool) (caller, error) {
	if !s.isFounder(key) {
		return who, problem.New(problem.Unauthorized, "This is not the founders' key. customerzero doctor says where it is.")
	}
	if more {
		return who, conflicting()
	}
	who.key, who.role = true, account.Founder
	return who, nil
}

func (s *Server) identifyLogin(ctx context.Context, who caller, bearer string, hasBearer bool, cookie string) (caller, error) {
	byCookie, err := s.loginWith(ctx, cookie)
	if err != nil {
		return who, err
	}
	who.login, who.browser, who.cookie = byCookie, byCookie, cookie
	if hasBearer {
		byBearer, err := s.loginWith(ctx, bearer)
		if err != nil {
			return who, err
		}
		if byBearer == nil {
			return who, problem.New(problem.Unauthorized, "This token is not good any more. Log in, and make a new one.")
		}
		if byCookie != nil && byCookie.Account.ID != byBearer.Account.ID {
			return who, conflicting()
		}
		who.login = byBearer
	}
	if who.login != nil {
		who.role = s.Founders.RoleOf(who.login.Account, who.login.MemberActive)
	}
	return who, nil
}

// loginWith finds a token's login. What cannot be a token is not looked up.
func (s *Server) loginWith(ctx context.Context, token string) (*account.Login, error) {
	if !account.IsToken(token) {
		return nil, nil //nolint:nilnil // nobody is an ordinary answer
	}
	return s.Accounts.Login(ctx, token, s.Now())
}

func conflicting() error {
	return problem.New(problem.CredentialsConflict,
		"The request names two different senders: use the session's cookie, one bearer token or the founders' key, and only one of them.")
}

func oneHeader(header http.Header, name string) (value string, present bool, err error) {
	values := header.Values(name)
	if len(values) > 1 {
		return "", false, conflicting()
	}
	if len(values) == 0 {
		return "", false, nil
	}
	return values[0], true, nil
}

func bearerOf(header http.Header) (token string, present bool, err error) {
	value, present, err := oneHeader(header, "Authorization")
	if err != nil || !present {
		return "", false, err
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false, problem.New(problem.Unauthorized, "Only bearer tokens are taken in the Authorization header.")
	}
	return strings.TrimSpace(token), true, nil
}

// isFounder compares digests, so that the time taken says nothing about the key.
func (s *Server) isFounder(key string) bool {
	given, want := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(s.AdminKey))
	return s.AdminKey != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
}

// networkOf is what counts as one sender: an IPv4 address, or the network of an IPv6 address, in which
// a household has as many addresses as it likes.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr().WithZone("")
	}
	return ip.String()
}

// deviceOf makes of a browser's long description what people call it.
func deviceOf(agent string) string {
	ua := useragent.Parse(strings.ToValidUTF8(agent, "\uFFFD")) // the database takes only text
	switch {
	case ua.Name != "" && ua.OS != "":
		return clip(ua.Name + " on " + ua.OS)
	case ua.Name != "":
		return clip(ua.Name)
	}
	return "an unknown device"
}

func clip(s string) string {
	const longest = 60
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest])
	}
	return s
}
