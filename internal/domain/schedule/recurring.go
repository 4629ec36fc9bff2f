package schedule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// RecurringState of a recurring post.
type RecurringState string

const (
	Active RecurringState = "active"
	Paused RecurringState = "paused" // writes nothing until somebody resumes it
	Ended  RecurringState = "ended"
)

// RecurringPost is a post that recurs every week. Its next post is always written ahead, with its
// slot: the calendar promises nothing that it has no place for.
type RecurringPost struct {
	ID         string
	MemberID   *string     // nil: the founders' share
	Texts      []string    `gorm:"serializer:json"` // take turns
	Weekly     []LocalTime `gorm:"serializer:json"`
	Timezone   string
	EndsAt     *time.Time // no scheduled time after it
	MadeWithAI bool

	State               RecurringState
	Code                string    // why it is paused: a word
	Reason              string    // the same as a sentence for people
	ConsecutiveFailures int       // scheduled times in a row whose post failed
	PostsCreated        int       // posts so far: says whose turn of Texts it is
	PlannedUntil        time.Time // scheduled times up to here have had their turn

	Version              int // counts changes by people
	CreatedAt, UpdatedAt time.Time
}

// ScheduledTimeState says what became of one time of a recurring post.
type ScheduledTimeState string

const (
	Created ScheduledTimeState = "created" // it has a post, which says the rest
	Skipped ScheduledTimeState = "skipped"
)

// ScheduledTime is one time of a recurring post.
type ScheduledTime struct {
	RecurringPostID string    `gorm:"primaryKey"`
	At              time.Time `gorm:"primaryKey"`
	State           ScheduledTimeState
	PostID          *string
	Code            string // why it was skipped: a word
	Reason          string
}

// RecurringChange is what a person alters. What is nil stays.
type RecurringChange struct {
	Texts    *[]string
	Weekly   *[]LocalTime
	Timezone *string
	EndsAt   *time.Time
	NoEnd    bool
	State    *RecurringState // Active or Paused
	Version  *int            // the one that was seen
}

// Rewrites says whether it alters more than the state.
func (c RecurringChange) Rewrites() bool {
	return c.Texts != nil || c.Weekly != nil || c.Timezone != nil || c.EndsAt != nil || c.NoEnd
}

// Apply makes the change, but for the state.
func (c RecurringChange) Apply(s *RecurringPost) {
	if c.Texts != nil {
		s.Texts = *c.Texts
	}
	if c.Weekly != nil {
		s.Weekly = *c.Weekly
	}
	if c.Timezone != nil {
		s.Timezone = *c.Timezone
	}
	if c.EndsAt != nil || c.NoEnd {
		s.EndsAt = c.EndsAt
	}
}

// ListedRecurringPost is a recurring post as lists show it.
type ListedRecurringPost struct {
	RecurringPost
	Username string       // of the member; empty for the founders' recurring posts
	Next     *post.Listed // its next post; nil: none is written
}

// ListedScheduledTime is an scheduled time with its post, if it ever had one.
type ListedScheduledTime struct {
	ScheduledTime
	Post *post.Listed
}

const (
	// MaxActiveRecurring is how many active recurring posts a holder may have.
	MaxActiveRecurring = 20
	// leastGap is the gap between two times of a recurring post, whatever the posting times says.
	leastGap = 15 * time.Minute
	// CatchUpWindow is how late the latest missed time may still be made up for.
	CatchUpWindow = 24 * time.Hour
	// MaxFailures is how many posts in a row may fail before the recurring post is paused.
	MaxFailures = 2

	minutesPerWeek = 7 * MinutesPerDay
	maxTimes       = 50
)

// Why a time was skipped, or a recurring post is paused.
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
	ReasonApproval    = "While posts need a founder's approval, members' recurring posts wait. Resume it when that is over."
	ReasonFrozen      = "Its member's seat is not active any more."
	ReasonChanged     = "Its recurring post was changed, paused or ended."
)

// Calendar is the times of the recurring post as instants. It fails for a zone that nobody knows.
func (s RecurringPost) Calendar() (Weekly, error) {
	zone, err := Zone(s.Timezone)
	return Weekly{Times: s.Weekly, Zone: zone}, err
}

// Next is the first time after t that is not after the end; zero when there is none.
func (s RecurringPost) Next(weekly Weekly, t time.Time) time.Time {
	at := weekly.After(t)
	if s.EndsAt != nil && at.After(*s.EndsAt) {
		return time.Time{}
	}
	return at
}

