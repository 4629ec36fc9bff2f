package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
)

const (
	sessionCookie = "session"
	pendingCookie = "login" // who leaves for X comes back with it
	visitorCookie = "visitor"
)

// cookieName marks cookies that a browser may only take from this host over HTTPS. A
// laptop has no HTTPS, and browsers would drop them.
func (s *Server) cookieName(name string) string {
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

func (s *Server) secure() bool { return strings.HasPrefix(s.Site.PublicURL, "https://") }

func (s *Server) cookie(name, value string, life time.Duration) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure where there is HTTPS; a laptop has none
		Name: s.cookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
		MaxAge: int(life.Seconds()),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// openSession is the cookie of a new session.
func (s *Server) openSession(token string) http.Cookie {
	return s.cookie(sessionCookie, token, account.SessionLife)
}

func (s *Server) closeSession() http.Cookie { return s.cookie(sessionCookie, "", 0) }

// renewCookie makes the browser keep a session for as long as the database does: one in
// use lasts on.
func (s *Server) renewCookie(c *gin.Context, who httpapi.Caller) {
	if who.Browser == nil || who.Browser.Session.Scope != "" || s.Now().Sub(who.Browser.Session.SeenAt) < account.SlideEvery {
		return
	}
	cookie := s.openSession(who.Cookie)
	http.SetCookie(c.Writer, &cookie)
}

// sessionCookieOf reads the session's cookie. Two different ones are nobody's mistake but
// an attacker's, who may set cookies for a parent domain.
func (s *Server) sessionCookieOf(r *http.Request) (string, error) {
	found := ""
	for _, c := range r.CookiesNamed(s.cookieName(sessionCookie)) {
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
