package httpapi

import (
	"net/http"
	"strings"
	"time"

	"customerzero/internal/domain/account"
)

// Cookies of the product, without the prefix that HTTPS gives them.
const (
	SessionCookie = "session"
	LoginCookie   = "login" // a browser that leaves for X comes back with it
	VisitorCookie = "visitor"
)

// CookieName marks cookies that a browser may only take from this host over HTTPS. A laptop has no
// HTTPS, and browsers would drop them.
func (s Site) CookieName(name string) string {
	if s.Secure() {
		return "__Host-" + name
	}
	return name
}

// Secure reports whether users reach us over HTTPS.
func (s Site) Secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// Cookie sets a cookie for its life; an empty value removes it.
func (s Site) Cookie(name, value string, life time.Duration) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure where there is HTTPS; a laptop has none
		Name: s.CookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: s.Secure(), SameSite: http.SameSiteLaxMode,
		MaxAge: int(life.Seconds()),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// OpenSession is the cookie of a new session.
func (s Site) OpenSession(token string) http.Cookie {
	return s.Cookie(SessionCookie, token, account.SessionLife)
}

// CloseSession removes the session's cookie.
func (s Site) CloseSession() http.Cookie { return s.Cookie(SessionCookie, "", 0) }
