package x

import (
	"crypto/rand"
	"crypto/subtle"
	"math/big"
	"sync"
	"time"
)

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
