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

func (s *Server) authorize(c *gin.Context) {
	if c.FullPath() == "" { // a page or an unknown path
		return
	}
	route, listed := routeOf(c)
	if !listed {
		httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint)
		return
	}
	who, err := s.identify(c)
	if err == nil {
		err = s.checkAccess(who, route.access)
	}
	if err != nil {
		c.Header("Cache-Control", httpapi.NoStore)
		httpapi.RefuseWith(c, hide(who, route.access, err))
		return
	}
	who = who.Within(route.access.scope)
	if who.Login != nil || who.Browser != nil || who.Key { // must not be cached for the next user of this browser
		c.Header("Cache-Control", httpapi.NoStore)
	}
	s.renewCookie(c, who)
	c.Request = c.Request.WithContext(httpapi.WithCaller(c.Request.Context(), who))
}

// hide replaces any refusal of a hidden route with the reply of an unknown path.
func hide(who httpapi.Caller, r access, err error) error {
	if r.hidden && who.Role < r.least && problem.CodeOf(err) != problem.Internal {
		return problem.New(problem.NotFound, httpapi.NoEndpoint)
	}
	return err
}

func (s *Server) checkAccess(who httpapi.Caller, r access) error {
	switch {
	case !r.login:
		return nil
	case who.Key && r.key:
		return nil
	case who.Key:
		return problem.New(problem.Forbidden, "The admin key isn't accepted on this endpoint. Log in instead.")
	case who.Login == nil:
		return problem.New(problem.Unauthorized, "Log in to do this.")
	case who.Login.Session.Scope != "" && who.Login.Session.Scope != r.scope:
		return problem.New(problem.Forbidden, "This token doesn't have the required scope. Log in instead.")
	case who.Role < r.least && r.least == account.Founder:
		return problem.New(problem.Forbidden, "Only founders may do this. Log in with a founder's account.")
	case who.Role < r.least, r.member && (who.MemberID() == "" || !who.Login.MemberActive):
		return problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
	case r.fresh && !who.Login.Session.Fresh(s.Now()):
		return problem.New(problem.LoginStale, "Your login is older than 10 minutes. Log in again to do this.")
	}
	return nil
}

// identify reads the credentials of a request. It refuses conflicting ones, because the caller could not know
// which account acted.
func (s *Server) identify(c *gin.Context) (httpapi.Caller, error) {
	who := httpapi.Caller{AtHome: s.atHome(c), Networks: networksOf(c.ClientIP()), Device: deviceOf(c.Request.UserAgent())}
	who.Pending, _ = c.Cookie(s.Site.CookieName(httpapi.LoginCookie))
	if device, _ := c.Cookie(s.Site.CookieName(httpapi.DeviceCookie)); account.IsToken(device) {
		who.DeviceID = device
	}
	if visitor, _ := c.Cookie(s.Site.CookieName(httpapi.VisitorCookie)); visitor != "" {
		who.Counted = httpapi.ReadVisitor(s.Marks, visitor)
	}
	who.Declines = declinedBy(c.Request.Header)
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
		return s.identifyKey(c.Request.Context(), who, key, hasBearer || cookie != "")
	}
	return s.identifyLogin(c.Request.Context(), who, bearer, hasBearer, cookie)
}

