package posts

import (
	"context"
	"log/slog"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// NewPost is a post to create.
type NewPost struct {
	Content     string `json:"content" maxLength:"4000" doc:"Text of the post, at most 280 characters as X counts them"`
	ScheduledAt string `json:"scheduledAt,omitempty" maxLength:"40" doc:"RFC 3339 time, or a local time like 2026-12-01T09:00 in the time zone. Default: now"`
	Timezone    string `json:"timezone,omitempty" maxLength:"60" doc:"IANA time zone of a local scheduledAt. Default: UTC" example:"Europe/Berlin"`
	Member      string `json:"member,omitempty" maxLength:"40" doc:"Name of the member who sponsors it. Default: the calling member, or the founders' share"`
	MadeWithAI  bool   `json:"madeWithAi,omitempty" doc:"True if a language model wrote the text, which our pages then show. Default: false"`
	Draft       bool   `json:"draft,omitempty" doc:"True to store a draft, which takes no slot. Default: false"`
	Queue       bool   `json:"queue,omitempty" doc:"True to schedule it at the next free posting time; scheduledAt must be omitted. Default: false"`
	CandidateID string `json:"candidateId,omitempty" maxLength:"40" doc:"ID of the generated text that it is based on"`
}

func (a *API) CreatePost(ctx context.Context, req *httpapi.Body[NewPost]) (PostReply, error) {
	if err := checkQueued(req.Body); err != nil {
		return PostReply{}, err
	}
	at, err := post.ParseWhen(req.Body.ScheduledAt, req.Body.Timezone, a.Now())
	if err != nil {
		return PostReply{}, err
	}
	p, err := a.write(ctx, req.Body, at)
	reply, err := a.reply(ctx, p.ID, err)
	if err == nil && p.RunID != "" { // the workflow may not have stored its run ID yet
		reply.Post.RunRef = a.runRef(p)
	}
	return reply, err
}

// checkQueued refuses a queued post with a time.
func checkQueued(n NewPost) error {
	if !n.Queue || (n.ScheduledAt == "" && !n.Draft) {
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: httpapi.ValidationFailed, Details: []problem.Detail{
		{Field: "body.queue", Reason: "can't be combined with scheduledAt or draft"},
	}}
}

// write validates a post, stores it with its slot, and starts its workflow. After a success the row survives any
// crash; the workflow may start later. A post that needs approval is stored as a draft without a slot or a workflow.
func (a *API) write(ctx context.Context, n NewPost, at time.Time) (post.Post, error) {
	if err := post.CheckText(n.Content); err != nil {
		return post.Post{}, err
	}
	p := post.Post{
		ID: xid.New().String(), Text: n.Content, MadeWithAI: n.MadeWithAI, Status: post.StatusScheduled, ScheduledAt: at,
	}
	gated, err := a.gated(ctx)
	if err != nil {
		return p, err
	}
	switch {
	case n.Draft:
		p.Status = post.StatusDraft
	case gated:
		p.Status, p.Review = post.StatusDraft, post.ReviewRequested
	}
	if p.MemberID, err = a.Sponsor(ctx, n.Member); err != nil {
		return p, err
	}
	if err := a.nameSource(ctx, &p, n.CandidateID); err != nil {
		return p, err
	}
	create := a.Posts.CreatePost
	if n.Queue {
		create = a.Posts.QueuePost
	}
	if p, err = create(ctx, p, a.Now()); err != nil {
		return p, err
	}
	p.RunID = a.Start(ctx, p)
	return p, nil
}

func (a *API) nameSource(ctx context.Context, p *post.Post, candidateID string) error {
	if candidateID == "" {
		return nil
	}
	c, err := a.Generations.CandidateForPost(ctx, candidateID, httpapi.CallerOf(ctx).AccountID())
	p.CandidateID, p.Edited = &c.ID, c.Text != p.Text
	p.MadeWithAI = p.MadeWithAI || !generation.IsTemplate(c.Model)
	return err
}

// Start starts the workflow of a scheduled post. If that fails, the dispatcher starts it within seconds.
func (a *API) Start(ctx context.Context, p post.Post) (runID string) {
	if p.Status != post.StatusScheduled {
		return ""
	}
	runID, err := a.Runs.StartPost(ctx, p)
	if err != nil {
		slog.WarnContext(ctx, "post workflow not started; the dispatcher retries", "post_id", p.ID, "error", err)
	}
	return runID
}

// PostChange changes a post. Absent fields keep their values.
type PostChange struct {
	Content     *string `json:"content,omitempty" doc:"New text. Default: unchanged" maxLength:"4000"`
	ScheduledAt *string `json:"scheduledAt,omitempty" doc:"New time, RFC 3339 or local. Default: unchanged" minLength:"1" maxLength:"40"`
	Timezone    string  `json:"timezone,omitempty" doc:"IANA time zone of a local scheduledAt. Default: UTC" maxLength:"60"`
	Draft       *bool   `json:"draft,omitempty" enum:"false" doc:"false schedules a draft. Default: unchanged"`
	Version     *int    `json:"version,omitempty" doc:"Version that was read; an outdated one is refused"`
}

func (a *API) ChangePost(ctx context.Context, req *httpapi.ChangeByID[PostChange]) (PostReply, error) {
	p, err := a.ownPost(ctx, req.ID)
	if err != nil {
		return PostReply{}, err
	}
	change, err := a.readChange(req.Body)
	if err != nil {
		return PostReply{}, err
	}
	if change.Gated, err = a.gated(ctx); err != nil {
		return PostReply{}, err
	}
	switch {
	case p.Status == post.StatusDraft:
		err = a.changeDraft(ctx, p.Post, change)
	case change.Gated && change.Text != nil && *change.Text != p.Text: // it would be published without approval
		err = problem.New(problem.Forbidden,
			"Posts need a founder's approval right now, so the text of a scheduled post can't be changed. Cancel it and write a new one.")
	default:
		err = a.changeScheduled(ctx, p.Post, change)
	}
	return a.reply(ctx, p.ID, err)
}

func (a *API) readChange(body PostChange) (post.Change, error) {
	change := post.Change{Text: body.Content, Version: body.Version, Schedule: body.Draft != nil}
	if body.Content != nil {
		if err := post.CheckText(*body.Content); err != nil {
			return change, err
		}
	}
	if body.ScheduledAt != nil {
		at, err := post.ParseWhen(*body.ScheduledAt, body.Timezone, a.Now())
		if err != nil {
			return change, err
		}
		change.ScheduledAt = &at
	}
	return change, nil
}

// changeDraft changes a draft, which has no workflow, and may schedule it. A founder who schedules one that waits for
// approval approves it.
func (a *API) changeDraft(ctx context.Context, draft post.Post, change post.Change) error {
	if httpapi.CallerOf(ctx).Role >= account.Founder && draft.Review.Open() {
		change.Reviewer = httpapi.CallerOf(ctx).Name()
	}
	var p post.Post
	err := a.Audits.Audited(ctx, func(ctx context.Context) (entries []audit.Entry, err error) {
		p, err = a.Posts.ChangePost(ctx, draft.ID, change, a.Now())
		if change.Reviewer != "" && p.Review == post.ReviewApproved {
			entries = append(entries, a.reviewed(ctx, p.ID, p.Review))
		}
		return entries, err
	})
	if err == nil {
		a.Start(ctx, p)
	}
	return err
}

// changeScheduled changes a post through its workflow, which holds whether the post is being sent.
func (a *API) changeScheduled(ctx context.Context, p post.Post, change post.Change) error {
	switch {
	case change.Text != nil:
		return a.Runs.EditPost(ctx, p, workflows.EditCommand{
			Text: *change.Text, ScheduledAt: change.ScheduledAt, Version: change.Version,
		})
	case change.ScheduledAt != nil:
		return a.Runs.ReschedulePost(ctx, p, workflows.RescheduleCommand{
			ScheduledAt: *change.ScheduledAt, Version: change.Version,
		})
	}
	return nil
}

// RestorePost undoes a cancellation and starts a new workflow.
func (a *API) RestorePost(ctx context.Context, req *httpapi.ByID) (PostReply, error) {
	if _, err := a.ownPost(ctx, req.ID); err != nil {
		return PostReply{}, err
	}
	gated, err := a.gated(ctx)
	if err != nil {
		return PostReply{}, err
	}
	p, err := a.Posts.RestorePost(ctx, req.ID, gated, a.Now())
	if err == nil {
		a.Start(ctx, p)
	}
	return a.reply(ctx, req.ID, err)
}

// ViewerOf limits the drafts that the caller may see. It is nil for founders, who see all.
func ViewerOf(ctx context.Context) *post.Viewer {
	who := httpapi.CallerOf(ctx)
	if who.Role >= account.Founder {
		return nil
	}
	return &post.Viewer{MemberID: who.MemberID()}
}

func (a *API) visiblePost(ctx context.Context, id string) (post.Listed, error) {
	p, err := a.Posts.ListedPost(ctx, id)
	if err == nil && !ViewerOf(ctx).MaySee(p.Post) {
		return post.Listed{}, problem.New(problem.NotFound, "There is no such post.")
	}
	return p, err
}

// ownPost returns a post that the caller may change: founders any, members their own.
func (a *API) ownPost(ctx context.Context, id string) (post.Listed, error) {
	p, err := a.visiblePost(ctx, id)
	if err != nil {
		return p, err
	}
	if who := httpapi.CallerOf(ctx); who.Role < account.Founder && who.MemberID() != httpapi.Deref(p.MemberID) {
		return p, problem.New(problem.Forbidden, "This post isn't yours. You can change only your own posts.")
	}
	return p, nil
}

// Sponsor returns the member whose share and credits a new post uses: the caller, or for founders the named member.
// It is nil for the founders' share.
func (a *API) Sponsor(ctx context.Context, name string) (memberID *string, err error) {
	who := httpapi.CallerOf(ctx)
	if name == "" && who.Role == account.Founder {
		return nil, nil //nolint:nilnil // nil is the founders' share
	}
	if who.Role == account.Founder {
		name, err := member.ParseUsername(name)
		if err != nil {
			return nil, err
		}
		m, err := a.Members.MemberNamed(ctx, name)
		return &m.ID, err
	}
	if name != "" && (who.Login == nil || member.Key(name) != member.Key(who.Login.Username)) {
		return nil, problem.New(problem.Forbidden, "You can post only under your own name. Omit `member`.")
	}
	id := who.MemberID()
	return &id, nil
}
