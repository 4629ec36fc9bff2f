package httpapi

import (
	"net/url"
)

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
