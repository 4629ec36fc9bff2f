package schedule

import (
	"context"
	"net/url"
	"time"

	"customerzero/api/posts"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/workflows"
)

// SeriesStore keeps posts that recur. *store.RecurringPosts implements it.
type SeriesStore interface {
	CreateSeries(ctx context.Context, r schedule.RecurringPost, now time.Time) (made schedule.RecurringPost, told []string, err error)
	ChangeSeries(ctx context.Context, id string, c schedule.RecurringChange, now time.Time) (changed schedule.RecurringPost, told []string, err error)
	EndSeries(ctx context.Context, id string, now time.Time) (ended schedule.RecurringPost, told []string, err error)
	ListedSeries(ctx context.Context, id string) (schedule.ListedRecurringPost, error)
	AllSeries(ctx context.Context, limit, offset int) ([]schedule.ListedRecurringPost, int, error)
	Turns(ctx context.Context, seriesID string, limit int) ([]schedule.ListedScheduledTime, error)
	PlannedTimes(ctx context.Context, from, to, now time.Time) (planned []schedule.PlannedPost, names map[string]string, err error)
}

const (
	manyUpcoming = 5
	manyTurns    = 50
)

func (a *API) showSeries(r schedule.ListedRecurringPost) Series {
	shown := Series{
		ID: r.ID, Texts: r.Texts, Times: showTimes(r.Weekly), Timezone: r.Timezone, EndsOn: endsOn(r.RecurringPost),
		Member: posts.PostMember{Username: r.Username}, MadeWithAI: r.MadeWithAI, State: string(r.State), Code: r.Code, Reason: r.Reason,
		Version: r.Version, Upcoming: upcoming(r.RecurringPost, a.Now()), CreatedAt: r.CreatedAt, RunURL: a.scheduleURL(r.ID),
	}
	if r.Next != nil {
		next := a.Posts.ShowPost(*r.Next)
		shown.Next = &next
	}
	return shown
}

// scheduleURL is the page of Temporal's console that shows the schedule of a series.
func (a *API) scheduleURL(id string) string {
	return a.Site.TemporalURL + "/namespaces/" + url.PathEscape(a.Site.Namespace) + "/schedules/" + url.PathEscape(workflows.RecurringPostID(id))
}

// upcoming lists the next times of an active series.
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

// endsOn is the last day of a series in its own zone; empty without an end.
func endsOn(r schedule.RecurringPost) string {
	zone, err := schedule.Zone(r.Timezone)
	if err != nil || r.EndsAt == nil {
		return ""
	}
	return r.EndsAt.In(zone).Format(time.DateOnly)
}

// endOf is the last instant of a day in a zone.
func endOf(day, timezone string) (*time.Time, error) {
	zone, err := schedule.Zone(timezone)
	if err != nil {
		return nil, err
	}
	begins, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		return nil, problem.New(problem.DateInvalid, "That is not a day we can read. Write 2026-12-31.")
	}
	ends := begins.AddDate(0, 0, 1).Add(-time.Microsecond).UTC()
	return &ends, nil
}

func (a *API) ListSeries(ctx context.Context, req *listSeriesRequest) (*seriesListReply, error) {
	found, total, err := a.Series.AllSeries(ctx, req.Limit, req.Offset)
	if err != nil {
		return nil, err
	}
	page := SeriesList{Series: make([]Series, len(found)), Pagination: req.Of(total)}
	for i, r := range found {
		page.Series[i] = a.showSeries(r)
	}
	return &seriesListReply{page}, nil
}

func (a *API) GetSeries(ctx context.Context, req *SeriesPath) (*seriesDetailsReply, error) {
	r, err := a.Series.ListedSeries(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	turns, err := a.Series.Turns(ctx, req.ID, manyTurns)
	if err != nil {
		return nil, err
	}
	details := SeriesDetails{Series: a.showSeries(r), Occurrences: make([]Occurrence, len(turns))}
	for i, turn := range turns {
		details.Occurrences[i] = a.showTurn(turn)
	}
	return &seriesDetailsReply{details}, nil
}

func (a *API) showTurn(turn schedule.ListedScheduledTime) Occurrence {
	shown := Occurrence{At: turn.At, State: string(turn.State), Code: turn.Code, Reason: turn.Reason}
	if turn.Post != nil {
		p := a.Posts.ShowPost(*turn.Post)
		shown.Post = &p
	}
	return shown
}

// planned lists the times of series in a stretch of the calendar that have no post yet.
func (a *API) planned(ctx context.Context, from, to time.Time) ([]Planned, error) {
	found, names, err := a.Series.PlannedTimes(ctx, from, to, a.Now())
	if err != nil {
		return nil, err
	}
	planned := make([]Planned, len(found))
	for i, p := range found {
		planned[i] = Planned{SeriesID: p.Series.ID, At: p.At, Content: p.Text, Member: posts.PostMember{Username: names[httpapi.Deref(p.Series.MemberID)]}}
	}
	return planned, nil
}

// ownSeries finds a series that the caller may change: founders any, members their own.
func (a *API) ownSeries(ctx context.Context, id string) (schedule.ListedRecurringPost, error) {
	r, err := a.Series.ListedSeries(ctx, id)
	if err != nil {
		return r, err
	}
	if who := httpapi.CallerOf(ctx); who.Role < account.Founder && who.MemberID() != httpapi.Deref(r.MemberID) {
		return r, problem.New(problem.Forbidden, "This series is not yours. Members may change their own, founders all of them.")
	}
	return r, nil
}
