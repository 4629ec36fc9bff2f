package x

import (
	"cmp"
	"context"
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
