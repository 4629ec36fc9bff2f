package x

import (
	"crypto/rand"
	"crypto/subtle"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
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

const (
	requestLife = 10 * time.Minute
	maxRequests = 1000 // the oldest give way, so that nobody can fill the memory
	outOfBand   = "oob"
)

// request is a sign-in under way: a request token of OAuth 1.0a.
type request struct {
	secret, callback string
	verifier         string // set once a person has agreed
	account          Account
	expires          time.Time
}

// requests keeps the sign-ins under way. They are for one use, and are not worth a file:
// after a restart, people sign in again.
type requests struct {
	now func() time.Time

	mu    sync.Mutex
	byTok map[string]*request
	order []string // oldest first
}

func newRequests(now func() time.Time) *requests {
	return &requests{now: now, byTok: map[string]*request{}}
}

// open begins a sign-in.
func (q *requests) open(callback string) (token, secret string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) > 0 && (len(q.order) >= maxRequests || q.live(q.order[0]) == nil) {
		delete(q.byTok, q.order[0])
		q.order = q.order[1:]
	}
	token, secret = rand.Text(), rand.Text()
	q.byTok[token] = &request{secret: secret, callback: callback, expires: q.now().Add(requestLife)}
	q.order = append(q.order, token)
	return token, secret
}

// live gives a sign-in that is neither used up nor too old.
func (q *requests) live(token string) *request {
	if r := q.byTok[token]; r != nil && q.now().Before(r.expires) {
		return r
	}
	return nil
}

// secret is what calls with this request token are signed with.
func (q *requests) secret(token string) (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.live(token); r != nil {
		return r.secret, true
	}
	return "", false
}

// pending gives a sign-in that waits for a person's answer.
func (q *requests) pending(token string) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.live(token); r != nil && r.verifier == "" {
		return *r, true
	}
	return request{}, false
}

// agree notes whom the person signs in as, once.
func (q *requests) agree(token string, account Account) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.live(token)
	if r == nil || r.verifier != "" {
		return request{}, false
	}
	r.account, r.verifier = account, newVerifier(r.callback)
	return *r, true
}

// cancel ends a sign-in that waits for a person's answer.
func (q *requests) cancel(token string) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.live(token)
	if r == nil || r.verifier != "" {
		return request{}, false
	}
	delete(q.byTok, token)
	return *r, true
}

// redeem ends a sign-in that was agreed to, once, for the one who has the verifier.
func (q *requests) redeem(token, verifier string) (Account, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.live(token)
	if r == nil || r.verifier == "" || subtle.ConstantTimeCompare([]byte(r.verifier), []byte(verifier)) != 1 {
		return Account{}, false
	}
	delete(q.byTok, token)
	return r.account, true
}

// newVerifier is a PIN where a person has to type it in.
func newVerifier(callback string) string {
	if callback != outOfBand {
		return rand.Text()
	}
	n, err := rand.Int(rand.Reader, big.NewInt(9_000_000))
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return n.Add(n, big.NewInt(1_000_000)).String()
}
