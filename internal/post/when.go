package post

import (
	"time"

	"customerzero/internal/problem"
)

const (
	// horizon bounds how far ahead a post may be planned.
	horizon = 366 * 24 * time.Hour
	// grace forgives the seconds between choosing "now" and arriving here.
	grace = time.Minute
)

// localForms are the times without a zone that we read: a date picker's and a sheet's.
var localForms = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// ParseWhen reads the time a post should go out: RFC 3339, or a local time in the named
// zone (UTC when none is named). An empty value is now.
func ParseWhen(value, zone string, now time.Time) (time.Time, error) {
	where := time.UTC
	if zone != "" {
		var err error
		if where, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			return time.Time{}, problem.New(problem.TimezoneUnknown,
				"That time zone is not known. Use a name like Europe/Berlin or UTC.")
		}
	}
	if value == "" {
		return now.UTC(), nil
	}
	at, err := parseTime(value, where)
	if err != nil {
		return time.Time{}, err
	}
	return CheckWhen(at, now)
}

func parseTime(value string, where *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at.UTC(), nil
	}
	for _, form := range localForms {
		at, err := time.ParseInLocation(form, value, where)
		if err != nil {
			continue
		}
		// Go moves a time that the clocks skip; what people asked for does not exist.
		if at.Format(form) != value {
			return time.Time{}, problem.New(problem.DateInvalid,
				"That time does not exist in %s: the clocks go forward over it.", where)
		}
		return at.UTC(), nil
	}
	return time.Time{}, problem.New(problem.DateInvalid,
		"That is not a time we can read. Write 2026-12-01T09:00, with a time zone, or 2026-12-01T09:00:00Z.")
}

// CheckWhen refuses times that have passed or lie absurdly far ahead.
func CheckWhen(at, now time.Time) (time.Time, error) {
	switch {
	case at.Before(now.Add(-grace)):
		return time.Time{}, problem.New(problem.DatePast, "That time has passed. Choose a later one, or leave it out to post now.")
	case at.After(now.Add(horizon)):
		return time.Time{}, problem.New(problem.DateTooFar, "That is more than a year ahead. Choose an earlier time.")
	}
	return at.UTC(), nil
}
