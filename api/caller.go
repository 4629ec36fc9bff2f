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

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

const adminKeyHeader = "X-Admin-Key"

// authorize finds out who asks and holds it against the table, for every route alike.
func (s *Server) authorize(c *gin.Context) {
	if c.FullPath() == "" { // a page, or nothing at all
		return
	}
	route, listed := routeOf(c)
	if !listed {
		httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
		return
	}
	who, err := s.identify(c)
	if err == nil {
		err = s.judge(who, route.access)
	}
	if err != nil {
		c.Header("Cache-Control", httpapi.NoStore)
		httpapi.RefuseWith(c, hide(who, route.access, err))
		return
	}
	who = who.Within(route.access.scope)
	if who.Login != nil || who.Browser != nil || who.Key { // what they see is not for the next person at this machine
		c.Header("Cache-Control", httpapi.NoStore)
	}
	s.renewCookie(c, who)
	c.Request = c.Request.WithContext(httpapi.WithCaller(c.Request.Context(), who))
}

// hide answers for a hidden route as for one that does not exist, whatever else is wrong.
func hide(who httpapi.Caller, r access, err error) error {
	if r.hidden && who.Role < r.least && problem.CodeOf(err) != problem.Internal {
		return problem.New(problem.NotFound, "There is nothing here.")
	}
	return err
}

func (s *Server) judge(who httpapi.Caller, r access) error {
	switch {
	case !r.login:
		return nil
	case who.Key && r.key:
		return nil
	case who.Key:
		return problem.New(problem.Forbidden, "The founders' key is for the queue. Log in to do this.")
	case who.Login == nil:
		return problem.New(problem.Unauthorized, "Log in to do this.")
	case who.Login.Session.Scope != "" && who.Login.Session.Scope != r.scope:
		return problem.New(problem.Forbidden, "This token is for other calls.")
	case who.Role < r.least && r.least == account.Founder:
		return problem.New(problem.Forbidden, "Only founders may do this.")
	case who.Role < r.least, r.member && (who.MemberID() == "" || !who.Login.MemberActive):
		return problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
	case r.fresh && !who.Login.Session.Fresh(s.Now()):
		return problem.New(problem.LoginStale, "Your login is older than ten minutes. Log in again to do this.")
	}
	return nil
}

// identify reads what a request says of its sender. Two that do not agree are refused:
// whoever mixes them up should not find out later as whom they acted.
func (s *Server) identify(c *gin.Context) (httpapi.Caller, error) {
	who := httpapi.Caller{AtHome: s.Site.AtHome(c.Request), Address: networkOf(c.ClientIP()), Device: deviceOf(c.Request.UserAgent())}
	who.Pending = oneCookie(c.Request, s.Site.CookieName(httpapi.LoginCookie))
	who.Counted, who.Declines = oneCookie(c.Request, s.Site.CookieName(httpapi.VisitorCookie)), declinedBy(c.Request.Header)
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

func (s *Server) identifyKey(who httpapi.Caller, key string, more bool) (httpapi.Caller, error) {
	if !s.isFounder(key) {
		return who, problem.New(problem.Unauthorized, "This is not the founders' key. customerzero doctor says where it is.")
	}
	if more {
		return who, conflicting()
	}
	who.Key, who.Role = true, account.Founder
	return who, nil
}

func (s *Server) identifyLogin(ctx context.Context, who httpapi.Caller, bearer string, hasBearer bool, cookie string) (httpapi.Caller, error) {
	byCookie, err := s.loginWith(ctx, cookie)
	if err != nil {
		return who, err
	}
	who.Login, who.Browser, who.Cookie = byCookie, byCookie, cookie
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
		who.Login = byBearer
	}
	if who.Login != nil {
		who.Role = s.Founders.RoleOf(who.Login.Account, who.Login.MemberActive)
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
		return httpapi.Clip(ua.Name + " on " + ua.OS)
	case ua.Name != "":
		return httpapi.Clip(ua.Name)
	}
	return "an unknown device"
}

// renewCookie makes the browser keep a session for as long as the database does: one in
// use lasts on.
func (s *Server) renewCookie(c *gin.Context, who httpapi.Caller) {
	if who.Browser == nil || who.Browser.Session.Scope != "" || s.Now().Sub(who.Browser.Session.SeenAt) < account.SlideEvery {
		return
	}
	cookie := s.Site.OpenSession(who.Cookie)
	http.SetCookie(c.Writer, &cookie)
}

// sessionCookieOf reads the session's cookie. Two different ones are nobody's mistake but
// an attacker's, who may set cookies for a parent domain.
func (s *Server) sessionCookieOf(r *http.Request) (string, error) {
	found := ""
	for _, c := range r.CookiesNamed(s.Site.CookieName(httpapi.SessionCookie)) {
		if found != "" && c.Value != found {
			return "", conflicting()
		}
		found = c.Value
	}
	return found, nil
}

func oneCookie(r *http.Request, name string) string {
	if c, err := r.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

// declinedBy reads what a browser says about being tracked.
func declinedBy(header http.Header) pricing.Why {
	switch {
	case header.Get("Sec-GPC") == "1":
		return pricing.GPC
	case header.Get("DNT") == "1":
		return pricing.DoNotTrack
	}
	return pricing.Personal
}
