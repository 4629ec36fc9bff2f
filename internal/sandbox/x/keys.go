package x

import (
	"net/http"

	"customerzero/internal/sandbox/pages"
)

const (
	keysPath  = "/sandbox/x/keys"
	keysLimit = 60 // changes in 15 minutes, so that nobody can fill the file
)

// keys is what keys.html shows, as X's developer console would.
type keys struct {
	Title    string
	App      string
	Accounts []accountKeys
}

type accountKeys struct {
	Account
	Initial       string
	Tone          int
	Token, Secret string // empty: nobody made them, or they were revoked
	Configured    bool   // the app's settings have a token for the account that still works
}

// routeKeys adds the page on which people make and revoke access tokens.
func (s *Server) routeKeys(mux *http.ServeMux) {
	mux.HandleFunc("GET "+keysPath, s.showKeys)
	mux.HandleFunc("POST "+keysPath, pages.OwnOnly(s.takeKeys))
	mux.HandleFunc("DELETE "+keysPath+"/{id}", pages.OwnOnly(s.deleteKeys))
}

func (s *Server) showKeys(w http.ResponseWriter, _ *http.Request) {
	view := keys{Title: "Keys and tokens · X sandbox", App: s.config.App}
	for _, a := range s.config.accounts() {
		view.Accounts = append(view.Accounts, s.keysOf(a))
	}
	s.render(w, http.StatusOK, "keys.html", "", view)
}

func (s *Server) keysOf(a Account) accountKeys {
	shown := accountKeys{Account: a, Initial: initial(a.Name), Tone: tone(a.ID)}
	if g, found := s.state.grantOf(a.ID); found {
		shown.Token, shown.Secret = g.token, g.secret
	}
	_, works := s.state.grant(s.config.AccessToken)
	shown.Configured = works && a.ID == s.config.UserID
	return shown
}

// takeKeys takes a press of one of the page's buttons.
func (s *Server) takeKeys(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var change func(userID string) error
	switch r.PostFormValue("action") {
	case "make":
		change = s.makeKeys
	case "revoke":
		change = s.revokeKeys
	default:
		http.Error(w, "The form names no action.", http.StatusBadRequest)
		return
	}
	if account, changed := s.changeKeys(w, r.PostFormValue("account"), change); changed {
		http.Redirect(w, r, keysPath+"#account-"+account.ID, http.StatusSeeOther)
	}
}

// deleteKeys revokes for programs, which press no buttons.
func (s *Server) deleteKeys(w http.ResponseWriter, r *http.Request) {
	if _, changed := s.changeKeys(w, r.PathValue("id"), s.revokeKeys); changed {
		w.WriteHeader(http.StatusNoContent)
	}
}

// changeKeys changes an account's token, or answers why not.
func (s *Server) changeKeys(w http.ResponseWriter, userID string, change func(string) error) (Account, bool) {
	account, known := s.account(userID)
	if !known {
		http.Error(w, "There is no such account.", http.StatusNotFound)
		return Account{}, false
	}
	if _, free := s.limits.take("keys", keysLimit, shortWindow, true); !free {
		http.Error(w, "That was often. Try again in a quarter of an hour.", http.StatusTooManyRequests)
		return Account{}, false
	}
	if err := change(userID); err != nil {
		s.storageFailed(err)
		http.Error(w, "This could not be written down.", http.StatusServiceUnavailable)
		return Account{}, false
	}
	return account, true
}

func (s *Server) makeKeys(userID string) error {
	_, err := s.state.grantFor(userID)
	return err
}

// revokeKeys leaves the token of the app's settings alone: revoking is for good, and whoever
// sees the page can press its buttons.
func (s *Server) revokeKeys(userID string) error {
	g, found := s.state.grantOf(userID)
	if !found {
		return nil
	}
	return s.state.revoke(g.token)
}
