package schedule

import (
	"context"
	"log/slog"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

func (a *API) CreateSeries(ctx context.Context, req *createSeriesRequest) (*seriesReply, error) {
	r, err := req.Body.read()
	if err != nil {
		return nil, err
	}
	r.ID = xid.New().String()
	if r.MemberID, err = a.Posts.Sponsor(ctx, req.Body.Member); err != nil {
		return nil, err
	}
	r, told, err := a.Series.CreateSeries(ctx, r, a.Now())
	if err != nil {
		return nil, err
	}
	return a.replySeries(ctx, r, told)
}

func (n NewSeries) read() (schedule.RecurringPost, error) {
	r := schedule.RecurringPost{Texts: n.Texts, Timezone: n.Timezone, MadeWithAI: n.MadeWithAI, State: schedule.Active}
	var err error
	if r.Weekly, err = readTimes(n.Times); err != nil || n.EndsOn == "" {
		return r, err
	}
	r.EndsAt, err = endOf(n.EndsOn, n.Timezone)
	return r, err
}

// replySeries tells the runs what was written, and shows the series as its row stands now.
// When Temporal cannot be told, the starter does it.
func (a *API) replySeries(ctx context.Context, r schedule.RecurringPost, told []string) (*seriesReply, error) {
	if err := a.tellSeries(ctx, r, told); err != nil {
		slog.WarnContext(ctx, "the schedule of a series is late", "series_id", r.ID, "error", err)
	}
	listed, err := a.Series.ListedSeries(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return &seriesReply{SeriesReply{true, a.showSeries(listed)}}, nil
}

func (a *API) tellSeries(ctx context.Context, r schedule.RecurringPost, told []string) error {
	for _, id := range told {
		p, err := a.Store.ListedPost(ctx, id)
		if err != nil {
			return err
		}
		if p.Status == post.StatusScheduled {
			a.Posts.Start(ctx, p.Post)
			continue
		}
		if err := a.Runs.WakePost(ctx, p.Post); err != nil { // given up: its run ends
			return err
		}
	}
	return a.Runs.ScheduleRecurringPost(ctx, r)
}

// aMonth is the stretch for which a preview counts.
const aMonth = 30 * 24 * time.Hour

func (a *API) PreviewSeries(ctx context.Context, req *createSeriesRequest) (*previewSeriesReply, error) {
	r, err := req.Body.read()
	if err != nil {
		return nil, err
	}
	sponsor, err := a.Posts.Sponsor(ctx, req.Body.Member)
	if err != nil {
		return nil, err
	}
	table, err := a.Timetables.Timetable(ctx, httpapi.Deref(sponsor))
	if err != nil {
		return nil, err
	}
	now := a.Now()
	if err := r.Check(table.Gap(), now); err != nil {
		return nil, err
	}
	r.CursorAt = now
	const all = 1000 // more than 50 times a week can be
	return &previewSeriesReply{SeriesPreview{
		Upcoming: upcoming(r, now), PerMonth: len(r.Plan(now, now.Add(aMonth), now, all)),
	}}, nil
}

func (a *API) ChangeSeries(ctx context.Context, req *changeSeriesRequest) (*seriesReply, error) {
	r, err := a.ownSeries(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	change, err := req.Body.read(r.RecurringPost)
	if err != nil {
		return nil, err
	}
	changed, told, err := a.Series.ChangeSeries(ctx, r.ID, change, a.Now())
	if err != nil {
		return nil, err
	}
	return a.replySeries(ctx, changed, told)
}

func (c SeriesChange) read(r schedule.RecurringPost) (schedule.RecurringChange, error) {
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

// readEnd keeps the last day a day when only the time zone changes.
func (c SeriesChange) readEnd(r schedule.RecurringPost, change *schedule.RecurringChange) error {
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

func (a *API) EndSeries(ctx context.Context, req *SeriesPath) (*seriesReply, error) {
	r, err := a.ownSeries(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	ended, told, err := a.Series.EndSeries(ctx, r.ID, a.Now())
	if err != nil {
		return nil, err
	}
	return a.replySeries(ctx, ended, told)
}
