// Package x is the product's client of X, over X's real wire protocol: OAuth 1.0a and
// API v2. It says what X said, and tells strictly what certainly did not happen from what
// may have happened.
//
// Nothing here tries twice, follows a redirect, or decides what becomes of a post: that is
// for those who can look first. Every error is a *post.XError, or of a login an *account.XError;
// none of them holds a key, a header, or a body as it came.
package x

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"customerzero/internal/domain/post"
)

const (
	usualTimeout = 10 * time.Second
	usualPageURL = "https://x.com/i/web/status/"
)

// Config says where X is and who calls.
type Config struct {
	BaseURL                     string // https://api.x.com
	ConsumerKey, ConsumerSecret string // of the app
	AccessToken, AccessSecret   string // of the bot's account
	UserID                      string // of the bot's account; left out, X is asked once
	Timeout                     time.Duration
	PageURL                     string // what a tweet's ID is appended to; left out, x.com
	Now                         func() time.Time
}

// Client is the bot's account with X. It is safe for concurrent use.
type Client struct {
	config Config
	http   *http.Client
	redact *strings.Replacer
	id     atomic.Pointer[string] // of the account, once it is known
}

// New gives a client. It connects when it is first used.
func New(config Config) *Client {
	config.BaseURL = strings.TrimRight(config.BaseURL, "/")
	if config.Timeout <= 0 {
		config.Timeout = usualTimeout
	}
	if config.PageURL == "" {
		config.PageURL = usualPageURL
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Client{config: config, http: signingClient(config), redact: knownSecrets(
		config.ConsumerSecret, config.AccessSecret, config.AccessToken, config.ConsumerKey,
	)}
	if config.UserID != "" {
		c.id.Store(&config.UserID)
	}
	return c
}

// call makes one HTTP request, and one only, and reads the answer into out. The timeout
// covers all of it.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	req, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return malformed()
	}
	got := exchange(c.http, req)
	switch {
	case got.status == 0:
		return failure(got.err, got.connected)
	case got.status/100 != 2:
		return c.refusal(got)
	case got.err != nil:
		return failure(got.err, true)
	case json.Unmarshal(got.body, out) != nil:
		return unclear(got.status)
	default:
		return nil
	}
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	target := c.config.BaseURL + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // what net/http cannot rewind, it cannot send again
	req.Header.Set("User-Agent", "customerzero")
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// malformed is the error for what X would not even look at.
func malformed() error {
	return &post.XError{Class: post.Refused, Code: codeInvalid, Message: "X_BASE_URL, or a value sent to X, is malformed."}
}

// User is an account of X.
type User struct{ ID, Username, Name string }

// Me asks X whose account this is. X bills each call.
func (c *Client) Me(ctx context.Context) (User, error) {
	var answer struct{ Data User }
	if err := c.call(ctx, http.MethodGet, "/2/users/me", nil, nil, &answer); err != nil {
		return User{}, err
	}
	if !isID(answer.Data.ID) {
		return User{}, unclear(http.StatusOK)
	}
	return answer.Data, nil
}

// userID is the account's ID, asked for once.
func (c *Client) userID(ctx context.Context) (string, error) {
	if known := c.id.Load(); known != nil {
		return *known, nil
	}
	self, err := c.Me(ctx)
	if err != nil {
		return "", err
	}
	c.id.Store(&self.ID)
	return self.ID, nil
}

// isID says whether X could have given the ID: a number, too big for some languages.
func isID(id string) bool {
	const longest = 19
	if id == "" || len(id) > longest {
		return false
	}
	for _, digit := range []byte(id) {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return true
}
