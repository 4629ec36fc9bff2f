// Package x is a sandbox of X: a loopback server that speaks X's own wire protocol, so
// that the product's real client can be run, watched and broken without an account. It
// checks OAuth 1.0a signatures, keeps a timeline in a file, answers with X's own words,
// and misbehaves on request, reproducibly.
//
// No flow may know this package, and nothing here may open a connection: what is posted
// here reaches nobody. It must refuse what X refuses; being kinder than X hides bugs.
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

// Server is the sandbox.
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

// New starts a sandbox with what its file remembers.
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

// Tweets returns every accepted tweet, oldest first: deleted ones and those that people do
// not see yet as well.
func (s *Server) Tweets() []Tweet { return s.state.all() }

func (s *Server) metrics(t Tweet) Metrics {
	return metricsAt(t.ID, s.config.Now().Sub(t.CreatedAt))
}

// Close lets go of calls that hang, and of the file. Stop the HTTP server after it.
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

// account returns one of the accounts by its ID.
func (s *Server) account(id string) (Account, bool) {
	for _, a := range s.config.accounts() {
		if a.ID == id {
			return a, true
		}
	}
	return Account{}, false
}

// Config describes which app and which accounts the sandbox knows.
type Config struct {
	App                         string // its name on the consent page
	ConsumerKey, ConsumerSecret string
	AccessToken, AccessSecret   string // the account's own token; may be left out
	UserID, Username, Name      string // the account that posts

	Accounts   []Account // more people who may sign in on the consent page
	PublicURLs []string  // bases that clients may sign for, besides the sandbox's own host
	Callbacks  []string  // where the consent page may send people; none: any loopback URL

	File  string // where accepted tweets and grants are kept; none: in memory
	Limit int    // POST /2/tweets in 15 minutes; 100, like X, when left out

	Now func() time.Time
	Log *slog.Logger
}

// Account is somebody with a timeline.
type Account struct{ ID, Username, Name string }

const usualLimit = 100

var (
	validID       = regexp.MustCompile(`^[0-9]{1,19}$`)
	validUsername = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)
)

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	c.App, c.Name = cmp.Or(c.App, "This app"), cmp.Or(c.Name, c.Username)
	c.Limit = cmp.Or(c.Limit, usualLimit)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// check refuses accounts that X could not have.
func (c Config) check() error {
	for _, account := range c.accounts() {
		if !validID.MatchString(account.ID) || !validUsername.MatchString(account.Username) {
			return errors.New("x sandbox: an account needs a numeric ID and a username of letters, digits and _")
		}
	}
	return nil
}

// accounts lists everybody, the account that posts first.
func (c Config) accounts() []Account {
	return append([]Account{{ID: c.UserID, Username: c.Username, Name: c.Name}}, c.Accounts...)
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
