package posts

import (
	"context"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/post"
)

// ReviewDecision is a founder's decision about a member's post.
type ReviewDecision struct {
	Decision    string `json:"decision" doc:"Decision on the post" enum:"approve,reject,suggest"`
	Reason      string `json:"reason,omitempty" maxLength:"500" doc:"Reason that the member sees, required to reject"`
	Suggestion  string `json:"suggestion,omitempty" maxLength:"4000" doc:"Text that would be approved, required to suggest"`
	ScheduledAt string `json:"scheduledAt,omitempty" maxLength:"40" doc:"New time for an approved post, RFC 3339 or local; required if its own has passed"`
	Timezone    string `json:"timezone,omitempty" doc:"IANA time zone of a local scheduledAt. Default: UTC" maxLength:"60"`
	Version     *int   `json:"version,omitempty" doc:"Version that was read; an outdated one is refused"`
}

func (a *API) ReviewPost(ctx context.Context, req *httpapi.ChangeByID[ReviewDecision]) (PostReply, error) {
	decision, err := a.readDecision(ctx, req.Body)
	if err != nil {
		return PostReply{}, err
	}
	var p post.Post
	err = a.Audits.Audited(ctx, func(ctx context.Context) (_ []audit.Entry, err error) {
		p, err = a.Posts.ReviewPost(ctx, req.ID, decision, a.Now())
		return []audit.Entry{a.reviewed(ctx, req.ID, decision.Review)}, err
	})
	if err == nil {
		a.Start(ctx, p)
	}
	return a.reply(ctx, req.ID, err)
}

func (a *API) readDecision(ctx context.Context, body ReviewDecision) (post.Decision, error) {
	d := post.Decision{
		Review: reviewOf[body.Decision], Reason: strings.TrimSpace(body.Reason), Version: body.Version, Reviewer: httpapi.CallerOf(ctx).Name(),
	}
	if d.Review == post.ReviewSuggested {
		d.Suggestion = body.Suggestion
	}
	if d.Review == post.ReviewApproved && body.ScheduledAt != "" {
		at, err := post.ParseWhen(body.ScheduledAt, body.Timezone, a.Now())
		if err != nil {
			return d, err
		}
		d.At = &at
	}
	return d, nil
}

var reviewOf = map[string]post.Review{
	"approve": post.ReviewApproved, "reject": post.ReviewRejected, "suggest": post.ReviewSuggested,
}

func (a *API) reviewed(ctx context.Context, postID string, decided post.Review) audit.Entry {
	action := map[post.Review]audit.Action{
		post.ReviewApproved: audit.ApprovePost, post.ReviewRejected: audit.RejectPost, post.ReviewSuggested: audit.SuggestText,
	}[decided]
	return httpapi.Entry(ctx, a.Now(), action, audit.Done, "Post "+postID+".")
}

func (a *API) gated(ctx context.Context) (bool, error) {
	if httpapi.CallerOf(ctx).Role >= account.Founder {
		return false, nil
	}
	controls, err := a.Bot.Controls(ctx)
	return controls.Approval, err
}

// showReview returns nil if no approval was requested.
func showReview(p post.Post) *Review {
	if p.Review == post.ReviewNone {
		return nil
	}
	return &Review{State: string(p.Review), Reason: p.ReviewReason, Suggestion: p.Suggestion, Reviewer: p.Reviewer}
}
