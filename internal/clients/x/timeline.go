package x

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/post"
)

// maxPages bounds a reading. X itself gives no more than 3200 tweets.
const maxPages = 32

// timelinePage is the answer of GET /2/users/{id}/tweets.
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

// Timeline gives the bot's own tweets since a time, newest first, complete or not at all:
// a tweet that is not in it is not on the timeline. X bills each tweet.
func (c *Client) Timeline(ctx context.Context, since time.Time) ([]post.Tweet, error) {
	id, err := c.userID(ctx)
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"max_results": {"100"}, "exclude": {"retweets"}, "tweet.fields": {"created_at,entities"},
	}
	if !since.IsZero() {
		query.Set("start_time", since.UTC().Format(time.RFC3339)) // in whole seconds, rounded down
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
	return nil, unclear(http.StatusOK) // a part of the timeline is no answer
}

func (c *Client) timelinePage(ctx context.Context, id string, query url.Values) (timelinePage, error) {
	var page timelinePage
	if err := c.call(ctx, http.MethodGet, "/2/users/"+id+"/tweets", query, nil, &page); err != nil {
		return page, err
	}
	if page.Meta == nil { // X says 200 about an account that it does not show, too
		return page, unclear(http.StatusOK)
	}
	return page, nil
}

func (c *Client) tweet(t tweet) post.Tweet {
	return post.Tweet{ID: t.ID, Text: t.asWritten(), URL: c.config.PageURL + t.ID, CreatedAt: t.CreatedAt}
}

// asWritten undoes what X does to a text: it escapes what means something in HTML, and
// replaces links by short ones.
func (t tweet) asWritten() string {
	links := slices.SortedFunc(slices.Values(t.Entities.URLs), func(a, b shortened) int {
		return cmp.Compare(len(b.URL), len(a.URL)) // a short link may begin like another
	})
	var pairs []string
	for _, link := range links {
		if link.URL != "" && link.Expanded != "" {
			pairs = append(pairs, link.URL, link.Expanded)
		}
	}
	return strings.NewReplacer(pairs...).Replace(html.UnescapeString(t.Text))
}

// maxLookup is how many tweets X looks up at once.
const maxLookup = 100

// metricsAnswer is the answer of GET /2/tweets. What does not exist is in its errors.
type metricsAnswer struct {
	Data []struct {
		ID     string
		Public *struct {
			Likes   int `json:"like_count"`
			Reposts int `json:"retweet_count"`
			Replies int `json:"reply_count"`
			Quotes  int `json:"quote_count"`
		} `json:"public_metrics"`
	}
	Errors []json.RawMessage
}

// Metrics gives the public counts of tweets. Deleted ones are left out. X bills each tweet.
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
		answer.addTo(counts)
	}
	return counts, nil
}

func (a metricsAnswer) addTo(counts map[string]post.Metrics) {
	for _, t := range a.Data {
		if m := t.Public; m != nil {
			counts[t.ID] = post.Metrics{Likes: m.Likes, Reposts: m.Reposts, Replies: m.Replies, Quotes: m.Quotes}
		}
	}
}

// newTweet is the body of POST /2/tweets.
type newTweet struct {
	Text            string `json:"text"`
	MadeWithAI      bool   `json:"made_with_ai,omitempty"`
	PaidPartnership bool   `json:"paid_partnership,omitempty"`
}

// Publish sends a post, once. X keeps no key that would make a second call harmless: after
// an error of class Unclear, look at the Timeline.
func (c *Client) Publish(ctx context.Context, d post.Draft) (post.Tweet, error) {
	var answer struct{ Data struct{ ID string } }
	in := newTweet{Text: d.Text, MadeWithAI: d.MadeWithAI, PaidPartnership: d.PaidPartnership}
	if err := c.call(ctx, http.MethodPost, "/2/tweets", nil, in, &answer); err != nil {
		return post.Tweet{}, err
	}
	id := answer.Data.ID
	if !isID(id) {
		return post.Tweet{}, unclear(http.StatusCreated)
	}
	return post.Tweet{ID: id, Text: d.Text, URL: c.config.PageURL + id, CreatedAt: c.config.Now()}, nil
}

// Delete takes a tweet down. One that is gone already is no error.
func (c *Client) Delete(ctx context.Context, id string) error {
	if !isID(id) {
		return malformed()
	}
	var answer struct{ Data struct{ Deleted bool } }
	err := c.call(ctx, http.MethodDelete, "/2/tweets/"+id, nil, nil, &answer)
	if said, ok := errors.AsType[*post.XError](err); ok && said.Code == codeGone {
		return nil
	}
	if err == nil && !answer.Data.Deleted {
		return unclear(http.StatusOK)
	}
	return err
}
