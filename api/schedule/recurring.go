package schedule

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/workflows"
)

const (
	manyUpcoming       = 5
	manyScheduledTimes = 50
)

func (a *API) showRecurring(r schedule.ListedRecurringPost) RecurringPost {
	shown := RecurringPost{
		ID: r.ID, Texts: r.Texts, Times: showTimes(r.Weekly), Timezone: r.Timezone, EndsOn: endsOn(r.RecurringPost),
		Member: posts.PostMember{Username: r.Username}, MadeWithAI: r.MadeWithAI, State: string(r.State), Code: r.Code, Reason: r.Reason,
		Version: r.Version, Upcoming: upcoming(r.RecurringPost, a.Now()), CreatedAt: r.CreatedAt, RunURL: a.scheduleURL(r.ID),
	}
	if r.Next != nil {
		shown.Next = new(a.Queue.ShowPost(*r.Next))
	}
	return shown
}

func (a *API) scheduleURL(id string) string {
	return a.Site.TemporalURL + "/namespaces/" + url.PathEscape(a.Site.Namespace) + "/schedules/" + url.PathEscape(workflows.RecurringPostID(id))
}

func upcoming(r schedule.RecurringPost, now time.Time) []time.Time {
	times := []time.Time{}
	calendar, err := r.Calendar()
	if err != nil || r.State != schedule.Active {
		return times
	}
	for at := r.Next(calendar, now); !at.IsZero() && len(times) < manyUpcoming; at = r.Next(calendar, at) {
		times = append(times, at)
	}
	return times
}

// endsOn returns the last day of a recurring post in its time zone, or "" without an end.
func endsOn(r schedule.RecurringPost) string {
	zone, err := schedule.Zone(r.Timezone)
	if err != nil || r.EndsAt == nil {
		return ""
	}
	return r.EndsAt.In(zone).Format(time.DateOnly)
}

func endOf(day, timezone string) (*time.Time, error) {
	zone, err := schedule.Zone(timezone)
	if err != nil {
		return nil, err
	}
	begins, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		return nil, problem.New(problem.DateInvalid, "Invalid date. Use the format 2026-12-31.")
	}
	ends := begins.AddDate(0, 0, 1).Add(-time.Microsecond).UTC()
	return &ends, nil
}

func (a *API) ListRecurringPosts(ctx context.Context, req *httpapi.PageQuery) (RecurringPostList, error) {
	found, total, err := a.RecurringPosts.RecurringPosts(ctx, req.Limit, req.Offset)
	return RecurringPostList{httpapi.Map(found, a.showRecurring), req.Of(total)}, err
}

func (a *API) GetRecurringPost(ctx context.Context, req *httpapi.ByID) (RecurringPostDetails, error) {
	r, err := a.RecurringPosts.ListedRecurringPost(ctx, req.ID)
	if err != nil {
		return RecurringPostDetails{}, err
	}
	times, err := a.RecurringPosts.ScheduledTimes(ctx, req.ID, manyScheduledTimes)
	return RecurringPostDetails{a.showRecurring(r), httpapi.Map(times, a.showScheduledTime)}, err
}

func (a *API) showScheduledTime(t schedule.ListedScheduledTime) ScheduledTime {
	shown := ScheduledTime{At: t.At, State: string(t.State), Code: t.Code, Reason: t.Reason}
	if t.Post != nil {
		shown.Post = new(a.Queue.ShowPost(*t.Post))
	}
	return shown
}

func (a *API) planned(ctx context.Context, from, to time.Time) ([]Planned, error) {
	found, names, err := a.RecurringPosts.PlannedTimes(ctx, from, to, a.Now())
	return httpapi.Map(found, func(p schedule.PlannedPost) Planned {
		return Planned{RecurringPostID: p.RecurringPost.ID, At: p.At, Content: p.Text, Member: posts.PostMember{Username: names[httpapi.Deref(p.RecurringPost.MemberID)]}}
	}), err
}

// ownRecurring returns a recurring post that the caller may change: founders any, members their own.
func (a *API) ownRecurring(ctx context.Context, id string) (schedule.ListedRecurringPost, error) {
	r, err := a.RecurringPosts.ListedRecurringPost(ctx, id)
	if err != nil {
		return r, err
	}
	if who := httpapi.CallerOf(ctx); who.Role < account.Founder && who.MemberID() != httpapi.Deref(r.MemberID) {
		return r, problem.New(problem.Forbidden, "This recurring post isn't yours. You can change only your own.")
	}
	return r, nil
}

func (a *API) CreateRecurringPost(ctx context.Context, req *httpapi.Body[NewRecurringPost]) (RecurringPostReply, error) {
	r, err := req.Body.read()
	if err != nil {
		return RecurringPostReply{}, err
	}
	r.ID = xid.New().String()
	if r.MemberID, err = a.Queue.Sponsor(ctx, req.Body.Member); err != nil {
		return RecurringPostReply{}, err
	}
	r, affected, err := a.RecurringPosts.CreateRecurringPost(ctx, r, a.Now())
	return a.replyRecurring(ctx, r, affected, err)
}

