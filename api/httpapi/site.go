package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"customerzero/internal/domain/account"
)

// SandboxX is where the sandbox of X shows its timeline and its consent page.
const SandboxX = "/sandbox/x"

// Site says what stands around the product, for links.
type Site struct {
	PublicURL   string // how people reach us
	Username    string // the bot's X handle
	Sandbox     bool   // X is the stand-in
	Local       bool   // only people at this machine reach us
	Hostname    string
	MailURL     string // the mail sandbox's pages; empty: there is none
	StripeURL   string // the Stripe sandbox's; empty: there is none
	XBaseURL    string
	TemporalURL string // the Web console
	Namespace   string
}

// Environment says in a word where this runs.
func (s Site) Environment() string {
	if s.Local {
		return "laptop"
	}
	return "production"
}

// ConsoleURL is where founders see the whole history of a run.
func (s Site) ConsoleURL(workflowID, runID string) string {
	return s.TemporalURL + "/namespaces/" + url.PathEscape(s.Namespace) + "/workflows/" +
		url.PathEscape(workflowID) + "/" + url.PathEscape(runID) + "/history"
}

// AtHome says whether a request comes to this machine under a name of its own. Another
// name may be an attacker's that leads here.
func (s Site) AtHome(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(host)
	return s.Local && (host == "localhost" || err == nil && address.IsLoopback())
}

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