// identifyKey bounds the wrong keys of a network. Above the limit the right one is refused, too: otherwise guesses
// could continue.
func (s *Server) identifyKey(ctx context.Context, who httpapi.Caller, key string, more bool) (httpapi.Caller, error) {
	uses := who.Asker(s.Marks).By(account.WrongKeys)
	for _, use := range uses {
		if err := s.Limits.Check(ctx, use.Limit, use.Subject, s.Now()); err != nil {
			return who, err
		}
	}
	if !s.isFounder(key) {
		if err := s.Limits.ConsumeAll(ctx, uses, s.Now()); err != nil {
			return who, err
		}
		return who, problem.New(problem.Unauthorized, "Invalid admin key. Use ADMIN_KEY, or the key in the file `admin-key` of the server's data directory.")
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
			return who, problem.New(problem.Unauthorized, "This token is invalid or expired. Log in and create a new one.")
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

// loginWith returns the login of a token, or nil. It queries the database only for well-formed tokens.
func (s *Server) loginWith(ctx context.Context, token string) (*account.Login, error) {
	if !account.IsToken(token) {
		return nil, nil //nolint:nilnil // a request without a login is normal
	}
	return s.Accounts.Login(ctx, token, s.Now())
}

// atHome reports whether a request comes from this machine.
func (s *Server) atHome(c *gin.Context) bool {
	return s.Site.AtHome(c.Request, c.ClientIP(), s.proxies())
}

// proxies are the networks of TRUSTED_PROXIES, which the configuration has checked.
func (s *Server) proxies() (networks []netip.Prefix) {
	for _, proxy := range s.TrustedProxies {
		if network, err := netip.ParsePrefix(proxy); err == nil {
			networks = append(networks, network)
		} else if ip, err := netip.ParseAddr(proxy); err == nil {
			networks = append(networks, netip.PrefixFrom(ip, ip.BitLen()))
		}
	}
	return networks
}

func conflicting() error {
	return problem.New(problem.CredentialsConflict,
		"The request carries conflicting credentials. Send only one session cookie, bearer token or admin key.")
}

func oneHeader(header http.Header, name string) (value string, present bool, err error) {
	values := header.Values(name)
	if len(values) > 1 {
		return "", false, conflicting()
	}
	return header.Get(name), len(values) == 1, nil
}

func bearerOf(header http.Header) (token string, present bool, err error) {
	value, present, err := oneHeader(header, "Authorization")
	if err != nil || !present {
		return "", false, err
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false, problem.New(problem.Unauthorized, "Unsupported authorization scheme. Use `Authorization: Bearer <token>`.")
	}
	return strings.TrimSpace(token), true, nil
}

// isFounder compares digests in constant time, so that timing reveals nothing about the key.
func (s *Server) isFounder(key string) bool {
	given, want := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(s.AdminKey))
	return s.AdminKey != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
}

// networksOf returns the networks that rate limits count: an IPv4 address, or the /64, /56 and /48 of an IPv6 address,
// because providers assign networks of these sizes to one customer.
func networksOf(address string) []string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return []string{address}
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return []string{ip.String()}
	}
	networks := []string{netip.PrefixFrom(ip, 64).Masked().Addr().String()}
	for _, bits := range []int{56, 48} {
		networks = append(networks, netip.PrefixFrom(ip, bits).Masked().String())
	}
	return networks
}

// deviceOf shortens a user agent, like "Firefox on Linux".
func deviceOf(agent string) string {
	ua := useragent.Parse(strings.ToValidUTF8(agent, "\uFFFD")) // PostgreSQL rejects invalid UTF-8
	switch {
	case ua.Name != "" && ua.OS != "":
		return httpapi.Clip(ua.Name + " on " + ua.OS)
	case ua.Name != "":
		return httpapi.Clip(ua.Name)
	}
	return "an unknown device"
}

// renewCookie extends the cookie of a session in use, as the database extends the session.
func (s *Server) renewCookie(c *gin.Context, who httpapi.Caller) {
	if who.Browser == nil || who.Browser.Session.Scope != "" || s.Now().Sub(who.Browser.Session.SeenAt) < account.SlideEvery {
		return
	}
	cookie := s.Site.OpenSession(who.Cookie, who.Browser.Session.Expiry(s.Now()).Sub(s.Now()))
	http.SetCookie(c.Writer, &cookie)
}

// sessionCookieOf reads the session cookie. It refuses two different ones: an attacker may set cookies for a parent
// domain.
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

func declinedBy(header http.Header) pricing.Why {
	switch {
	case header.Get("Sec-GPC") == "1":
		return pricing.GPC
	case header.Get("DNT") == "1":
		return pricing.DoNotTrack
	}
	return pricing.Personal
}
