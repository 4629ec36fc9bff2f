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

// approved reports whether people may be sent to the callback. The query is the app's own.
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

func (s *Server) storageFailed(err error) {
	s.config.Log.Error("x sandbox: the state file cannot be written", "error", err)
}

// writeForm answers as OAuth 1.0a wants it, whatever the Content-Type says.
func writeForm(w http.ResponseWriter, values url.Values) {
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	_, _ = w.Write([]byte(values.Encode()))
}

const requestLife = 10 * time.Minute

// request is a sign-in under way: a request token of OAuth 1.0a.
type request struct {
	secret, callback string
	verifier         string // set once a person has agreed
	over             bool   // cancelled, or redeemed
	account          Account
	expires          time.Time
}

// requests keeps the sign-ins under way. They are for one use, and are not worth a file:
// after a restart, people sign in again.
type requests struct {
	now func() time.Time

	mu      sync.Mutex
	byToken map[string]*request
}

func newRequests(now func() time.Time) *requests {
	return &requests{now: now, byToken: map[string]*request{}}
}

// open begins a sign-in, and forgets those that are over.
func (q *requests) open(callback string) (token, secret string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.byToken, func(token string, _ *request) bool { return q.live(token) == nil })
	token, secret = rand.Text(), rand.Text()
	q.byToken[token] = &request{secret: secret, callback: callback, expires: q.now().Add(requestLife)}
	return token, secret
}

// live returns a sign-in that is neither used up nor too old.
func (q *requests) live(token string) *request {
	if r := q.byToken[token]; r != nil && !r.over && q.now().Before(r.expires) {
		return r
	}
	return nil
}

// change returns a copy of a live sign-in after a step, which reports whether it can be taken.
func (q *requests) change(token string, step func(*request) bool) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.live(token); r != nil && step(r) {
		return *r, true
	}
	return request{}, false
}

// waits reports whether the sign-in waits for the person's answer.
func (r *request) waits() bool { return r.verifier == "" }

// secret is what calls with this request token are signed with.
func (q *requests) secret(token string) (string, bool) {
	r, ok := q.change(token, func(*request) bool { return true })
	return r.secret, ok
}

// pending returns a sign-in that waits for the person's answer.
func (q *requests) pending(token string) (request, bool) { return q.change(token, (*request).waits) }

// approve records whom the person signs in as, once.
func (q *requests) approve(token string, account Account) (request, bool) {
	return q.change(token, func(r *request) bool {
		if !r.waits() {
			return false
		}
		r.account, r.verifier = account, rand.Text()
		return true
	})
}

// cancel ends a sign-in that waits for the person's answer.
func (q *requests) cancel(token string) (request, bool) {
	return q.change(token, func(r *request) bool {
		r.over = r.waits()
		return r.over
	})
}

// redeem ends a sign-in that was agreed to, once, for the one who has the verifier.
func (q *requests) redeem(token, verifier string) (Account, bool) {
	r, ok := q.change(token, func(r *request) bool {
		r.over = !r.waits() && subtle.ConstantTimeCompare([]byte(r.verifier), []byte(verifier)) == 1
		return r.over
	})
	return r.account, ok
}

// consent is what authorize.html shows.
type consent struct {
	Title    string
	App      string
	Token    string
	Accounts []Account
	Host     string // where the answer goes
}

// routeConsent adds the page on which a person lets the app act for an account. The
// product may show it under its own origin, hence the second set of paths.
func (s *Server) routeConsent(mux *http.ServeMux) {
	for _, prefix := range []string{"", "/sandbox/x"} {
		mux.HandleFunc("GET "+prefix+"/oauth/authorize", s.showConsent)
		mux.HandleFunc("POST "+prefix+"/oauth/authorize", pages.OwnOnly(s.submitConsent))
	}
}

// showConsent shows the page, also to a person who approved the app before.
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
		// Browsers hold the answer's redirect against the policy of the form's page.
		view.Host, origin = u.Host, u.Scheme+"://"+u.Host
	}
	s.render(w, http.StatusOK, "authorize.html", origin, view)
}

// submitConsent records the person's answer and redirects them to the app with it.
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
