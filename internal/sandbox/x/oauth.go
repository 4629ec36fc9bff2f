package x

import (
	"crypto/rand"
	"crypto/subtle"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"customerzero/internal/sandbox/pages"
)

var (
	errCallback = &refusal{http.StatusForbidden, 415, "Callback URL not approved for this client application. " +
		"Approved callback URLs can be adjusted in your application settings"}
	errBackend = &refusal{http.StatusServiceUnavailable, 130, "Over capacity"}
)

// requestToken starts a sign-in.
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

// approved reports whether the callback is registered; its query is not compared.
func (s *Server) approved(callback string) bool {
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

// accessToken completes a sign-in.
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

func (s *Server) storageFailed(err error) {
	s.config.Log.Error("x sandbox: the state file could not be written", "error", err)
}

// writeForm responds in OAuth 1.0a's format, with X's Content-Type.
func writeForm(w http.ResponseWriter, values url.Values) {
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	_, _ = w.Write([]byte(values.Encode()))
}

const requestLife = 10 * time.Minute

// request is a pending sign-in, an OAuth 1.0a request token.
type request struct {
	secret, callback string
	verifier         string // set by approval
	over             bool   // canceled or redeemed
	account          Account
	expires          time.Time
}

// requests stores pending sign-ins in memory: after a restart, people sign in again.
type requests struct {
	now func() time.Time

	mu      sync.Mutex
	byToken map[string]*request
}

func newRequests(now func() time.Time) *requests {
	return &requests{now: now, byToken: map[string]*request{}}
}

// open starts a sign-in and removes those that are over.
func (q *requests) open(callback string) (token, secret string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.byToken, func(token string, _ *request) bool { return q.live(token) == nil })
	token, secret = rand.Text(), rand.Text()
	q.byToken[token] = &request{secret: secret, callback: callback, expires: q.now().Add(requestLife)}
	return token, secret
}

// live returns a sign-in that is neither over nor expired.
func (q *requests) live(token string) *request {
	if r := q.byToken[token]; r != nil && !r.over && q.now().Before(r.expires) {
		return r
	}
	return nil
}

// change applies a step to a live sign-in and returns a copy; false if the step is not possible.
func (q *requests) change(token string, step func(*request) bool) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.live(token); r != nil && step(r) {
		return *r, true
	}
	return request{}, false
}

// waits reports whether the sign-in awaits approval.
func (r *request) waits() bool { return r.verifier == "" }

// secret returns the secret that signs calls with a request token.
func (q *requests) secret(token string) (string, bool) {
	r, ok := q.change(token, func(*request) bool { return true })
	return r.secret, ok
}

// pending returns a sign-in that awaits approval.
func (q *requests) pending(token string) (request, bool) { return q.change(token, (*request).waits) }

// approve records the account that the person signs in with, once.
func (q *requests) approve(token string, account Account) (request, bool) {
	return q.change(token, func(r *request) bool {
		if !r.waits() {
			return false
		}
		r.account, r.verifier = account, rand.Text()
		return true
	})
}

// cancel ends a sign-in that awaits approval.
func (q *requests) cancel(token string) (request, bool) {
	return q.change(token, func(r *request) bool {
		r.over = r.waits()
		return r.over
	})
}

// redeem completes an approved sign-in once, if the verifier is correct.
func (q *requests) redeem(token, verifier string) (Account, bool) {
	r, ok := q.change(token, func(r *request) bool {
		r.over = !r.waits() && subtle.ConstantTimeCompare([]byte(r.verifier), []byte(verifier)) == 1
		return r.over
	})
	return r.account, ok
}

// consent is the data of authorize.html.
type consent struct {
	Title    string
	App      string
	Token    string
	Accounts []Account
	Host     string // of the callback
}

// routeConsent serves the consent page, also under /sandbox/x, so that the product can include it in its own
// origin.
func (s *Server) routeConsent(mux *http.ServeMux) {
	for _, prefix := range []string{"", "/sandbox/x"} {
		mux.HandleFunc("GET "+prefix+"/oauth/authorize", s.showConsent)
		mux.HandleFunc("POST "+prefix+"/oauth/authorize", pages.OwnOnly(s.submitConsent))
	}
}

// showConsent shows the page even if the person approved the app before.
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("oauth_token")
	req, ok := s.requests.pending(token)
	if !ok {
		s.consentGone(w)
		return
	}
	view := consent{Title: "Authorize " + s.config.App, App: s.config.App, Token: token, Accounts: s.config.accounts()}
	origin := ""
	if u, err := url.Parse(req.callback); err == nil && isWeb(u) {
		// Browsers also apply form-action to the redirect after the form.
		view.Host, origin = u.Host, u.Scheme+"://"+u.Host
	}
	s.render(w, http.StatusOK, "authorize.html", origin, view)
}

// submitConsent records the decision and redirects the person to the app.
func (s *Server) submitConsent(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	token := r.PostFormValue("oauth_token")
	req, ok := request{}, false
	if r.PostFormValue("decision") != "allow" {
		req, ok = s.requests.cancel(token)
	} else if account, known := s.account(r.PostFormValue("account")); known {
		req, ok = s.requests.approve(token, account)
	}
	switch {
	case !ok:
		s.consentGone(w)
	case req.over:
		redirect(w, r, req.callback, url.Values{"denied": {token}})
	default:
		redirect(w, r, req.callback, url.Values{"oauth_token": {token}, "oauth_verifier": {req.verifier}})
	}
}

// consentGone responds for a sign-in that is over or unknown.
func (s *Server) consentGone(w http.ResponseWriter) {
	s.render(w, http.StatusForbidden, "authorize.html", "", consent{Title: "This sign-in is over", App: s.config.App})
}

// redirect redirects to the approved callback and keeps its query.
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
