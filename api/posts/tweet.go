package posts

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

const longestTweetWait = 15 * time.Second

// NewTweet is a post to publish now.
type NewTweet struct {
	Content string `json:"content" maxLength:"4000" doc:"Text of the post, at most 280 characters as X counts them"`
}

// TweetReply is the outcome so far.
type TweetReply struct {
	Success bool   `json:"success" doc:"True if the post is published"`
	Error   string `json:"error,omitempty" doc:"Human-readable reason why it is not published yet"`
	Post    Post   `json:"post" doc:"The post"`
}

type tweetReply struct {
	Status int
	Body   TweetReply
}

func (a *API) SendTweet(ctx context.Context, req *httpapi.Body[NewTweet]) (*tweetReply, error) {
	p, err := a.write(ctx, NewPost{Content: req.Body.Content}, a.Now())
	if err != nil {
		return nil, err
	}
	if p.Status == post.StatusDraft { // it needs a founder's approval
		draft, err := a.reply(ctx, p.ID, nil)
		if err != nil {
			return nil, err
		}
		return &tweetReply{http.StatusAccepted, TweetReply{Error: awaitsApproval, Post: draft.Post}}, nil
	}
	sent, err := a.awaitOutcome(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	reply := &tweetReply{Status: http.StatusOK, Body: TweetReply{Post: a.ShowPost(sent)}}
	switch {
	case sent.Status == post.StatusPublished:
		reply.Body.Success = true
	case sent.Status.Retryable():
		return nil, &problem.Error{Code: problem.PostFailed, Message: sent.Reason, Details: []problem.Detail{
			{Field: "post", Reason: sent.ID + " is " + string(sent.Status)},
		}}
	default:
		reply.Status, reply.Body.Error = http.StatusAccepted, cmp.Or(sent.Reason, "The post is still being sent. Check its status in a moment.")
	}
	return reply, nil
}

func (a *API) awaitOutcome(ctx context.Context, id string) (post.Listed, error) {
	p, _, err := httpapi.Poll(ctx, min(a.TweetWait, longestTweetWait), func() (p post.Listed, ended bool, err error) {
		p, err = a.Posts.ListedPost(ctx, id)
		return p, p.Status.Final() || p.Status.Retryable(), err
	})
	return p, err
}
