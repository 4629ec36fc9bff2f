package x

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

var (
	errCallback = &refusal{http.StatusForbidden, 415, "Callback URL not approved for this client application. " +
		"Approved callback URLs can be adjusted in your application settings"}
	errBackend = &refusal{http.StatusServiceUnavailable, 130, "Over capacity"}
)

// requestToken begins a sign-in.
func (s *Server) requestToken(w http.ResponseWriter, _ *http.Request, c call) {
	callback := c.param("oauth_callback")
	if !s.approved(callback) {
		refuse(w, errCallback)
		return
	}
	token, secret := s.requests.open(callback)
	writeForm(w, url.Values{
		"oauth_token": {token}, "oauth_token_secret": {secret},
		"oauth_callback_confirmed": {strconv.FormatBool(!c.unconfirmed)},
	})
}

// approved says whether people may be sent to the callback. The query is the app's own.
func (s *Server) approved(callback string) bool {
	if callback == outOfBand {
		return true
	}
	u, err := url.Parse(callback)
	if err != nil || !isWeb(u) {
		return false
	}
	if len(s.config.Callbacks) == 0 {
		return isLoopback(u.Hostname())
	}
	return slices.ContainsFunc(s.config.Callbacks, func(registered string) bool {
		known, err := url.Parse(registered)
		return err == nil && known.Scheme == u.Scheme && known.Host == u.Host && known.Path == u.Path
	})
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// accessToken ends a sign-in.
func (s *Server) accessToken(w http.ResponseWriter, _ *http.Request, c call) {
	account, ok := s.requests.redeem(c.token, c.param("oauth_verifier"))
	if !ok {
		refuse(w, errCredentials)
		return
	}
	g, err := s.state.grantFor(account.ID)
	if err != nil {
		s.storageFailed(err)
		refuse(w, errBackend)
		return
	}
	writeForm(w, url.Values{
		"oauth_token": {g.token}, "oauth_token_secret": {g.secret},
		"user_id": {account.ID}, "screen_name": {account.Username},
	})
}

// invalidateToken revokes the token that the call was signed with.
func (s *Server) invalidateToken(w http.ResponseWriter, _ *http.Request, c call) {
	if err := s.state.revoke(c.token); err != nil {
		s.storageFailed(err)
		refuse(w, errBackend)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"access_token": c.token})
}

func (s *Server) storageFailed(err error) {
	s.config.Log.Error("x sandbox: the state file cannot be written", "error", err)
}

// writeForm answers as OAuth 1.0a wants it, whatever the Content-Type says.
func writeForm(w http.ResponseWriter, values url.Values) {
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	_, _ = w.Write([]byte(values.Encode()))
}
