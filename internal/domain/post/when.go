package post

import (
	"time"

	"customerzero/internal/domain/problem"
)

const (
	// horizon is how far ahead a post may be scheduled.
	horizon = 366 * 24 * time.Hour
	// grace allows for the seconds between choosing "now" and the request.
	grace = time.Minute
)

// localForms are the accepted times without an offset, as written by date pickers and spreadsheets.
var localForms = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// ParseWhen parses RFC 3339, or a local time in the zone (default UTC); empty means now. A local time
// that occurs twice is refused with both instants in the details.
func ParseWhen(value, zone string, now time.Time) (time.Time, error) {
	where := time.UTC
	if zone != "" {
		var err error
		if where, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			return time.Time{}, problem.New(problem.TimezoneUnknown,
				"Unknown time zone. Use a name like Europe/Berlin or UTC.")
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
		// Go moves a local time that DST skips, so the requested time does not exist.
		if at.Format(form) != value {
			return time.Time{}, problem.New(problem.DateInvalid,
				"That time does not exist in %s because the clocks go forward. Choose another.", where)
		}
		if other, twice := otherInstant(at, form); twice {
			return time.Time{}, ambiguous(at, other)
		}
		return at.UTC(), nil
	}
	return time.Time{}, problem.New(problem.DateInvalid,
		"Invalid time. Use 2026-12-01T09:00 with a time zone, or 2026-12-01T09:00:00Z.")
}

// otherInstant returns the other instant with the same local time, if the clocks go back around it.
func otherInstant(at time.Time, form string) (time.Time, bool) {
	const around = 24 * time.Hour // no zone changes its clocks twice within it
	_, offset := at.Zone()
	for _, near := range []time.Time{at.Add(-around), at.Add(around)} {
		_, then := near.Zone()
		other := at.Add(time.Duration(offset-then) * time.Second)
		if !other.Equal(at) && other.Format(form) == at.Format(form) {
			return other, true
		}
	}
	return time.Time{}, false
}

func ambiguous(one, other time.Time) error {
	if other.Before(one) {
		one, other = other, one
	}
	first, second := one.Format(time.RFC3339), other.Format(time.RFC3339)
	return &problem.Error{
		Code:    problem.DateAmbiguous,
		Message: "That time occurs twice in " + one.Location().String() + ". Use " + first + " for the first or " + second + " for the second.",
		Details: []problem.Detail{
			{Field: "body.scheduledAt", Reason: "first: " + first}, {Field: "body.scheduledAt", Reason: "second: " + second},
		},
	}
}

// CheckWhen rejects times in the past or more than a year ahead.
func CheckWhen(at, now time.Time) (time.Time, error) {
	switch {
	case at.Before(now.Add(-grace)):
		return time.Time{}, problem.New(problem.DatePast, "That time has passed. Choose a later one, or leave it out to post now.")
	case at.After(now.Add(horizon)):
		return time.Time{}, problem.New(problem.DateTooFar, "That is more than a year ahead. Choose an earlier time.")
	}
	return at.UTC(), nil
}
