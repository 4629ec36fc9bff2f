// Package x is a stand-in for X: a loopback server that speaks X's own wire protocol, so
// that the product's real client can be run, watched and broken without an account. It
// checks OAuth 1.0a signatures, keeps a timeline in a file, answers with X's own words,
// and misbehaves on request, reproducibly.
//
// No flow may know this package, and nothing here may open a connection: what is posted
// here reaches nobody. It must refuse what X refuses; being kinder than X hides bugs.
package x

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"customerzero/internal/sandbox/faults"
)

// Server is the sandbox.
type Server struct {
	config   Config
	bases    []string
	state    *state
	requests *requests
	nonces   *nonces
	limits   *limits
	faults   *faults.Board

	closing   chan struct{}
	closeOnce sync.Once
}

// New starts a sandbox with what its file remembers.
func New(config Config) (*Server, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	configured := grant{token: config.AccessToken, secret: config.AccessSecret, userID: config.UserID}
	st, torn, err := newState(config.File, configured, config.Now)
	if err != nil {
		return nil, fmt.Errorf("x sandbox: open the state: %w", err)
	}
	if torn > 0 {
		config.Log.Warn("x sandbox: dropped a torn last line, which was never answered",
			"file", config.File, "bytes", torn)
	}
	s := &Server{
		config: config, state: st,
		requests: newRequests(config.Now), nonces: newNonces(nonceMemory),
		limits: newLimits(config.Now), faults: faults.NewBoard(checkRule), closing: make(chan struct{}),
	}
	for _, base := range config.PublicURLs {
		if u, err := url.Parse(base); err == nil {
			s.bases = append(s.bases, signedBase(u))
		}
	}
	return s, nil
}

// Handler serves X's endpoints, and under /sandbox/x the sandbox's own pages. It is meant
// for a listener on loopback.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, e := range s.endpoints() {
		mux.Handle(pattern, s.signedEndpoint(e))
	}
	s.routeConsent(mux)
	s.routePages(mux)
	s.routeKeys(mux)
	s.faults.Route(mux, "/sandbox/x/faults")
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusNotFound) })
	return mux
}

// Tweets gives every accepted tweet, oldest first: deleted ones and those that people do
// not see yet as well.
func (s *Server) Tweets() []Tweet {
	tweets := s.state.all()
	for i := range tweets {
		tweets[i].Metrics = s.metrics(tweets[i])
	}
	return tweets
}

func (s *Server) metrics(t Tweet) Metrics {
	return metricsAt(t.ID, s.config.Now().Sub(t.CreatedAt))
}

// Close lets go of calls that hang, and of the file. Stop the HTTP server after it.
func (s *Server) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.closing)
		s.state.mu.Lock()
		defer s.state.mu.Unlock()
		err = s.state.journal.Close()
	})
	return err
}

// account gives one of the accounts by its ID.
func (s *Server) account(id string) (Account, bool) {
	for _, a := range s.config.accounts() {
		if a.ID == id {
			return a, true
		}
	}
	return Account{}, false
}
