package x

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"customerzero/internal/domain/post"
)

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
