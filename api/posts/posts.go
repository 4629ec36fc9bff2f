package posts

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// Posts is a page of the queue.
type Posts struct {
	Posts      []Post              `json:"posts"`
	Pagination httpapi.Pagination  `json:"pagination"`
	Counts     map[post.Status]int `json:"counts" doc:"Of all posts, by status. Others' drafts are left out, here and in the list"`
}

// Post is a post and where it stands.
type Post struct {
	ID           string      `json:"id"`
	Content      string      `json:"content"`
	Status       post.Status `json:"status" enum:"draft,scheduled,armed,published,failed,unknown,cancelled"`
	Code         string      `json:"code,omitempty"`
	Reason       string      `json:"reason,omitempty" doc:"Why it failed, is unknown or waits, for a person"`
	ScheduledAt  time.Time   `json:"scheduledAt"`
	WaitingUntil *time.Time  `json:"waitingUntil,omitempty" doc:"Scheduled, and X asked us to wait until then"`
	PublishedAt  *time.Time  `json:"publishedAt,omitempty"`
	TwitterURL   string      `json:"twitterUrl,omitempty"`
	Attempt      int         `json:"attempt"`
	Version      int         `json:"version" doc:"Send it back with a change, to be told of other people's"`
	Member       PostMember  `json:"member"`
	Slot         *Slot       `json:"slot,omitempty"`
	MadeWithAI   bool        `json:"madeWithAi"`
	Review       *Review     `json:"review,omitempty" doc:"Where it stands with the founders' approval; absent: none was asked for"`
	SeriesID     string      `json:"seriesId,omitempty" doc:"The series that wrote it"`
	Provenance   *Provenance `json:"provenance,omitempty" doc:"Of a generated text"`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`
	httpapi.RunRef
}

// Review is where a post stands with the founders' approval.
type Review struct {
	State      string `json:"state" enum:"asked,suggested,rejected,approved"`
	Reason     string `json:"reason,omitempty"`
	Suggestion string `json:"suggestion,omitempty" doc:"A text that would be approved"`
	Reviewer   string `json:"reviewer,omitempty" doc:"Who decided, without @"`
}

// Provenance says which model wrote a post, and whether people changed it.
type Provenance struct {
	Model  string `json:"model" example:"openai:gpt-4o-mini"`
	Prompt string `json:"prompt" doc:"Its version" example:"tweet.v1"`
	Edited bool   `json:"edited"`
}

func (a *API) ShowPost(p post.Listed) Post {
	shown := Post{
		ID: p.ID, Content: p.Text, Status: p.Status, Code: p.Code, Reason: p.Reason,
		ScheduledAt: p.ScheduledAt, WaitingUntil: p.WaitingUntil, PublishedAt: p.PublishedAt, TwitterURL: a.tweetURL(p.Post),
		Attempt: p.Attempt, Version: p.Version, Member: PostMember{p.Username}, MadeWithAI: p.MadeWithAI,
		Review: showReview(p.Post), SeriesID: httpapi.Deref(p.RecurringPostID),
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, RunRef: a.runRef(p.Post),
	}
	if p.Slot != nil {
		shown.Slot = &Slot{p.Slot.Month, p.Slot.Number}
	}
	if p.Source != nil {
		shown.Provenance = &Provenance{p.Source.Model, p.Source.Prompt, p.Edited}
	}
	return shown
}

// PostReply is a post after something was done to it.
type PostReply struct {
	Success bool `json:"success" enum:"true"`
	Post    Post `json:"post"`
}

type postReply struct{ Body PostReply }

// reply shows the post as its row stands now.
func (a *API) reply(ctx context.Context, id string) (*postReply, error) {
	p, err := a.Posts.ListedPost(ctx, id)
	if err != nil {
		return nil, err
	}
	return &postReply{PostReply{true, a.ShowPost(p)}}, nil
}

type listPostsRequest struct {
	Status string `query:"status" doc:"One or more statuses, comma-separated" maxLength:"100"`
	Review string `query:"review" doc:"Drafts that stand so with the founders' approval: asked, suggested or rejected, comma-separated" maxLength:"40"`
	httpapi.PageQuery
}

type postsReply struct{ Body Posts }

func (a *API) ListPosts(ctx context.Context, req *listPostsRequest) (*postsReply, error) {
	statuses, err := parseStatuses(req.Status)
	if err != nil {
		return nil, err
	}
	reviews, err := parseReviews(req.Review)
	if err != nil {
		return nil, err
	}
	viewer := ViewerOf(ctx)
	found, total, err := a.Posts.Posts(ctx, post.Filter{
		Statuses: statuses, Reviews: reviews, Viewer: viewer, Limit: req.Limit, Offset: req.Offset,
	})
	if err != nil {
		return nil, err
	}
	counts, err := a.Posts.CountByStatus(ctx, viewer)
	if err != nil {
		return nil, err
	}
	page := Posts{Posts: make([]Post, len(found)), Pagination: req.Of(total), Counts: counts}
	for i, p := range found {
		page.Posts[i] = a.ShowPost(p)
	}
	return &postsReply{page}, nil
}

func parseStatuses(list string) ([]post.Status, error) {
	var statuses []post.Status
	for word := range strings.SplitSeq(list, ",") {
		if word == "" {
			continue
		}
		status, ok := post.ParseStatus(word)
		if !ok {
			return nil, &problem.Error{Code: problem.Invalid, Message: "There is no such status.", Details: []problem.Detail{
				{Field: "query.status", Reason: "expected draft, scheduled, armed, published, failed, unknown or cancelled"},
			}}
		}
		statuses = append(statuses, status)
	}
	return statuses, nil
}

func parseReviews(list string) ([]post.Review, error) {
	var reviews []post.Review
	for word := range strings.SplitSeq(list, ",") {
		switch review := post.Review(word); review {
		case post.ReviewNone:
		case post.ReviewAsked, post.ReviewSuggested, post.ReviewRejected:
			reviews = append(reviews, review)
		default:
			return nil, &problem.Error{Code: problem.Invalid, Message: "There is no such review.", Details: []problem.Detail{
				{Field: "query.review", Reason: "expected asked, suggested or rejected"},
			}}
		}
	}
	return reviews, nil
}

// PostPath names a post in a path.
type PostPath struct {
	ID string `path:"id" maxLength:"40"`
}

type getPostReply struct{ Body Post }

func (a *API) GetPost(ctx context.Context, req *PostPath) (*getPostReply, error) {
	p, err := a.visiblePost(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	return &getPostReply{a.ShowPost(p)}, nil
}

func (a *API) CancelPost(ctx context.Context, req *PostPath) (*postReply, error) {
	p, err := a.ownPost(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	closed := p.Status.Retryable() && p.OpenKey == nil
	switch {
	case closed && p.Status == post.StatusUnknown: // it may be public, and no run is left that could look
		err = problem.New(problem.PostClosed, "The 30 days to decide are over, and nobody knows whether this post went out. It stays as it is.")
	case closed || p.Status == post.StatusDraft: // nothing runs
		_, err = a.Posts.CancelPost(ctx, req.ID, a.Now())
	default:
		err = a.Runs.CancelPost(ctx, p.Post)
	}
	if err != nil {
		return nil, err
	}
	return a.reply(ctx, req.ID)
}

func (a *API) RetryPost(ctx context.Context, req *PostPath) (*postReply, error) {
	p, err := a.ownPost(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	if !p.Status.Retryable() {
		return nil, problem.New(problem.PostClosed, "This post is %s; only a failed or unknown one can be tried again.", p.Status)
	}
	if err := a.Runs.RetryPost(ctx, p.Post); err != nil {
		return nil, err
	}
	return a.reply(ctx, req.ID)
}

// runRef names the run of a post, and links to its page.
func (a *API) runRef(p post.Post) httpapi.RunRef {
	return httpapi.RunOf(workflows.PostID(p.ID), p.RunID)
}

// timeAgo says how long ago something was, as people say it.
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

// tweetURL is where people see a post: on X, or on the sandbox's timeline.
func (a *API) tweetURL(p post.Post) string {
	if p.TweetID == nil || !a.Site.Sandbox {
		return p.URL
	}
	return a.Site.PublicURL + httpapi.SandboxX + "/status/" + url.PathEscape(*p.TweetID)
}
