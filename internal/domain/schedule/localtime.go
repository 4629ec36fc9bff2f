// Package schedule holds the rules of when posts go out: local times with daylight saving, the
// posting times of a queue, and recurring posts. A local time that the clocks skip in spring is the
// first instant after the gap; one that they show twice in autumn is the first of the two. Values in,
// values out.
package schedule

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // the machine may have no list of time zones

	"customerzero/internal/domain/problem"
)

// LocalTime is a time of a week, as clocks show it.
type LocalTime struct {
	Weekday int `json:"weekday"` // ISO: 1 is Monday, 7 Sunday
	Minute  int `json:"minute"`  // of the day, 0 to 1439
}

// Weekly are the times of every week in a time zone.
type Weekly struct {
	Times []LocalTime
	Zone  *time.Location
}

// MinutesPerDay is how many minutes a clock shows, whatever the day.
const MinutesPerDay = 24 * 60

// Zone finds a time zone by its IANA name.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, problem.New(problem.TimezoneUnknown, "That time zone is not known. Use a name like Europe/Berlin or UTC.")
	}
	return zone, nil
}

// FormatClock shows minutes of a day as "09:30".
func FormatClock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// ParseClock reads "09:30".
func ParseClock(value string) (minute int, err error) {
	at, err := time.Parse("15:04", value)
	if err != nil {
		return 0, problem.New(problem.Invalid, "A time of day is written like 09:30.")
	}
	return at.Hour()*60 + at.Minute(), nil
}

// CheckTimes refuses times that no clock shows, and the same time twice.
func CheckTimes(times []LocalTime) error {
	seen := map[LocalTime]bool{}
	for _, t := range times {
		if t.Weekday < 1 || t.Weekday > 7 || t.Minute < 0 || t.Minute >= MinutesPerDay {
			return problem.New(problem.Invalid, "A time of the week is a day from 1 (Monday) to 7 (Sunday) and a time from 00:00 to 23:59.")
		}
		if seen[t] {
			return problem.New(problem.Invalid, "%s is there twice. Leave one of the two out.", t)
		}
		seen[t] = true
	}
	return nil
}

// String shows a time as people say it: "Monday 09:30".
func (t LocalTime) String() string {
	return time.Weekday(t.Weekday%7).String() + " " + FormatClock(t.Minute)
}

// LocalTimeOf is the time of the week that clocks show at t, in t's own zone.
func LocalTimeOf(t time.Time) LocalTime {
	weekday := int(t.Weekday())
	if weekday == 0 {
		weekday = 7
	}
	return LocalTime{Weekday: weekday, Minute: t.Hour()*60 + t.Minute()}
}

// After is the first of the times strictly after t, in UTC; zero when there are none.
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

// Between lists the times from from on, and before to, in order and in UTC.
func (w Weekly) Between(from, to time.Time) []time.Time {
	var found []time.Time
	for at := w.After(from.Add(-1)); !at.IsZero() && at.Before(to); at = w.After(at) {
		found = append(found, at)
	}
	return found
}

// dayBefore is the date before t's in the zone, as midnight in UTC. A day that the clocks
// skip moves its times into the next: so one looks from the day before on.
func (w Weekly) dayBefore(t time.Time) time.Time {
	year, month, day := t.In(w.Zone).Date()
	return time.Date(year, month, day-1, 0, 0, 0, 0, time.UTC)
}

// on lists the instants of a date, given as midnight in UTC, in order.
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

// aDay is longer than any offset from UTC and than any change of the clocks.
const aDay = 26 * time.Hour

// instant finds when clocks in the zone show what shown shows as if it were UTC.
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
	changed, _ := second.In(zone).ZoneBounds() // no clock shows it: they were put forward over it
	return changed.UTC()
}
