package x

import (
	"net/http"
	"net/url"

	"customerzero/internal/sandbox/pages"
)

// consent is what authorize.html shows.
type consent struct {
	Title    string
	App      string
	Token    string
	Accounts []Account
	Chosen   string // the account that is suggested
	Host     string // where the answer goes; none: a PIN is shown
	PIN      string
}

// routeConsent adds the page on which a person lets the app act for an account. The
// product may show it under its own origin, hence the second set of paths.
func (s *Server) routeConsent(mux *http.ServeMux) {
	for _, prefix := range []string{"", "/sandbox/x"} {
		for _, path := range []string{"/oauth/authorize", "/oauth/authenticate"} {
			mux.HandleFunc("GET "+prefix+path, s.askConsent)
			mux.HandleFunc("POST "+prefix+path, pages.OwnOnly(s.takeConsent))
		}
	}
}

// askConsent shows the page. It asks every time, even where X would remember.
func (s *Server) askConsent(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("oauth_token")
	req, ok := s.requests.pending(token)
	if !ok {
		s.consentGone(w)
		return
	}
	view := consent{Title: "Authorize " + s.config.App, App: s.config.App, Token: token, Accounts: s.config.accounts()}
	view.Chosen = view.Accounts[0].ID
	for _, a := range view.Accounts {
		if a.Username == r.URL.Query().Get("screen_name") {
			view.Chosen = a.ID
		}
	}
	origin := ""
	if u, err := url.Parse(req.callback); err == nil && isWeb(u) {
		// Browsers hold the answer's redirect against the policy of the form's page.
		view.Host, origin = u.Host, u.Scheme+"://"+u.Host
	}
	s.render(w, http.StatusOK, "authorize.html", origin, view)
}

// takeConsent takes the person's answer and sends them back to the app with it.
func (s *Server) takeConsent(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	token := r.PostFormValue("oauth_token")
	if r.PostFormValue("decision") != "allow" {
		s.cancelConsent(w, r, token)
		return
	}
	account, known := s.account(r.PostFormValue("account"))
	if r.PostFormValue("account") == "" {
		account, known = s.config.accounts()[0], true
	}
	if !known {
		s.consentGone(w)
		return
	}
	req, ok := s.requests.agree(token, account)
	switch {
	case !ok:
		s.consentGone(w)
	case req.callback == outOfBand:
		s.render(w, http.StatusOK, "authorize.html", "", consent{
			Title: "Your PIN for " + s.config.App, App: s.config.App, PIN: req.verifier,
		})
	default:
		redirect(w, r, req.callback, url.Values{"oauth_token": {token}, "oauth_verifier": {req.verifier}})
	}
}

func (s *Server) cancelConsent(w http.ResponseWriter, r *http.Request, token string) {
	req, ok := s.requests.cancel(token)
	if !ok || req.callback == outOfBand {
		s.consentGone(w)
		return
	}
	redirect(w, r, req.callback, url.Values{"denied": {token}})
}

// consentGone answers where there is nothing, or no longer anything, to agree to.
func (s *Server) consentGone(w http.ResponseWriter) {
	s.render(w, http.StatusForbidden, "authorize.html", "", consent{Title: "This sign-in is over", App: s.config.App})
}

// redirect goes to the callback, which was approved, and keeps its own query.
func redirect(w http.ResponseWriter, r *http.Request, callback string, add url.Values) {
	u, err := url.Parse(callback)
	if err != nil {
		http.Error(w, "The callback is not a URL.", http.StatusBadRequest)
		return
	}
	query := u.Query()
	for name, values := range add {
		query[name] = values
	}
	u.RawQuery = query.Encode()
	http.Redirect(w, r, u.String(), http.StatusFound)
}
