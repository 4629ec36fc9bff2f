package schedule

import (
	"fmt"
	"strconv"
	"time"

	"customerzero/internal/domain/problem"
)

// PostingTimes is one holder's: a member's, or the founders' where Holder is empty.
type PostingTimes struct {
	Holder        string      `gorm:"primaryKey"`
	Weekly        []LocalTime `gorm:"serializer:json"`
	Timezone      string
	QuietFrom     int // minutes of the day; the quiet hours end before QuietTo. Equal: none
	QuietTo       int
	MinGapMinutes int
	Version       int // counts changes by people; 0: nobody has changed it yet
	UpdatedAt     time.Time
}

// TableName is the table that GORM stores these rows in.
func (PostingTimes) TableName() string { return "posting_times" }

// DefaultPostingTimes is the posting times of a holder who has not chosen one.
func DefaultPostingTimes(holder string) PostingTimes {
	t := PostingTimes{Holder: holder, Timezone: "UTC", QuietFrom: 22 * 60, QuietTo: 7 * 60, MinGapMinutes: 60}
	for weekday := 1; weekday <= 5; weekday++ {
		for _, minute := range []int{9 * 60, 12*60 + 30, 17 * 60} {
			t.Weekly = append(t.Weekly, LocalTime{Weekday: weekday, Minute: minute})
		}
	}
	return t
}

// Gap is the least time between two of the holder's posts.
func (t PostingTimes) Gap() time.Duration { return time.Duration(t.MinGapMinutes) * time.Minute }

// quiet says whether a minute of the day lies in the quiet hours, which may span midnight.
func (t PostingTimes) quiet(minute int) bool {
	if t.QuietFrom <= t.QuietTo {
		return t.QuietFrom <= minute && minute < t.QuietTo
	}
	return minute >= t.QuietFrom || minute < t.QuietTo
}

// Horizon is how far ahead a queue looks for a free time.
const Horizon = 60 * 24 * time.Hour

// MaxPostingTimes bounds the times of a week.
const MaxPostingTimes = 100

// Check refuses posting times that cannot be kept, time by time.
func (t PostingTimes) Check() error {
	if _, err := Zone(t.Timezone); err != nil {
		return err
	}
	if len(t.Weekly) > MaxPostingTimes {
		return problem.New(problem.Invalid, "Posting times have at most %d times.", MaxPostingTimes)
	}
	if err := CheckTimes(t.Weekly); err != nil {
		return err
	}
	var details []problem.Detail
	for i, at := range t.Weekly {
		if t.quiet(at.Minute) {
			details = append(details, problem.Detail{
				Field: "body.times[" + strconv.Itoa(i) + "]", Reason: "lies in the quiet hours",
			})
		}
	}
	if len(details) > 0 {
		return &problem.Error{
			Code: problem.Invalid, Message: "Some of these times lie in the quiet hours. Move them, or shorten the quiet hours.", Details: details,
		}
	}
	return nil
}

// Next is the first time after after at which the queue may post: one of the week's, not in
// the quiet hours, and as far from every taken time as the gap asks. It is false when there
// is none before until.
func (t PostingTimes) Next(after, until time.Time, taken []time.Time) (time.Time, bool) {
	zone, err := Zone(t.Timezone)
	if err != nil {
		return time.Time{}, false
	}
	weekly := Weekly{Times: t.Weekly, Zone: zone}
	for at := weekly.After(after); !at.IsZero() && at.Before(until); at = weekly.After(at) {
		// A time that the clocks skip is moved, and may come to lie in the quiet hours.
		if !t.quiet(LocalTimeOf(at.In(zone)).Minute) && !tooNear(at, taken, max(t.Gap(), time.Minute)) {
			return at, true
		}
	}
	return time.Time{}, false
}

// Hint is something to know about a time that a person chose.
type Hint struct{ Code, Message string }

// Hints says what the posting times has against a time: it lies in the quiet hours, or too near
// to a taken one. A person may choose it all the same.
func (t PostingTimes) Hints(at time.Time, taken []time.Time) []Hint {
	var hints []Hint
	zone, err := Zone(t.Timezone)
	if err == nil && t.quiet(LocalTimeOf(at.In(zone)).Minute) {
		hints = append(hints, Hint{"quiet_hours", fmt.Sprintf("This time lies in the quiet hours, %s to %s (%s).",
			FormatClock(t.QuietFrom), FormatClock(t.QuietTo), t.Timezone)})
	}
	if t.MinGapMinutes > 0 && tooNear(at, taken, t.Gap()) {
		hints = append(hints, Hint{"min_gap", fmt.Sprintf("Another post goes out less than %d minutes before or after it.", t.MinGapMinutes)})
	}
	return hints
}

func tooNear(at time.Time, taken []time.Time, gap time.Duration) bool {
	for _, other := range taken {
		if at.Sub(other).Abs() < gap {
			return true
		}
	}
	return false
}
