package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/account"
)

// SandboxX is the path of the X sandbox's timeline and consent page.
const SandboxX = "/sandbox/x"

// Site holds the addresses and names of the product and of the services around it.
type Site struct {
	PublicURL   string // URL of the product for users
	Username    string // the bot's X handle
	Sandbox     bool   // posts go to the X sandbox
	Local       bool   // reachable from this machine only
	Hostname    string
	MailURL     string // pages of the mail sandbox; empty without one
	StripeURL   string // pages of the Stripe sandbox; empty without one
	XBaseURL    string
	TemporalURL string // Temporal's web console
	Namespace   string
}

// Environment returns "laptop" or "production".
func (s Site) Environment() string {
	if s.Local {
		return "laptop"
	}
	return "production"
}

// ConsoleURL returns the page of a run's whole history in Temporal's console.
func (s Site) ConsoleURL(workflowID, runID string) string {
	return s.TemporalURL + "/namespaces/" + url.PathEscape(s.Namespace) + "/workflows/" +
		url.PathEscape(workflowID) + "/" + url.PathEscape(runID) + "/history"
}

// AtHome reports whether a request to a local site comes from this machine, under a loopback name: another host name
// may belong to an attacker who points it here (DNS rebinding). client is the sender's address, proxies those that may
// name it. The host of containers has an address in the network of its proxy.
func (s Site) AtHome(r *http.Request, client string, proxies []netip.Prefix) bool {
	if !s.Local || !IsLoopback(r.Host) {
		return false
	}
	peer := addressOf(r.RemoteAddr)
	forwarded := slices.ContainsFunc(forwardingHeaders, func(name string) bool { return r.Header.Get(name) != "" })
	if !forwarded {
		return peer.IsLoopback()
	}
	known := func(ip netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	sender := addressOf(client)
	return known(peer) && (sender.IsLoopback() || known(sender))
}

// forwardingHeaders show that a request passed a proxy.
var forwardingHeaders = []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"}

// addressOf parses an address with or without a port. An invalid one is no address of this machine.
func addressOf(s string) netip.Addr {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap()
	}
	ip, _ := netip.ParseAddr(s)
	return ip.Unmap()
}

// Cookies of the product, without the prefix that HTTPS gives them.
const (
	SessionCookie = "session"
	LoginCookie   = "login"  // identifies the browser that X sends back
	DeviceCookie  = "device" // identifies the browser that requests a code, and later the browsers of an account
	VisitorCookie = "visitor"
)

// CookieName adds the __Host- prefix over HTTPS. Browsers drop such cookies over HTTP.
func (s Site) CookieName(name string) string {
	if s.Secure() {
		return "__Host-" + name
	}
	return name
}

// Secure reports whether users reach the site over HTTPS.
func (s Site) Secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// Cookie returns a cookie with a lifetime; an empty value removes it.
func (s Site) Cookie(name, value string, life time.Duration) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure over HTTPS only; a laptop has none
		Name: s.CookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: s.Secure(), SameSite: http.SameSiteLaxMode,
		MaxAge: int(life.Seconds()),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// OpenSession returns the cookie of a session.
func (s Site) OpenSession(token string, life time.Duration) http.Cookie {
	return s.Cookie(SessionCookie, token, life)
}

// KnowDevice returns the cookie by which a browser is recognized at its next login.
func (s Site) KnowDevice(token string) http.Cookie {
	return s.Cookie(DeviceCookie, token, account.DeviceLife)
}

// CloseSession returns a cookie that removes the session's.
func (s Site) CloseSession() http.Cookie { return s.Cookie(SessionCookie, "", 0) }
