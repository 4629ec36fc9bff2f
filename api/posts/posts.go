// Package posts serves the bot's posts: the queue, drafts, reviews, imports and published posts.
package posts

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// Posts is a page of the queue.
type Posts struct {
	Posts      []Post              `json:"posts" doc:"Posts of this page"`
	Pagination httpapi.Pagination  `json:"pagination" doc:"Position of this page in the whole list"`
	Counts     map[post.Status]int `json:"counts" doc:"Number of posts by status; drafts that the caller may not see are not counted"`
}

// Post is a post with its status.
type Post struct {
	ID              string      `json:"id" doc:"Post ID"`
	Content         string      `json:"content" doc:"Text of the post"`
	Status          post.Status `json:"status" doc:"Status of the post; armed means that it is being sent" enum:"draft,scheduled,armed,published,failed,unknown,cancelled"`
	Code            string      `json:"code,omitempty" doc:"Machine-readable reason why the post failed, is unknown or waits"`
	Reason          string      `json:"reason,omitempty" doc:"Human-readable reason why the post failed, is unknown or waits"`
	ScheduledAt     time.Time   `json:"scheduledAt" doc:"Time at which the post is to be published"`
	WaitingUntil    *time.Time  `json:"waitingUntil,omitempty" doc:"Time until which X asked the bot to wait; omitted if it did not"`
	PublishedAt     *time.Time  `json:"publishedAt,omitempty" doc:"Time of publication; omitted until then"`
	TwitterURL      string      `json:"twitterUrl,omitempty" doc:"URL of the post on X, or in the sandbox; omitted until it is published"`
	Attempt         int         `json:"attempt" doc:"Number of attempts to send it"`
	Version         int         `json:"version" doc:"Version to send with a change, so that a conflicting change is detected"`
	Member          PostMember  `json:"member" doc:"The member who sponsors the post"`
	Slot            *Slot       `json:"slot,omitempty" doc:"Monthly slot that the post holds; omitted if it holds none"`
	MadeWithAI      bool        `json:"madeWithAi" doc:"True if a language model wrote the text"`
	Review          *Review     `json:"review,omitempty" doc:"State of the founders' approval; omitted if none was requested"`
	RecurringPostID string      `json:"recurringPostId,omitempty" doc:"ID of the recurring post that created it"`
	Provenance      *Provenance `json:"provenance,omitempty" doc:"Origin of a generated text; omitted for other texts"`
	CreatedAt       time.Time   `json:"createdAt" doc:"Time of creation"`
	UpdatedAt       time.Time   `json:"updatedAt" doc:"Time of the last change"`
	httpapi.RunRef
}

// Review is the state of a founder's approval.
type Review struct {
	State      string `json:"state" doc:"State of the approval" enum:"requested,suggested,rejected,approved"`
	Reason     string `json:"reason,omitempty" doc:"Founder's reason or comment"`
	Suggestion string `json:"suggestion,omitempty" doc:"Text that the founder would approve"`
	Reviewer   string `json:"reviewer,omitempty" doc:"Name of the founder who decided, without @"`
}

// Provenance names the model or template that wrote a post, and whether the text was edited.
type Provenance struct {
	Model    string `json:"model" doc:"Model or template that wrote the text" example:"openai:gpt-4o-mini"`
	Template bool   `json:"template" doc:"True if a template wrote the text, not a model"`
	Prompt   string `json:"prompt,omitempty" doc:"Version of the prompt; omitted for a template, which reads none" example:"tweet.v1"`
	Edited   bool   `json:"edited" doc:"True if the text was changed afterwards"`
}

// ShowPost converts a post for a reply.
func (a *API) ShowPost(p post.Listed) Post {
	shown := Post{
		ID: p.ID, Content: p.Text, Status: p.Status, Code: p.Code, Reason: p.Reason,
		ScheduledAt: p.ScheduledAt, WaitingUntil: p.WaitingUntil, PublishedAt: p.PublishedAt, TwitterURL: a.tweetURL(p.Post),
		Attempt: p.Attempt, Version: p.Version, Member: PostMember{p.Username}, MadeWithAI: p.MadeWithAI,
		Review: showReview(p.Post), RecurringPostID: httpapi.Deref(p.RecurringPostID),
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, RunRef: a.runRef(p.Post), Slot: (*Slot)(p.Slot),
	}
	if p.Source != nil {
		shown.Provenance = &Provenance{p.Source.Model, generation.IsTemplate(p.Source.Model), p.Source.Prompt, p.Edited}
	}
	return shown
}