func (n NewRecurringPost) read() (schedule.RecurringPost, error) {
	r := schedule.RecurringPost{Texts: n.Texts, Timezone: n.Timezone, MadeWithAI: n.MadeWithAI, State: schedule.Active}
	var err error
	if r.Weekly, err = readTimes(n.Times); err != nil || n.EndsOn == "" {
		return r, err
	}
	r.EndsAt, err = endOf(n.EndsOn, n.Timezone)
	return r, err
}

// replyRecurring updates the Temporal schedule and the affected posts, and returns the current row. If Temporal is
// unavailable, the dispatcher retries it.
func (a *API) replyRecurring(ctx context.Context, r schedule.RecurringPost, affected []string, failed error) (RecurringPostReply, error) {
	if failed != nil {
		return RecurringPostReply{}, failed
	}
	if err := a.notifyRecurring(ctx, r, affected); err != nil {
		slog.WarnContext(ctx, "schedule of a recurring post not updated; the dispatcher retries", "recurring_post_id", r.ID, "error", err)
	}
	listed, err := a.RecurringPosts.ListedRecurringPost(ctx, r.ID)
	return RecurringPostReply{true, a.showRecurring(listed)}, err
}

func (a *API) notifyRecurring(ctx context.Context, r schedule.RecurringPost, affected []string) error {
	for _, id := range affected {
		p, err := a.Posts.ListedPost(ctx, id)
		if err != nil {
			return err
		}
		if p.Status == post.StatusScheduled {
			a.Queue.Start(ctx, p.Post)
			continue
		}
		if err := a.Runs.WakePost(ctx, p.Post); err != nil { // it was canceled, so its workflow ends
			return err
		}
	}
	return a.Runs.ScheduleRecurringPost(ctx, r)
}

func (a *API) PreviewRecurringPost(ctx context.Context, req *httpapi.Body[NewRecurringPost]) (RecurringPostPreview, error) {
	r, err := req.Body.read()
	if err != nil {
		return RecurringPostPreview{}, err
	}
	sponsor, err := a.Queue.Sponsor(ctx, req.Body.Member)
	if err != nil {
		return RecurringPostPreview{}, err
	}
	table, err := a.PostingTimes.PostingTimes(ctx, httpapi.Deref(sponsor))
	if err != nil {
		return RecurringPostPreview{}, err
	}
	now := a.Now()
	if err := r.Check(table.Gap(), now); err != nil {
		return RecurringPostPreview{}, err
	}
	r.PlannedUntil = now
	const month, limit = 30 * 24 * time.Hour, 1000 // 50 times a week stay below the limit
	return RecurringPostPreview{Upcoming: upcoming(r, now), PerMonth: len(r.Plan(now, now.Add(month), now, limit))}, nil
}

func (a *API) ChangeRecurringPost(ctx context.Context, req *httpapi.ChangeByID[RecurringPostChange]) (RecurringPostReply, error) {
	r, err := a.ownRecurring(ctx, req.ID)
	if err != nil {
		return RecurringPostReply{}, err
	}
	change, err := req.Body.read(r.RecurringPost)
	if err != nil {
		return RecurringPostReply{}, err
	}
	changed, affected, err := a.RecurringPosts.ChangeRecurringPost(ctx, r.ID, change, a.Now())
	return a.replyRecurring(ctx, changed, affected, err)
}

func (c RecurringPostChange) read(r schedule.RecurringPost) (schedule.RecurringChange, error) {
	change := schedule.RecurringChange{Texts: c.Texts, Timezone: c.Timezone, Version: c.Version}
	if c.State != nil {
		state := schedule.RecurringState(*c.State)
		change.State = &state
	}
	if c.Times != nil {
		times, err := readTimes(*c.Times)
		if err != nil {
			return change, err
		}
		change.Weekly = &times
	}
	return change, c.readEnd(r, &change)
}

// readEnd keeps the calendar day of the end if only the time zone changes.
func (c RecurringPostChange) readEnd(r schedule.RecurringPost, change *schedule.RecurringChange) error {
	day, timezone := endsOn(r), r.Timezone
	if c.Timezone != nil {
		timezone = *c.Timezone
	}
	if c.EndsOn != nil {
		day = *c.EndsOn
		change.NoEnd = day == ""
	}
	if day == "" || (c.EndsOn == nil && c.Timezone == nil) {
		return nil
	}
	var err error
	change.EndsAt, err = endOf(day, timezone)
	return err
}

func (a *API) EndRecurringPost(ctx context.Context, req *httpapi.ByID) (RecurringPostReply, error) {
	r, err := a.ownRecurring(ctx, req.ID)
	if err != nil {
		return RecurringPostReply{}, err
	}
	ended, affected, err := a.RecurringPosts.EndRecurringPost(ctx, r.ID, a.Now())
	return a.replyRecurring(ctx, ended, affected, err)
}
