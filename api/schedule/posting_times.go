package schedule

import (
	"context"
	"log/slog"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// LocalTime is a weekly time in the zone of the posting times.
type LocalTime struct {
	Weekday int    `json:"weekday" minimum:"1" maximum:"7" doc:"Day of the week from 1 (Monday) to 7 (Sunday)"`
	Time    string `json:"time" doc:"Local time of day" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:30"`
}

// PostingTimes are the weekly times of a queue: a member's, or the one that founders share.
type PostingTimes struct {
	Times         []LocalTime `json:"times" doc:"Weekly times" maxItems:"100"`
	Timezone      string      `json:"timezone" doc:"IANA time zone name" maxLength:"60" example:"Europe/Berlin"`
	QuietFrom     string      `json:"quietFrom" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Start of the quiet hours, when no post is queued"`
	QuietTo       string      `json:"quietTo" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"End of the quiet hours; the same as quietFrom if there are none"`
	MinGapMinutes int         `json:"minGapMinutes" minimum:"0" maximum:"1440" doc:"Minimum time between two posts in minutes"`
	Version       int         `json:"version" doc:"Version that was read; 0 if none were saved"`
}

// holder returns the member whose posting times the caller uses, or "" for the founders' shared ones.
func holder(ctx context.Context) string {
	if who := httpapi.CallerOf(ctx); who.Role < account.Founder {
		return who.MemberID()
	}
	return ""
}

func showTimes(times []schedule.LocalTime) []LocalTime {
	return httpapi.Map(times, func(t schedule.LocalTime) LocalTime { return LocalTime{t.Weekday, schedule.FormatClock(t.Minute)} })
}

func readTimes(times []LocalTime) ([]schedule.LocalTime, error) {
	found := make([]schedule.LocalTime, len(times))
	for i, t := range times {
		minute, err := schedule.ParseClock(t.Time)
		if err != nil {
			return nil, err
		}
		found[i] = schedule.LocalTime{Weekday: t.Weekday, Minute: minute}
	}
	return found, nil
}

func showPostingTimes(t schedule.PostingTimes) PostingTimes {
	return PostingTimes{
		Times: showTimes(t.Weekly), Timezone: t.Timezone, QuietFrom: schedule.FormatClock(t.QuietFrom), QuietTo: schedule.FormatClock(t.QuietTo),
		MinGapMinutes: t.MinGapMinutes, Version: t.Version,
	}
}

func (a *API) GetPostingTimes(ctx context.Context, _ *struct{}) (PostingTimes, error) {
	t, err := a.PostingTimes.PostingTimes(ctx, holder(ctx))
	return showPostingTimes(t), err
}

func (a *API) SetPostingTimes(ctx context.Context, req *httpapi.Body[PostingTimes]) (PostingTimes, error) {
	t, err := req.Body.read(holder(ctx))
	if err != nil {
		return PostingTimes{}, err
	}
	if err := t.Check(); err != nil {
		return PostingTimes{}, err
	}
	t, err = a.PostingTimes.SavePostingTimes(ctx, t, a.Now())
	return showPostingTimes(t), err
}

func (body PostingTimes) read(holder string) (schedule.PostingTimes, error) {
	t := schedule.PostingTimes{
		Holder: holder, Timezone: body.Timezone, MinGapMinutes: body.MinGapMinutes, Version: body.Version,
	}
	var err error
	if t.Weekly, err = readTimes(body.Times); err != nil {
		return t, err
	}
	if t.QuietFrom, err = schedule.ParseClock(body.QuietFrom); err != nil {
		return t, err
	}
	t.QuietTo, err = schedule.ParseClock(body.QuietTo)
	return t, err
}

// FreeTimes are the next free posting times of a queue.
type FreeTimes struct {
	Times []time.Time `json:"times" doc:"Next free times in UTC, earliest first"`
}

type freeTimesRequest struct {
	Count int `query:"count" doc:"Maximum number of times to return" default:"3" minimum:"1" maximum:"20"`
}

func (a *API) ListFreeTimes(ctx context.Context, req *freeTimesRequest) (FreeTimes, error) {
	t, taken, err := a.postingTimes(ctx, "")
	if err != nil {
		return FreeTimes{}, err
	}
	now := a.Now()
	reply := FreeTimes{Times: []time.Time{}}
	for len(reply.Times) < req.Count {
		at, found := t.Next(now, now.Add(schedule.Horizon), taken)
		if !found {
			break
		}
		reply.Times, taken = append(reply.Times, at), append(taken, at)
	}
	return reply, nil
}

// postingTimes returns the caller's posting times, and the times taken by their posts except one.
func (a *API) postingTimes(ctx context.Context, besides string) (t schedule.PostingTimes, taken []time.Time, err error) {
	if t, err = a.PostingTimes.PostingTimes(ctx, holder(ctx)); err != nil {
		return t, nil, err
	}
	taken, err = a.PostingTimes.TakenTimes(ctx, t.Holder, besides, a.Now())
	return t, taken, err
}

// timeHints returns conflicts of a time with the caller's posting times. postID is empty for a new post. An error is
// logged and yields no hints.
func (a *API) timeHints(ctx context.Context, postID string, at time.Time) []CheckProblem {
	t, taken, err := a.postingTimes(ctx, postID)
	if err != nil {
		slog.WarnContext(ctx, "posting times not read, so no hints are shown", "error", err)
		return nil
	}
	return httpapi.Map(t.Hints(at, taken), func(hint schedule.Hint) CheckProblem { return CheckProblem{problem.Code(hint.Code), hint.Message} })
}
