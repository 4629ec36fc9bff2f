package experiment

import "time"

const aDay = 24 * time.Hour

// Day counts days, in UTC, from the one on which the experiment became active, which is 1. They
// stop when it ends. Before it begins it is 1.
func Day(started, ended *time.Time, now time.Time) int {
	if started == nil {
		return 1
	}
	if ended != nil && ended.Before(now) {
		now = *ended
	}
	return max(1, between(*started, now)+1)
}

// NoteDay is the day of a date like 2006-01-02; 0 and less: before it began, or it has not.
func NoteDay(date string, started *time.Time) int {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || started == nil {
		return 0
	}
	return between(*started, day) + 1
}

// between counts midnights.
func between(from, until time.Time) int {
	return int(until.UTC().Truncate(aDay).Sub(from.UTC().Truncate(aDay)) / aDay)
}
