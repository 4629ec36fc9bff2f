// Package postingtimes holds the rules of a queue: the times of the week at which it posts, the
// hours in which it is silent, and the gap that it keeps. Values in, values out.
package postingtimes

import (
	"time"

	"customerzero/internal/domain/localtime"
)

// Timetable is one holder's: a member's, or the founders' where Holder is empty.
type Timetable struct {
	Holder        string           `gorm:"primaryKey"`
	Weekly        []localtime.Time `gorm:"serializer:json"`
	Timezone      string
	QuietFrom     int // minutes of the day; the quiet hours end before QuietTo. Equal: none
	QuietTo       int
	MinGapMinutes int
	Version       int // counts changes by people; 0: nobody has changed it yet
	UpdatedAt     time.Time
}

// Usual is the timetable of a holder who has not chosen one.
func Usual(holder string) Timetable {
	t := Timetable{Holder: holder, Timezone: "UTC", QuietFrom: 22 * 60, QuietTo: 7 * 60, MinGapMinutes: 60}
	for weekday := 1; weekday <= 5; weekday++ {
		for _, minute := range []int{9 * 60, 12*60 + 30, 17 * 60} {
			t.Weekly = append(t.Weekly, localtime.Time{Weekday: weekday, Minute: minute})
		}
	}
	return t
}

// Gap is the least time between two of the holder's posts.
func (t Timetable) Gap() time.Duration { return time.Duration(t.MinGapMinutes) * time.Minute }

// quiet says whether a minute of the day lies in the quiet hours, which may span midnight.
func (t Timetable) quiet(minute int) bool {
	if t.QuietFrom <= t.QuietTo {
		return t.QuietFrom <= minute && minute < t.QuietTo
	}
	return minute >= t.QuietFrom || minute < t.QuietTo
}
