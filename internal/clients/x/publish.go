package x

import (
	"context"
	"errors"
	"net/http"

	"customerzero/internal/domain/post"
)

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
