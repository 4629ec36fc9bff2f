package x

import (
	"errors"
	"log/slog"
	"net/url"
	"regexp"
	"time"
)

// Config says which app and which accounts the sandbox knows.
type Config struct {
	App                         string // its name on the consent page
	ConsumerKey, ConsumerSecret string
	AccessToken, AccessSecret   string // the account's own token, until it is revoked; may be left out
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
	if c.App == "" {
		c.App = "This app"
	}
	if c.Name == "" {
		c.Name = c.Username
	}
	if c.Limit <= 0 {
		c.Limit = usualLimit
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// check names settings only, never their values: some of them are secrets.
func (c Config) check() error {
	if c.ConsumerKey == "" || c.ConsumerSecret == "" {
		return errors.New("x sandbox: the consumer key and its secret are required")
	}
	if (c.AccessToken == "") != (c.AccessSecret == "") {
		return errors.New("x sandbox: the access token and its secret go together")
	}
	for _, account := range c.accounts() {
		if !validID.MatchString(account.ID) || !validUsername.MatchString(account.Username) {
			return errors.New("x sandbox: an account needs a numeric ID and a username of letters, digits and _")
		}
	}
	for _, raw := range append(append([]string{}, c.PublicURLs...), c.Callbacks...) {
		if u, err := url.Parse(raw); err != nil || !isWeb(u) {
			return errors.New("x sandbox: public URLs and callbacks are http or https URLs")
		}
	}
	return nil
}

// accounts lists everybody, the account that posts first.
func (c Config) accounts() []Account {
	return append([]Account{{ID: c.UserID, Username: c.Username, Name: c.Name}}, c.Accounts...)
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
