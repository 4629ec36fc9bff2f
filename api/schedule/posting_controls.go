package schedule

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
)

// PostingControls are the pause and the approval of members' posts.
type PostingControls struct {
	Paused      bool       `json:"paused" doc:"True if the bot is paused"`
	PausedAt    *time.Time `json:"pausedAt,omitempty" doc:"Time of the pause"`
	PausedBy    string     `json:"pausedBy,omitempty" doc:"Founder who paused the bot"`
	PauseReason string     `json:"pauseReason,omitempty" doc:"Public reason for the pause"`
	Approval    bool       `json:"approval" doc:"True if members' posts need a founder's approval"`
	Overdue     int        `json:"overdue" doc:"Number of posts whose scheduled time has passed"`
	ToReview    int        `json:"toReview" doc:"Number of posts that wait for approval"`
}

// PostingControlsChange changes the posting controls. Absent fields keep their values.
type PostingControlsChange struct {
	Paused   *bool  `json:"paused,omitempty" doc:"True to pause the bot, false to resume it. Default: unchanged"`
	Reason   string `json:"reason,omitempty" maxLength:"200" doc:"Public reason for the pause"`
	Approval *bool  `json:"approval,omitempty" doc:"True to require approval of members' posts. Default: unchanged"`
}

func (a *API) GetPostingControls(ctx context.Context, _ *struct{}) (PostingControls, error) {
	controls, err := a.Bot.Controls(ctx)
	if err != nil {
		return PostingControls{}, err
	}
	return a.showControls(ctx, controls)
}

func (a *API) showControls(ctx context.Context, b bot.PostingControls) (PostingControls, error) {
	overdue, badOverdue := a.Posts.Overdue(ctx, a.Now())
	toReview, err := a.Posts.ToReview(ctx)
	return PostingControls{
		Paused: b.Paused(), PausedAt: b.PausedAt, PausedBy: b.PausedBy, PauseReason: b.PauseReason,
		Approval: b.Approval, Overdue: overdue, ToReview: toReview,
	}, errors.Join(badOverdue, err)
}

func (a *API) SetPostingControls(ctx context.Context, req *httpapi.Body[PostingControlsChange]) (PostingControls, error) {
	change := bot.ControlsChange{Paused: req.Body.Paused, Reason: req.Body.Reason, Approval: req.Body.Approval}
	var was, is bot.PostingControls
	err := a.Audits.Audited(ctx, func(ctx context.Context) (_ []audit.Entry, err error) {
		was, is, err = a.Bot.SetControls(ctx, change, httpapi.CallerOf(ctx).Name(), a.Now())
		return a.controlsChanged(ctx, was, is), err
	})
	if err != nil {
		return PostingControls{}, err
	}
	if was.Paused() && !is.Paused() {
		a.wakeDue(ctx)
	}
	return a.showControls(ctx, is)
}

// wakeDue signals the workflows of due posts that posting has resumed. A workflow that is not reached checks again
// within the hour.
func (a *API) wakeDue(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	due, err := a.Posts.DuePosts(ctx, a.Now())
	for _, p := range due {
		if err = a.Runs.WakePost(ctx, p); err != nil {
			break
		}
	}
	if err != nil {
		slog.WarnContext(ctx, "due posts not signaled; they check again within the hour", "error", err)
	}
}

func (a *API) controlsChanged(ctx context.Context, was, is bot.PostingControls) (entries []audit.Entry) {
	note := func(action audit.Action, detail string) {
		entries = append(entries, httpapi.Entry(ctx, a.Now(), action, audit.Done, detail))
	}
	switch {
	case is.Paused() && (!was.Paused() || was.PauseReason != is.PauseReason):
		note(audit.PauseBot, post.PausedBot(is.PauseReason))
	case was.Paused() && !is.Paused():
		note(audit.ResumeBot, "Posting resumed.")
	}
	switch {
	case is.Approval && !was.Approval:
		note(audit.RequireApproval, "Members' posts need a founder's approval.")
	case was.Approval && !is.Approval:
		note(audit.DropApproval, "Members' posts need no approval.")
	}
	return entries
}
