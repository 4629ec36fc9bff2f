package schedule

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"customerzero/api/posts"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/treasury"
)

// PostCheck is the validation of a post before it is created.
type PostCheck struct {
	Weight       int            `json:"weight" doc:"Length of the text as X counts it"`
	Limit        int            `json:"limit" doc:"Maximum length"`
	Links        int            `json:"links" doc:"Number of links in the text"`
	CostMicroUSD int64          `json:"costMicroUsd" doc:"X's price for the post, in millionths of a dollar"`
	ScheduledAt  *time.Time     `json:"scheduledAt,omitempty" doc:"The time in UTC; omitted if none was given or it is invalid"`
	Problem      *CheckProblem  `json:"problem,omitempty" doc:"Error that createPost would return; omitted if there is none"`
	Hints        []CheckProblem `json:"hints" doc:"Warnings about the time: quiet_hours or min_gap"`
	Similar      []SimilarPost  `json:"similar" doc:"Similar posts of the queue and the last 30 days, most similar first, at most 3"`
}

// CheckProblem is a problem or a hint.
type CheckProblem struct {
	Code    problem.Code `json:"code" doc:"Machine-readable code"`
	Message string       `json:"message" doc:"Human-readable message"`
}

// SimilarPost is a post with nearly the same text.
type SimilarPost struct {
	PostID     string      `json:"postId" doc:"Post ID"`
	Content    string      `json:"content" doc:"Text of the post"`
	Status     post.Status `json:"status" doc:"Status of the post"`
	At         time.Time   `json:"at" doc:"Time of publication, or the scheduled time"`
	Similarity int         `json:"similarity" doc:"Similarity in percent; 100 means the same text"`
}

type checkPostRequest struct {
	Body struct {
		Content     string `json:"content" doc:"Text of the post" maxLength:"4000"`
		ScheduledAt string `json:"scheduledAt,omitempty" doc:"RFC 3339 time, or a local time in the time zone" maxLength:"40"`
		Timezone    string `json:"timezone,omitempty" doc:"IANA time zone of a local scheduledAt. Default: UTC" maxLength:"60"`
		PostID      string `json:"postId,omitempty" maxLength:"40" doc:"ID of the post that is being changed, which is not compared with itself"`
	}
}

func (a *API) CheckPost(ctx context.Context, req *checkPostRequest) (PostCheck, error) {
	text := req.Body.Content
	check := PostCheck{
		Weight: post.Weight(text), Limit: post.MaxWeight, Links: len(post.URLs(text)), CostMicroUSD: treasury.PostCost(text),
		Hints: []CheckProblem{}, Similar: []SimilarPost{},
	}
	at, err := a.checkNew(ctx, req)
	if refusal, ok := errors.AsType[*problem.Error](err); ok {
		check.Problem, err = &CheckProblem{refusal.Code, refusal.Message}, nil
	}
	if err != nil {
		return PostCheck{}, err
	}
	if !at.IsZero() {
		check.ScheduledAt = &at
		check.Hints = append(check.Hints, a.timeHints(ctx, req.Body.PostID, at)...)
	}
	err = a.compare(ctx, &check, req)
	return check, err
}

// checkNew returns the parsed time, or zero, and the reason why the post would be refused.
func (a *API) checkNew(ctx context.Context, req *checkPostRequest) (time.Time, error) {
	var at time.Time
	var badTime error
	if req.Body.ScheduledAt != "" {
		at, badTime = post.ParseWhen(req.Body.ScheduledAt, req.Body.Timezone, a.Now())
	}
	if err := cmp.Or(post.CheckText(req.Body.Content), badTime); err != nil {
		return at, err
	}
	same, err := a.Posts.SameText(ctx, req.Body.Content, req.Body.PostID, a.Now())
	if same != nil && (same.Status != post.StatusPublished || !at.After(a.Now())) { // a repeat is refused only if it is sent now
		err = post.Repeated(*same)
	}
	return at, err
}

func (a *API) compare(ctx context.Context, check *PostCheck, req *checkPostRequest) error {
	if check.Weight == 0 || check.Weight > longestCompared {
		return nil
	}
	among, err := a.Posts.ToCompare(ctx, a.Now().Add(-post.DuplicateWindow), posts.ViewerOf(ctx))
	if err != nil {
		return err
	}
	among = slices.DeleteFunc(among, func(p post.Post) bool { return p.ID == req.Body.PostID })
	for _, like := range post.Similar(req.Body.Content, among) {
		shown := SimilarPost{PostID: like.ID, Content: like.Text, Status: like.Status, At: like.ScheduledAt, Similarity: like.Percent}
		if like.PublishedAt != nil {
			shown.At = *like.PublishedAt
		}
		check.Similar = append(check.Similar, shown)
	}
	return nil
}

// longestCompared bounds the comparison. A text up to twice the limit may still resemble others while it is edited.
const longestCompared = 2 * post.MaxWeight
