package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

func (s *Server) createSeries(ctx context.Context, req *createSeriesRequest) (*seriesReply, error) {
	r, err := req.Body.read()
	if err != nil {
		return nil, err
	}
	r.ID = xid.New().String()
	if r.MemberID, err = s.sponsor(ctx, req.Body.Member); err != nil {
		return nil, err
	}
	r, told, err := s.Series.CreateSeries(ctx, r, s.Now())
	if err != nil {
		return nil, err
	}
	return s.replySeries(ctx, r, told)
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
func (s *Server) replySeries(ctx context.Context, r schedule.RecurringPost, told []string) (*seriesReply, error) {
	if err := s.tellSeries(ctx, r, told); err != nil {
		slog.WarnContext(ctx, "the schedule of a series is late", "series_id", r.ID, "error", err)
	}
	listed, err := s.Series.ListedSeries(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return &seriesReply{SeriesReply{true, s.showSeries(listed)}}, nil
}

func (s *Server) tellSeries(ctx context.Context, r schedule.RecurringPost, told []string) error {
	for _, id := range told {
		p, err := s.Posts.ListedPost(ctx, id)
		if err != nil {
			return err
		}
		if p.Status == post.StatusScheduled {
			s.start(ctx, p.Post)
			continue
		}
		if err := s.Runs.WakePost(ctx, p.Post); err != nil { // given up: its run ends
			return err
		}
	}
	return s.Runs.ScheduleRecurringPost(ctx, r)
}

// aMonth is the stretch for which a preview counts.
const aMonth = 30 * 24 * time.Hour

func (s *Server) previewSeries(ctx context.Context, req *createSeriesRequest) (*previewSeriesReply, error) {
	r, err := req.Body.read()
	if err != nil {
		return nil, err
	}
	sponsor, err := s.sponsor(ctx, req.Body.Member)
	if err != nil {
		return nil, err
	}
	table, err := s.Timetables.Timetable(ctx, httpapi.Deref(sponsor))
	if err != nil {
		return nil, err
	}
	now := s.Now()
	if err := r.Check(table.Gap(), now); err != nil {
		return nil, err
	}
	r.CursorAt = now
	const all = 1000 // more than 50 times a week can be
	return &previewSeriesReply{SeriesPreview{
		Upcoming: upcoming(r, now), PerMonth: len(r.Plan(now, now.Add(aMonth), now, all)),
	}}, nil
}

func (s *Server) changeSeries(ctx context.Context, req *changeSeriesRequest) (*seriesReply, error) {
	r, err := s.ownSeries(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	change, err := req.Body.read(r.RecurringPost)
	if err != nil {
		return nil, err
	}
	changed, told, err := s.Series.ChangeSeries(ctx, r.ID, change, s.Now())
	if err != nil {
		return nil, err
	}
	return s.replySeries(ctx, changed, told)
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

func (s *Server) endSeries(ctx context.Context, req *SeriesPath) (*seriesReply, error) {
	r, err := s.ownSeries(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	ended, told, err := s.Series.EndSeries(ctx, r.ID, s.Now())
	if err != nil {
		return nil, err
	}
	return s.replySeries(ctx, ended, told)
}
