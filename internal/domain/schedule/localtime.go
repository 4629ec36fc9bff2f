// Package schedule holds the rules for when posts go out: local times across DST changes, a queue's
// posting times and recurring posts. A local time skipped in spring becomes the first instant after the
// gap; one that occurs twice in autumn means the first. Pure functions: no clock, no I/O.
package schedule

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // the host may have no time zone database

	"customerzero/internal/domain/problem"
)

// LocalTime is a weekday and a time of day on the local clock.
type LocalTime struct {
	Weekday int `json:"weekday"` // ISO: 1 is Monday, 7 Sunday
	Minute  int `json:"minute"`  // of the day, 0 to 1439
}

// Weekly is a set of times that recur every week in a time zone.
type Weekly struct {
	Times []LocalTime
	Zone  *time.Location
}

// MinutesPerDay is the number of minutes on the clock, also on days with a DST change.
const MinutesPerDay = 24 * 60

// Zone loads a time zone by its IANA name.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, problem.New(problem.TimezoneUnknown, "Unknown time zone. Use a name like Europe/Berlin or UTC.")
	}
	return zone, nil
}

// FormatClock formats a minute of the day as "09:30".
func FormatClock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// ParseClock parses "09:30" into a minute of the day.
func ParseClock(value string) (minute int, err error) {
	at, err := time.Parse("15:04", value)
	if err != nil {
		return 0, problem.New(problem.Invalid, "Invalid time of day. Use the form 09:30.")
	}
	return at.Hour()*60 + at.Minute(), nil
}

// CheckTimes rejects out-of-range times and duplicates.
func CheckTimes(times []LocalTime) error {
	seen := map[LocalTime]bool{}
	for _, t := range times {
		if t.Weekday < 1 || t.Weekday > 7 || t.Minute < 0 || t.Minute >= MinutesPerDay {
			return problem.New(problem.Invalid, "Invalid time. Use a day from 1 (Monday) to 7 (Sunday) and a time from 00:00 to 23:59.")
		}
		if seen[t] {
			return problem.New(problem.Invalid, "%s appears twice. Remove one of them.", t)
		}
		seen[t] = true
	}
	return nil
}

// String formats the time as "Monday 09:30".
func (t LocalTime) String() string {
	return time.Weekday(t.Weekday%7).String() + " " + FormatClock(t.Minute)
}

// LocalTimeOf returns the weekday and minute of t in its own zone.
func LocalTimeOf(t time.Time) LocalTime {
	weekday := int(t.Weekday())
	if weekday == 0 {
		weekday = 7
	}
	return LocalTime{Weekday: weekday, Minute: t.Hour()*60 + t.Minute()}
}

// After returns the first of the times strictly after t, in UTC, or zero if there are no times.
func (w Weekly) After(t time.Time) time.Time {
	if len(w.Times) == 0 {
		return time.Time{}
	}
	for day := w.dayBefore(t); ; day = day.AddDate(0, 0, 1) {
		for _, at := range w.on(day) {
			if at.After(t) {
				return at
			}
		}
	}
}

// Between lists the times in [from, to), in order and in UTC.
func (w Weekly) Between(from, to time.Time) []time.Time {
	var found []time.Time
	for at := w.After(from.Add(-1)); !at.IsZero() && at.Before(to); at = w.After(at) {
		found = append(found, at)
	}
	return found
}

// dayBefore returns the date before t's in the zone, as midnight UTC. The search starts there because the
// times of a day that the zone skips move into the next day.
func (w Weekly) dayBefore(t time.Time) time.Time {
	year, month, day := t.In(w.Zone).Date()
	return time.Date(year, month, day-1, 0, 0, 0, 0, time.UTC)
}

// on lists the instants of a date, given as midnight UTC, in order.
func (w Weekly) on(date time.Time) []time.Time {
	weekday := LocalTimeOf(date).Weekday
	var found []time.Time
	for _, t := range w.Times {
		if t.Weekday == weekday {
			found = append(found, instant(date.Add(time.Duration(t.Minute)*time.Minute), w.Zone))
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	return slices.CompactFunc(found, time.Time.Equal)
}

// aDay is longer than any UTC offset and any clock change.
const aDay = 26 * time.Hour

// instant returns the time at which clocks in the zone show the date and time that shown has in UTC.
func instant(shown time.Time, zone *time.Location) time.Time {
	_, before := shown.Add(-aDay).In(zone).Zone()
	_, after := shown.Add(aDay).In(zone).Zone()
	first := shown.Add(-time.Duration(max(before, after)) * time.Second)
	second := shown.Add(-time.Duration(min(before, after)) * time.Second)
	for _, candidate := range []time.Time{first, second} {
		if _, offset := candidate.In(zone).Zone(); candidate.Add(time.Duration(offset) * time.Second).Equal(shown) {
			return candidate
		}
	}
	changed, _ := second.In(zone).ZoneBounds() // skipped: the clocks were put forward over it
	return changed.UTC()
}