// Check refuses a recurring post that could not be kept, or that would post more often than its
// holder's posting times allows. gap is the posting times's.
func (s RecurringPost) Check(gap time.Duration, now time.Time) error {
	weekly, err := s.Calendar()
	if err != nil {
		return err
	}
	if len(s.Weekly) == 0 || len(s.Weekly) > maxTimes {
		return problem.New(problem.Invalid, "A recurring post has between 1 and %d times of the week.", maxTimes)
	}
	if err := CheckTimes(s.Weekly); err != nil {
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
func checkGaps(times []LocalTime, gap time.Duration) error {
	if len(times) < 2 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(times), func(a, b LocalTime) int {
		return cmp.Compare(ofWeek(a), ofWeek(b))
	})
	for i, t := range sorted {
		next := sorted[(i+1)%len(sorted)]
		apart := (ofWeek(next) - ofWeek(t) + minutesPerWeek) % minutesPerWeek
		if time.Duration(apart)*time.Minute < gap {
			return problem.New(problem.RecurringTooOften, "%s and %s are less than %d minutes apart. Move one of them, or leave it out.",
				t, next, int(gap.Minutes()))
		}
	}
	return nil
}

func ofWeek(t LocalTime) int { return (t.Weekday-1)*MinutesPerDay + t.Minute }

// PlannedPost is a time of a recurring post for which no post is written yet.
type PlannedPost struct {
	RecurringPost RecurringPost
	At            time.Time
	Text          string // whose turn it will be, if nothing changes
}

// Plan lists the times from from on and before to for which no post is written yet, at most
// limit of them.
func (s RecurringPost) Plan(from, to, now time.Time, limit int) []PlannedPost {
	weekly, err := s.Calendar()
	if err != nil || s.State != Active {
		return nil
	}
	cursor := s.PlannedUntil
	if now.After(cursor) {
		cursor = now
	}
	var planned []PlannedPost
	number := s.PostsCreated + 1
	for at := s.Next(weekly, cursor); !at.IsZero() && at.Before(to) && len(planned) < limit; at = s.Next(weekly, at) {
		if !at.Before(from) {
			planned = append(planned, PlannedPost{s, at, s.TextAt(number, 0, at, weekly.Zone)})
		}
		number++
	}
	return planned
}

// What is replaced in the texts of a recurring post.
const (
	datePlace   = "{date}"
	numberPlace = "{number}"
)

// MaxTexts bounds the texts that take turns.
const MaxTexts = 12

// ExpandText writes a text for the number-th post of a recurring post, from 1 on, at a time of its zone.
func ExpandText(text string, at time.Time, zone *time.Location, number int) string {
	return strings.NewReplacer(
		datePlace, at.In(zone).Format("2 January 2006"), numberPlace, strconv.Itoa(number),
	).Replace(text)
}

// TextAt is the text whose turn it is for the number-th post, with shift others passed over.
func (s RecurringPost) TextAt(number, shift int, at time.Time, zone *time.Location) string {
	return ExpandText(s.Texts[(number-1+shift)%len(s.Texts)], at, zone, number)
}

// longest is what the widest date and number take.
func longest(text string) string {
	return strings.NewReplacer(datePlace, "30 September 2026", numberPlace, "9999").Replace(text)
}

// checkTexts refuses texts that X would not take, or not take twice.
func checkTexts(texts []string, times []LocalTime) error {
	if len(texts) == 0 || len(texts) > MaxTexts {
		return problem.New(problem.Invalid, "A recurring post has between 1 and %d texts.", MaxTexts)
	}
	var keys []string
	for _, text := range texts {
		if err := post.CheckText(longest(text)); err != nil {
			return err
		}
		key := post.TextKey(text)
		if slices.Contains(keys, key) {
			return problem.New(problem.TextDuplicate, "X refuses the same text twice: two of these texts are the same. Change one of them.")
		}
		keys = append(keys, key)
	}
	return checkAlone(texts, times)
}

// checkAlone refuses a single text that would be the same the next time.
func checkAlone(texts []string, times []LocalTime) error {
	if len(texts) > 1 || strings.Contains(texts[0], numberPlace) {
		return nil
	}
	if !strings.Contains(texts[0], datePlace) {
		return problem.New(problem.TextDuplicate,
			"X refuses the same text twice: give several texts, or write {date} or {number} in this one.")
	}
	days := map[int]bool{}
	for _, t := range times {
		if days[t.Weekday] {
			return problem.New(problem.TextDuplicate,
				"X refuses the same text twice: with {date} alone, this one is the same twice a day. Write {number}, or give several texts.")
		}
		days[t.Weekday] = true
	}
	return nil
}
