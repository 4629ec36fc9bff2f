package api

import (
	"context"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/post"
)

// ReviewDecision is what a founder makes of a member's post.
type ReviewDecision struct {
	Decision    string `json:"decision" enum:"approve,reject,suggest"`
	Reason      string `json:"reason,omitempty" maxLength:"500" doc:"Needed to reject"`
	Suggestion  string `json:"suggestion,omitempty" maxLength:"4000" doc:"Needed to suggest"`
	ScheduledAt string `json:"scheduledAt,omitempty" maxLength:"40" doc:"Approve for another time: needed when its own has passed"`
	Timezone    string `json:"timezone,omitempty" maxLength:"60"`
	Version     *int   `json:"version,omitempty" doc:"The version that was read"`
}

type reviewPostRequest struct {
	PostPath
	Body ReviewDecision
}

func (s *Server) reviewPost(ctx context.Context, req *reviewPostRequest) (*postReply, error) {
	decision, err := s.readDecision(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	var p post.Post
	err = s.Audits.Audited(ctx, func(ctx context.Context) (_ []audit.Entry, err error) {
		p, err = s.Posts.ReviewPost(ctx, req.ID, decision, s.Now())
		return []audit.Entry{s.reviewed(ctx, req.ID, decision.Review)}, err
	})
	if err != nil {
		return nil, err
	}
	s.start(ctx, p)
	return s.reply(ctx, p.ID)
}

func (s *Server) readDecision(ctx context.Context, body ReviewDecision) (post.Decision, error) {
	d := post.Decision{
		Review: reviewOf[body.Decision], Reason: strings.TrimSpace(body.Reason), Version: body.Version, Reviewer: httpapi.CallerOf(ctx).Name(),
	}
	if d.Review == post.ReviewSuggested {
		d.Suggestion = body.Suggestion
	}
	if d.Review == post.ReviewApproved && body.ScheduledAt != "" {
		at, err := post.ParseWhen(body.ScheduledAt, body.Timezone, s.Now())
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

// reviewed says what a founder has decided of a post.
func (s *Server) reviewed(ctx context.Context, postID string, decided post.Review) audit.Entry {
	action := map[post.Review]audit.Action{
		post.ReviewApproved: audit.ApprovePost, post.ReviewRejected: audit.RejectPost, post.ReviewSuggested: audit.SuggestText,
	}[decided]
	return httpapi.Entry(ctx, s.Now(), action, audit.Done, "Post "+postID+".")
}

// gated says whether the caller's posts need a founder's approval.
func (s *Server) gated(ctx context.Context) (bool, error) {
	if httpapi.CallerOf(ctx).Role >= account.Founder {
		return false, nil
	}
	brakes, err := s.Bot.Brakes(ctx)
	return brakes.Approval, err
}

// showReview shows where a post stands with the approval; nil: none was asked for.
func showReview(p post.Post) *Review {
	if p.Review == post.ReviewNone {
		return nil
	}
	return &Review{State: string(p.Review), Reason: p.ReviewReason, Suggestion: p.Suggestion, Reviewer: p.Reviewer}
}
