// Package localtime turns what clocks on walls show into instants, and back, daylight saving
// included. Its rules: a time that the clocks skip in spring is the first instant after the
// gap, and one that they show twice in autumn is the first of the two.
package localtime

import (
	"fmt"
	"time"
	_ "time/tzdata" // the machine may have no list of time zones

	"customerzero/internal/domain/problem"
)

// Time is a time of a week, as clocks show it.
type Time struct {
	Weekday int `json:"weekday"` // ISO: 1 is Monday, 7 Sunday
	Minute  int `json:"minute"`  // of the day, 0 to 1439
}

// Weekly are the times of every week in a time zone.
type Weekly struct {
	Times []Time
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

// Clock shows minutes of a day as "09:30".
func Clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// ParseClock reads "09:30".
func ParseClock(value string) (minute int, err error) {
	at, err := time.Parse("15:04", value)
	if err != nil {
		return 0, problem.New(problem.Invalid, "A time of day is written like 09:30.")
	}
	return at.Hour()*60 + at.Minute(), nil
}
