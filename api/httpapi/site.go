package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
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
