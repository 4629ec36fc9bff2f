// Package x is the product's client of X, over OAuth 1.0a and API v2. Its errors distinguish calls that
// certainly did not take effect from calls that may have.
//
// Nothing here retries, follows a redirect, or decides what happens to a post. Every error is a *post.XError,
// or for logins a *account.XError, and none contains a key, a header, or a raw response.
package x

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"customerzero/internal/domain/post"
)

const (
	usualTimeout = 10 * time.Second
	usualPageURL = "https://x.com/i/web/status/"
)

// Config locates X and identifies the bot's account.
type Config struct {
	BaseURL                     string // https://api.x.com
	ConsumerKey, ConsumerSecret string // of the app
	AccessToken, AccessSecret   string // of the bot's account
	UserID                      string // of the bot's account; empty: read from X once
	Timeout                     time.Duration
	PageURL                     string // prefix of a tweet's page, before its ID; empty: x.com
	Now                         func() time.Time
}

// Client calls X as the bot's account. It is safe for concurrent use.
type Client struct {
	config Config
	http   *http.Client
	redact *strings.Replacer
	id     atomic.Pointer[string] // of the account, once it is known
}

// New returns a client that connects on first use.
func New(config Config) *Client {
	config.BaseURL = strings.TrimRight(config.BaseURL, "/")
	config.Timeout = cmp.Or(config.Timeout, usualTimeout)
	config.PageURL = cmp.Or(config.PageURL, usualPageURL)
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

// call makes exactly one HTTP request and decodes the response into out. The timeout covers all of it.
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
	req.GetBody = nil // prevents net/http from resending the body
	req.Header.Set("User-Agent", "customerzero")
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// malformed returns the error of a request that cannot be built or that X would reject.
func malformed() error {
	return &post.XError{Class: post.Refused, Code: codeInvalid, Message: "X_BASE_URL, or a value sent to X, is malformed."}
}

// User is an account of X.
type User struct{ ID, Username, Name string }

// Me returns the account of the access token. X bills each call.
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

// userID returns the account's ID and reads it from X at most once.
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

var validID = regexp.MustCompile(`^[0-9]{1,19}$`)

// isID reports whether s can be an ID of X: a number, kept as a string because it exceeds some languages'
// integers.
func isID(s string) bool { return validID.MatchString(s) }

// maxPages limits the pages of a timeline. X itself returns at most 3200 tweets.
const maxPages = 32

// timelinePage is the response of GET /2/users/{id}/tweets.
type timelinePage struct {
	Data []tweet
	Meta *struct {
		NextToken string `json:"next_token"`
	}
}

type tweet struct {
	ID        string
	Text      string
	CreatedAt time.Time `json:"created_at"`
	Entities  struct{ URLs []shortened }
}

type shortened struct {
	URL      string
	Expanded string `json:"expanded_url"`
}

// Timeline returns all the bot's tweets since a time, newest first, or an error: a tweet that is missing from
// the result is not on the timeline. X bills each tweet.
func (c *Client) Timeline(ctx context.Context, since time.Time) ([]post.Tweet, error) {
	id, err := c.userID(ctx)
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"max_results": {"100"}, "exclude": {"retweets"}, "tweet.fields": {"created_at,entities"},
	}
	if !since.IsZero() {
		query.Set("start_time", since.UTC().Format(time.RFC3339)) // whole seconds, rounded down
	}
	var tweets []post.Tweet
	for range maxPages {
		page, err := c.timelinePage(ctx, id, query)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Data {
			tweets = append(tweets, c.tweet(t))
		}
		if page.Meta.NextToken == "" {
			return tweets, nil
		}
		query.Set("pagination_token", page.Meta.NextToken)
	}
	return nil, unclear(http.StatusOK) // a partial timeline proves nothing
}

func (c *Client) timelinePage(ctx context.Context, id string, query url.Values) (timelinePage, error) {
	var page timelinePage
	if err := c.call(ctx, http.MethodGet, "/2/users/"+id+"/tweets", query, nil, &page); err != nil {
		return page, err
	}
	if page.Meta == nil { // X also returns 200 for an account that it does not show
		return page, unclear(http.StatusOK)
	}
	return page, nil
}