// PostReply is a post after a change.
type PostReply struct {
	Success bool `json:"success" doc:"Always true" enum:"true"`
	Post    Post `json:"post" doc:"The post after the change"`
}

// reply returns the current row of a post, unless the change failed.
func (a *API) reply(ctx context.Context, id string, failed error) (PostReply, error) {
	if failed != nil {
		return PostReply{}, failed
	}
	p, err := a.Posts.ListedPost(ctx, id)
	return PostReply{true, a.ShowPost(p)}, err
}

type listPostsRequest struct {
	Status string `query:"status" doc:"Comma-separated statuses to return. Default: all" maxLength:"100"`
	Review string `query:"review" doc:"Comma-separated approval states to return: requested, suggested or rejected. Default: all" maxLength:"40"`
	httpapi.PageQuery
}

func (a *API) ListPosts(ctx context.Context, req *listPostsRequest) (page Posts, err error) {
	f := post.Filter{Viewer: ViewerOf(ctx), Limit: req.Limit, Offset: req.Offset}
	if f.Statuses, err = parseList("status", req.Status, post.Statuses); err != nil {
		return page, err
	}
	if f.Reviews, err = parseList("review", req.Review, []post.Review{post.ReviewRequested, post.ReviewSuggested, post.ReviewRejected}); err != nil {
		return page, err
	}
	found, total, badList := a.Posts.Posts(ctx, f)
	counts, err := a.Posts.CountByStatus(ctx, f.Viewer)
	return Posts{httpapi.Map(found, a.ShowPost), req.Of(total), counts}, errors.Join(badList, err)
}

func parseList[T ~string](name, list string, known []T) (words []T, err error) {
	for word := range strings.SplitSeq(list, ",") {
		switch {
		case word == "":
		case slices.Contains(known, T(word)):
			words = append(words, T(word))
		default:
			names := httpapi.Map(known, func(word T) string { return string(word) })
			return nil, &problem.Error{Code: problem.Invalid, Message: "Unknown " + name + ". See `details`.", Details: []problem.Detail{
				{Field: "query." + name, Reason: httpapi.OneOf(word, names)},
			}}
		}
	}
	return words, nil
}

func (a *API) GetPost(ctx context.Context, req *httpapi.ByID) (Post, error) {
	p, err := a.visiblePost(ctx, req.ID)
	return a.ShowPost(p), err
}

func (a *API) CancelPost(ctx context.Context, req *httpapi.ByID) (PostReply, error) {
	p, err := a.ownPost(ctx, req.ID)
	if err != nil {
		return PostReply{}, err
	}
	closed := p.Status.Retryable() && p.OpenKey == nil
	switch {
	case closed && p.Status == post.StatusUnknown: // it may be public, and no workflow is left to reconcile it
		err = problem.New(problem.PostClosed, "The 30 days to decide are over, and it is unknown whether this post was published. It can no longer be changed.")
	case closed || p.Status == post.StatusDraft: // no workflow runs
		_, err = a.Posts.CancelPost(ctx, req.ID, a.Now())
	default:
		err = a.Runs.CancelPost(ctx, p.Post)
	}
	return a.reply(ctx, req.ID, err)
}

func (a *API) RetryPost(ctx context.Context, req *httpapi.ByID) (PostReply, error) {
	p, err := a.ownPost(ctx, req.ID)
	if err != nil {
		return PostReply{}, err
	}
	if !p.Status.Retryable() {
		return PostReply{}, problem.New(problem.PostClosed, "This post is %s. Only failed or unknown posts can be retried.", p.Status)
	}
	return a.reply(ctx, req.ID, a.Runs.RetryPost(ctx, p.Post))
}

func (a *API) runRef(p post.Post) httpapi.RunRef {
	return httpapi.RunOf(workflows.PostID(p.ID), p.RunID)
}

func timeAgo(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / unit.size); n == 1 {
			return "1 " + unit.name + " ago"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

func (a *API) tweetURL(p post.Post) string {
	if p.TweetID == nil || !a.Site.Sandbox {
		return p.URL
	}
	return a.Site.PublicURL + httpapi.SandboxX + "/status/" + url.PathEscape(*p.TweetID)
}
