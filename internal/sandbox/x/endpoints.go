package x

import "net/http"

// endpoint is one of X's calls.
type endpoint struct {
	name  string
	on    Target // what a fault calls it
	limit int    // calls in 15 minutes; 0: none
	daily bool   // X caps it per day too
	token tokenKind
	serve func(http.ResponseWriter, *http.Request, call)
}

// tokenKind is the token that an endpoint's calls are signed with.
type tokenKind int

const (
	accessKind tokenKind = iota
	requestKind
	noToken
)

// endpoints lists X's calls, with X's limits.
func (s *Server) endpoints() map[string]endpoint {
	revoke := endpoint{name: "revoke", on: onRevoke, serve: s.invalidateToken}
	return map[string]endpoint{
		"POST /oauth/request_token":             {name: "request_token", on: OnRequestToken, token: noToken, serve: s.requestToken},
		"POST /oauth/access_token":              {name: "access_token", on: OnAccessToken, token: requestKind, serve: s.accessToken},
		"POST /1.1/oauth/invalidate_token":      revoke,
		"POST /1.1/oauth/invalidate_token.json": revoke,
		"POST /2/tweets":                        {name: "create", on: OnPost, limit: s.config.Limit, daily: true, serve: s.createTweet},
		"DELETE /2/tweets/{id}":                 {name: "delete", on: onDelete, limit: 50, serve: s.deleteTweet},
		"GET /2/tweets/{id}":                    {name: "tweet", on: OnRead, limit: 900, serve: s.readTweet},
		"GET /2/tweets":                         {name: "tweets", on: OnRead, limit: 5000, serve: s.readTweets},
		"GET /2/users/me":                       {name: "me", on: OnRead, limit: 75, serve: s.readMe},
		"GET /2/users/{id}/tweets":              {name: "timeline", on: OnRead, limit: 900, serve: s.readTimeline},
	}
}

// modern says whether the endpoint is of API v2, which words its errors in another way.
func (e endpoint) modern() bool { return e.limit > 0 }

// signedEndpoint lets a call in when its signature and the limits allow it, and serves it,
// unless a fault has other plans.
func (s *Server) signedEndpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-access-level", "read-write")
		now, refused := s.meddle(e, w.Header())
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
		if rule, hit := s.pick(e.on); hit {
			s.inflict(rule, e, w, r, c)
			return
		}
		e.serve(w, r, c)
	})
}

// refuse answers a call that was not let in.
func (e endpoint) refuse(w http.ResponseWriter, why *refusal) {
	switch {
	case !e.modern():
		refuse(w, why)
	case why == errBody:
		plain(w, why.status)
	default:
		plain(w, http.StatusUnauthorized) // v2 does not say why
	}
}

// secretFor knows the tokens of one kind. A grant of an account that is no longer
// configured is as good as none.
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
