package recurring

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/problem"
)

const (
	// MaxActive is how many series a holder may have at work.
	MaxActive = 20
	// leastGap is the gap between two times of a series, whatever the timetable says.
	leastGap = 15 * time.Minute
	// MakeUp is how late the latest missed time may still be made up for.
	MakeUp = 24 * time.Hour
	// MaxFailures is how many posts in a row may fail before the series is paused.
	MaxFailures = 2

	minutesPerWeek = 7 * localtime.MinutesPerDay
	maxTimes       = 50
)

// Why a time was skipped, or a series is paused.
const (
	CodeMissed      = "missed"
	CodeCancelled   = "cancelled"
	CodeFailedTwice = "failed_twice"
	CodeByHand      = "by_hand"
	CodeApproval    = "approval"
	CodeFrozen      = "frozen"
	CodeChanged     = "changed"
)

// The same as sentences for people.
const (
	ReasonMissed      = "It was missed while the bot was away; only the latest missed time is made up for."
	ReasonTooLate     = "It was missed while the bot was away, more than a day ago."
	ReasonCancelled   = "Its post was given up."
	ReasonFailedTwice = "Two of its posts in a row failed. Look at why, then resume it."
	ReasonByHand      = "Somebody paused it. It writes nothing until it is resumed."
	ReasonApproval    = "While posts need a founder's approval, members' series wait. Resume it when that is over."
	ReasonFrozen      = "Its member's seat is not active any more."
	ReasonChanged     = "Its series was changed, paused or ended."
)

// Calendar is the times of the series as instants. It fails for a zone that nobody knows.
func (s Series) Calendar() (localtime.Weekly, error) {
	zone, err := localtime.Zone(s.Timezone)
	return localtime.Weekly{Times: s.Weekly, Zone: zone}, err
}

// Next is the first time after t that is not after the end; zero when there is none.
func (s Series) Next(weekly localtime.Weekly, t time.Time) time.Time {
	at := weekly.After(t)
	if s.EndsAt != nil && at.After(*s.EndsAt) {
		return time.Time{}
	}
	return at
}

// Check refuses a series that could not be kept, or that would post more often than its
// holder's timetable allows. gap is the timetable's.
func (s Series) Check(gap time.Duration, now time.Time) error {
	weekly, err := s.Calendar()
	if err != nil {
		return err
	}
	if len(s.Weekly) == 0 || len(s.Weekly) > maxTimes {
		return problem.New(problem.Invalid, "A series has between 1 and %d times of the week.", maxTimes)
	}
	if err := localtime.Check(s.Weekly); err != nil {
		return err
	}
	if err := checkGaps(s.Weekly, max(gap, leastGap)); err != nil {
		return err
	}
	if err := checkTexts(s.Texts, s.Weekly); err != nil {
		return err
	}
	if s.EndsAt != nil && s.EndsAt.Before(now) {
		return problem.New(problem.DatePast, "The last day has passed. Choose a later one, or none.")
	}
	if s.Next(weekly, now).IsZero() {
		return problem.New(problem.DatePast, "None of its times comes before the last day is over. Choose a later day, or none.")
	}
	return nil
}

// checkGaps holds neighbouring times of the week against the gap, the last and the first
// included.
func checkGaps(times []localtime.Time, gap time.Duration) error {
	if len(times) < 2 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(times), func(a, b localtime.Time) int {
		return cmp.Compare(ofWeek(a), ofWeek(b))
	})
	for i, t := range sorted {
		next := sorted[(i+1)%len(sorted)]
		apart := (ofWeek(next) - ofWeek(t) + minutesPerWeek) % minutesPerWeek
		if time.Duration(apart)*time.Minute < gap {
			return problem.New(problem.SeriesTooOften, "%s and %s are less than %d minutes apart. Move one of them, or leave it out.",
				t, next, int(gap.Minutes()))
		}
	}
	return nil
}

func ofWeek(t localtime.Time) int { return (t.Weekday-1)*localtime.MinutesPerDay + t.Minute }

// Planned is a time of a series for which no post is written yet.
type Planned struct {
	Series Series
	At     time.Time
	Text   string // whose turn it will be, if nothing changes
}

// Plan lists the times from from on and before to for which no post is written yet, at most
// limit of them.
func (s Series) Plan(from, to, now time.Time, limit int) []Planned {
	weekly, err := s.Calendar()
	if err != nil || s.State != Active {
		return nil
	}
	cursor := s.CursorAt
	if now.After(cursor) {
		cursor = now
	}
	var planned []Planned
	number := s.Written + 1
	for at := s.Next(weekly, cursor); !at.IsZero() && at.Before(to) && len(planned) < limit; at = s.Next(weekly, at) {
		if !at.Before(from) {
			planned = append(planned, Planned{s, at, s.TextAt(number, 0, at, weekly.Zone)})
		}
		number++
	}
	return planned
}
