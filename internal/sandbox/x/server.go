// Package x is a sandbox of X on loopback. It implements X's wire protocol, verifies OAuth 1.0a signatures,
// stores a timeline in a file, responds with X's own messages, and misbehaves on request and reproducibly.
// With it the product's real client runs without an account.
//
// Only commands and tests may import it, and it opens no connections: its posts reach no one. It must refuse
// whatever X refuses: more lenient behavior would hide bugs.
package x

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"customerzero/internal/sandbox/faults"
)

type Server struct {
	config   Config
	bases    []string
	state    *state
	requests *requests
	nonces   *nonces
	limits   *limits
	faults   *faults.Board

	closeOnce sync.Once
}

// New starts a sandbox with the state in its file.
func New(config Config) (*Server, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	configured := grant{token: config.AccessToken, secret: config.AccessSecret, userID: config.UserID}
	st, err := newState(config.File, configured, config.Now, config.Log)
	if err != nil {
		return nil, fmt.Errorf("x sandbox: open the state: %w", err)
	}
	s := &Server{
		config: config, state: st,
		requests: newRequests(config.Now), nonces: newNonces(nonceMemory),
		limits: newLimits(config.Now), faults: newBoard(),
	}
	for _, base := range config.PublicURLs {
		if u, err := url.Parse(base); err == nil {
			s.bases = append(s.bases, signedBase(u))
		}
	}
	return s, nil
}

// Handler serves X's API and, under /sandbox/x, the sandbox's pages. The listener should be on loopback.
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

// Tweets returns all accepted tweets, oldest first, including deleted and not yet visible ones.
func (s *Server) Tweets() []Tweet { return s.state.all() }

func (s *Server) metrics(t Tweet) Metrics {
	return metricsAt(t.ID, s.config.Now().Sub(t.CreatedAt))
}

// Close ends hanging calls and closes the file. Close the HTTP server afterwards.
func (s *Server) Close() error {
	var err error
	s.closeOnce.Do(func() {
		s.faults.Close()
		s.state.mu.Lock()
		defer s.state.mu.Unlock()
		err = s.state.journal.Close()
	})
	return err
}

// account returns an account by its ID.
func (s *Server) account(id string) (Account, bool) {
	for _, a := range s.config.accounts() {
		if a.ID == id {
			return a, true
		}
	}
	return Account{}, false
}

// Config configures the app and the accounts.
type Config struct {
	App                         string // its name on the consent page
	ConsumerKey, ConsumerSecret string
	AccessToken, AccessSecret   string // configured token of the posting account; optional
	UserID, Username, Name      string // the account that posts

	Accounts   []Account // further accounts of the consent page
	PublicURLs []string  // further base URLs that clients may sign
	Callbacks  []string  // registered callbacks; empty: every loopback URL

	File  string // file with the state; empty: in memory
	Limit int    // POST /2/tweets per 15 minutes; 0: 100, as at X

	Now func() time.Time
	Log *slog.Logger
}

// Account is an account with a timeline.
type Account struct{ ID, Username, Name string }

const usualLimit = 100

var (
	validID       = regexp.MustCompile(`^[0-9]{1,19}$`)
	validUsername = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)
)

func (c Config) withDefaults() Config {
	c.App, c.Name = cmp.Or(c.App, "This app"), cmp.Or(c.Name, c.Username)
	c.Limit = cmp.Or(c.Limit, usualLimit)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// check rejects accounts that X could not have.
func (c Config) check() error {
	for _, account := range c.accounts() {
		if !validID.MatchString(account.ID) || !validUsername.MatchString(account.Username) {
			return errors.New("x sandbox: an account needs a numeric ID and a username of letters, digits and _")
		}
	}
	return nil
}

// accounts lists all accounts, the posting one first.
func (c Config) accounts() []Account {
	return append([]Account{{ID: c.UserID, Username: c.Username, Name: c.Name}}, c.Accounts...)
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
