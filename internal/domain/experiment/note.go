package experiment

import (
	"time"
)

// Clean gives a note in the form in which it is stored. Its Markdown stays as it is.
func (n Note) Clean(now time.Time) (Note, error) {
	day, err := time.Parse(time.DateOnly, n.Date)
	date := bounds{field: "date"}
	switch {
	case err != nil:
		return n, date.refuse("it is not a day like 2026-11-22")
	case day.Year() < 2000:
		return n, date.refuse("it is too long ago")
	case day.After(now.UTC()):
		return n, date.refuse("that day has not come yet, in UTC")
	}
	n.Content, err = noteContent.clean(n.Content)
	return n, err
}
