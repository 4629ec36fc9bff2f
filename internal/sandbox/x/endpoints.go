package x

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// endpoint is one operation of X's API.
type endpoint struct {
	name  string
	on    Target // target of fault rules
	limit int    // calls per 15 minutes; 0: unlimited
	token tokenKind
	serve func(http.ResponseWriter, *http.Request, call)
}

// tokenKind is the kind of token that signs an endpoint's calls.
type tokenKind int

const (
	accessKind tokenKind = iota
	requestKind
	noToken
)

// endpoints lists X's operations with X's limits.
func (s *Server) endpoints() map[string]endpoint {
	return map[string]endpoint{
		"POST /oauth/request_token": {name: "request_token", on: OnRequestToken, token: noToken, serve: s.requestToken},
		"POST /oauth/access_token":  {name: "access_token", on: OnAccessToken, token: requestKind, serve: s.accessToken},
		"POST /2/tweets":            {name: "create", on: OnPost, limit: s.config.Limit, serve: s.createTweet},
		"DELETE /2/tweets/{id}":     {name: "delete", on: onDelete, limit: 50, serve: s.deleteTweet},
		"GET /2/tweets":             {name: "tweets", on: OnRead, limit: 5000, serve: s.readTweets},
		"GET /2/users/me":           {name: "me", on: OnRead, limit: 75, serve: s.readMe},
		"GET /2/users/{id}/tweets":  {name: "timeline", on: OnRead, limit: 900, serve: s.readTimeline},
	}
}

// modern reports whether the endpoint is part of API v2, which has its own error format.
func (e endpoint) modern() bool { return e.limit > 0 }

// signedEndpoint verifies a call's signature and limit, and serves it or applies a fault.
func (s *Server) signedEndpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-access-level", "read-write")
		now, refused := s.injectCheck(e, w.Header())
		var c call
		if refused == nil {
			c, refused = s.verify(w, r, now, s.secretFor(e.token))
		}
		if refused != nil {
			e.refuse(w, refused)
			return
		}
		if g, ok := s.state.grant(c.token); ok {
			c.user, _ = s.account(g.userID)
		}
		if e.modern() && s.limited(w.Header(), e, c.user.ID) {
			plain(w, http.StatusTooManyRequests)
			return
		}
		s.inject(s.pick(e.on, false), e, w, r, c)
	})
}

// refuse responds to a call that was not verified.
func (e endpoint) refuse(w http.ResponseWriter, why *refusal) {
	switch {
	case !e.modern():
		refuse(w, why)
	case why == errBody:
		plain(w, why.status)
	default:
		plain(w, http.StatusUnauthorized) // API v2 does not return the reason
	}
}

// secretFor returns a lookup of the secrets of one kind of token. Grants of accounts that are no longer
// configured are unknown.
func (s *Server) secretFor(kind tokenKind) func(string) (string, bool) {
	switch kind {
	case noToken:
		return func(token string) (string, bool) { return "", token == "" }
	case requestKind:
		return s.requests.secret
	default:
		return func(token string) (string, bool) {
			g, known := s.state.grant(token)
			_, configured := s.account(g.userID)
			return g.secret, known && configured
		}
	}
}

const shortWindow = 15 * time.Minute

// limits counts calls in windows, each of which starts with its first call.
type limits struct {
	now func() time.Time

	mu      sync.Mutex
	windows map[string]window
}

type window struct {
	used  int
	reset time.Time
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, windows: map[string]window{}}
}

// consume counts a call within the limit and reports whether it was within it.
func (l *limits) consume(key string, limit int) (window, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.windows[key]
	if now := l.now(); !now.Before(w.reset) {
		w = window{reset: now.Add(shortWindow)}
	}
	free := w.used < limit
	if free {
		w.used++
	}
	l.windows[key] = w
	return w, free
}

// unixCeil rounds up, so that a client that waits until then has waited long enough.
func unixCeil(t time.Time) int64 { return int64(math.Ceil(float64(t.UnixMilli()) / 1000)) }

// limited counts the call, sets the rate limit headers, and reports whether the limit is exceeded.
func (s *Server) limited(h http.Header, e endpoint, user string) bool {
	w, free := s.limits.consume(e.name+" "+user, e.limit)
	h.Set("x-rate-limit-limit", strconv.Itoa(e.limit))
	h.Set("x-rate-limit-remaining", strconv.Itoa(e.limit-w.used))
	h.Set("x-rate-limit-reset", strconv.FormatInt(unixCeil(w.reset), 10))
	return !free
}