func (c *Client) tweet(t tweet) post.Tweet {
	return post.Tweet{ID: t.ID, Text: t.asWritten(), URL: c.config.PageURL + t.ID, CreatedAt: t.CreatedAt}
}

// asWritten restores the original text: X escapes HTML and shortens links.
func (t tweet) asWritten() string {
	links := slices.SortedFunc(slices.Values(t.Entities.URLs), func(a, b shortened) int {
		return cmp.Compare(len(b.URL), len(a.URL)) // a short link may be a prefix of another
	})
	var pairs []string
	for _, link := range links {
		if link.URL != "" && link.Expanded != "" {
			pairs = append(pairs, link.URL, link.Expanded)
		}
	}
	return strings.NewReplacer(pairs...).Replace(html.UnescapeString(t.Text))
}

// maxLookup is the most tweets in one lookup.
const maxLookup = 100

// metricsAnswer is the response of GET /2/tweets. Missing tweets are in its errors.
type metricsAnswer struct {
	Data []struct {
		ID     string
		Public *struct {
			Likes   int `json:"like_count"`
			Reposts int `json:"repost_count"`
			Former  int `json:"retweet_count"` // the same, by its name until 2026
			Replies int `json:"reply_count"`
			Quotes  int `json:"quote_count"`
		} `json:"public_metrics"`
	}
	Errors []json.RawMessage
}

// Metrics returns the public counts of tweets. Deleted ones are omitted. X bills each tweet.
func (c *Client) Metrics(ctx context.Context, ids []string) (map[string]post.Metrics, error) {
	counts := map[string]post.Metrics{}
	for some := range slices.Chunk(ids, maxLookup) {
		if slices.ContainsFunc(some, func(id string) bool { return !isID(id) }) {
			return nil, malformed()
		}
		var answer metricsAnswer
		query := url.Values{"ids": {strings.Join(some, ",")}, "tweet.fields": {"public_metrics"}}
		if err := c.call(ctx, http.MethodGet, "/2/tweets", query, nil, &answer); err != nil {
			return nil, err
		}
		if len(answer.Data) == 0 && len(answer.Errors) == 0 {
			return nil, unclear(http.StatusOK)
		}
		for _, t := range answer.Data {
			if m := t.Public; m != nil {
				counts[t.ID] = post.Metrics{Likes: m.Likes, Reposts: max(m.Reposts, m.Former), Replies: m.Replies, Quotes: m.Quotes}
			}
		}
	}
	return counts, nil
}

type newTweet struct {
	Text            string `json:"text"`
	PaidPartnership bool   `json:"paid_partnership,omitempty"`
}

// Publish sends a post once. X has no idempotency keys: after an error of class Unclear, check the Timeline.
func (c *Client) Publish(ctx context.Context, d post.Draft) (post.Tweet, error) {
	var answer struct{ Data struct{ ID string } }
	in := newTweet{Text: d.Text, PaidPartnership: d.PaidPartnership}
	if err := c.call(ctx, http.MethodPost, "/2/tweets", nil, in, &answer); err != nil {
		return post.Tweet{}, err
	}
	id := answer.Data.ID
	if !isID(id) {
		return post.Tweet{}, unclear(http.StatusCreated)
	}
	return post.Tweet{ID: id, Text: d.Text, URL: c.config.PageURL + id, CreatedAt: c.config.Now()}, nil
}

// Delete deletes a tweet. A missing one is not an error.
func (c *Client) Delete(ctx context.Context, id string) error {
	if !isID(id) {
		return malformed()
	}
	var answer struct{ Data struct{ Deleted bool } }
	err := c.call(ctx, http.MethodDelete, "/2/tweets/"+id, nil, nil, &answer)
	if refused, ok := errors.AsType[*post.XError](err); ok && refused.Code == codeGone {
		return nil
	}
	if err == nil && !answer.Data.Deleted {
		return unclear(http.StatusOK)
	}
	return err
}
