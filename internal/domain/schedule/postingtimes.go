package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/domain/problem"
)

// PostingTimes is the queue of one member, or of the founders if Holder is empty.
type PostingTimes struct {
	Holder        string      `gorm:"primaryKey"`
	Weekly        []LocalTime `gorm:"serializer:json"`
	Timezone      string
	QuietFrom     int // minutes of the day; QuietTo is exclusive; no quiet hours if both are equal
	QuietTo       int
	MinGapMinutes int
	Version       int // counts changes by people; 0: still the default
	UpdatedAt     time.Time
}

// TableName is the GORM table name.
func (PostingTimes) TableName() string { return "posting_times" }

// DefaultPostingTimes returns the posting times of a holder who has not set any.
func DefaultPostingTimes(holder string) PostingTimes {
	t := PostingTimes{Holder: holder, Timezone: "UTC", QuietFrom: 22 * 60, QuietTo: 7 * 60, MinGapMinutes: 60}
	for weekday := 1; weekday <= 5; weekday++ {
		for _, minute := range []int{9 * 60, 12*60 + 30, 17 * 60} {
			t.Weekly = append(t.Weekly, LocalTime{Weekday: weekday, Minute: minute})
		}
	}
	return t
}

// Gap is the minimum time between two of the holder's posts.
func (t PostingTimes) Gap() time.Duration { return time.Duration(t.MinGapMinutes) * time.Minute }

// quiet reports whether a minute of the day is within the quiet hours, which may span midnight.
func (t PostingTimes) quiet(minute int) bool {
	if t.QuietFrom <= t.QuietTo {
		return t.QuietFrom <= minute && minute < t.QuietTo
	}
	return minute >= t.QuietFrom || minute < t.QuietTo
}

// Horizon is how far ahead a queue searches for a free time.
const Horizon = 60 * 24 * time.Hour

// MaxPostingTimes is the maximum number of times in a week.
const MaxPostingTimes = 100

// Check validates the posting times; times within the quiet hours are listed in the details.
func (t PostingTimes) Check() error {
	if _, err := Zone(t.Timezone); err != nil {
		return err
	}
	if len(t.Weekly) > MaxPostingTimes {
		return problem.New(problem.Invalid, "A week can have at most %d posting times.", MaxPostingTimes)
	}
	if err := CheckTimes(t.Weekly); err != nil {
		return err
	}
	var details []problem.Detail
	for i, at := range t.Weekly {
		if t.quiet(at.Minute) {
			details = append(details, problem.Detail{
				Field: "body.times[" + strconv.Itoa(i) + "]", Reason: "is within the quiet hours",
			})
		}
	}
	if len(details) > 0 {
		return &problem.Error{
			Code: problem.Invalid, Message: "Some of these times are within the quiet hours. Move them or shorten the quiet hours.", Details: details,
		}
	}
	return nil
}

// Next returns the queue's first free time in (after, until): outside the quiet hours and at least the
// gap away from every taken time. It returns false if there is none.
func (t PostingTimes) Next(after, until time.Time, taken []time.Time) (time.Time, bool) {
	zone, err := Zone(t.Timezone)
	if err != nil {
		return time.Time{}, false
	}
	weekly := Weekly{Times: t.Weekly, Zone: zone}
	for at := weekly.After(after); !at.IsZero() && at.Before(until); at = weekly.After(at) {
		// A time skipped by DST moves, possibly into the quiet hours.
		if !t.quiet(LocalTimeOf(at.In(zone)).Minute) && !tooNear(at, taken, max(t.Gap(), time.Minute)) {
			return at, true
		}
	}
	return time.Time{}, false
}

// Hint is a warning about a time that a person chose.
type Hint struct{ Code, Message string }

// Hints returns warnings about a time that is within the quiet hours or too close to a taken one. People
// may use it anyway.
func (t PostingTimes) Hints(at time.Time, taken []time.Time) []Hint {
	var hints []Hint
	zone, err := Zone(t.Timezone)
	if err == nil && t.quiet(LocalTimeOf(at.In(zone)).Minute) {
		hints = append(hints, Hint{"quiet_hours", fmt.Sprintf("This time is within the quiet hours, %s to %s (%s).",
			FormatClock(t.QuietFrom), FormatClock(t.QuietTo), t.Timezone)})
	}
	if t.MinGapMinutes > 0 && tooNear(at, taken, t.Gap()) {
		hints = append(hints, Hint{"min_gap", fmt.Sprintf("Another post is scheduled less than %d minutes before or after this time.", t.MinGapMinutes)})
	}
	return hints
}

func tooNear(at time.Time, taken []time.Time, gap time.Duration) bool {
	return slices.ContainsFunc(taken, func(other time.Time) bool { return at.Sub(other).Abs() < gap })
}
