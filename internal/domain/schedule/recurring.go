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
	Paused RecurringState = "paused" // creates no posts until it is resumed
	Ended  RecurringState = "ended"
)

// RecurringPost is a post that repeats every week. Its next post is always created in advance, with its
// slot, so the calendar only promises posts that have a slot.
type RecurringPost struct {
	ID         string
	MemberID   *string     // nil: the founders' share
	Texts      []string    `gorm:"serializer:json"` // used in rotation
	Weekly     []LocalTime `gorm:"serializer:json"`
	Timezone   string
	EndsAt     *time.Time // no scheduled times after this
	MadeWithAI bool

	State               RecurringState
	Code                string    // why it is paused
	Reason              string    // the same as a sentence
	ConsecutiveFailures int       // posts in a row that failed
	PostsCreated        int       // selects the next of Texts
	PlannedUntil        time.Time // scheduled times up to here are handled

	Version              int // counts changes by people
	CreatedAt, UpdatedAt time.Time
}

// ScheduledTimeState is the outcome of a scheduled time.
type ScheduledTimeState string

const (
	Created ScheduledTimeState = "created" // a post was created
	Skipped ScheduledTimeState = "skipped"
)

// ScheduledTime is one scheduled time of a recurring post.
type ScheduledTime struct {
	RecurringPostID string    `gorm:"primaryKey"`
	At              time.Time `gorm:"primaryKey"`
	State           ScheduledTimeState
	PostID          *string
	Code            string // why it was skipped
	Reason          string
}

// RecurringChange is an edit by a person. Nil fields keep their value.
type RecurringChange struct {
	Texts    *[]string
	Weekly   *[]LocalTime
	Timezone *string
	EndsAt   *time.Time
	NoEnd    bool
	State    *RecurringState // Active or Paused
	Version  *int            // the version that the person edited
}

// Rewrites reports whether the change touches more than the state.
func (c RecurringChange) Rewrites() bool {
	return c.Texts != nil || c.Weekly != nil || c.Timezone != nil || c.EndsAt != nil || c.NoEnd
}

// Apply applies the change, except for the state.
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

// ListedRecurringPost is a recurring post as shown in lists.
type ListedRecurringPost struct {
	RecurringPost
	Username string       // of the member; empty for the founders
	Next     *post.Listed // nil if no post has been created
}

// ListedScheduledTime is a scheduled time with its post, if it has one.
type ListedScheduledTime struct {
	ScheduledTime
	Post *post.Listed
}

const (
	// MaxActiveRecurring limits the active recurring posts of a holder.
	MaxActiveRecurring = 20
	// leastGap applies even if the holder's posting times have a shorter gap.
	leastGap = 15 * time.Minute
	// CatchUpWindow is how late a post may be created for the latest missed time.
	CatchUpWindow = 24 * time.Hour
	// MaxFailures is the number of failed posts in a row after which the recurring post is paused.
	MaxFailures = 2

	minutesPerWeek = 7 * MinutesPerDay
	maxTimes       = 50
)

// Codes of skipped times and paused recurring posts.
const (
	CodeMissed      = "missed"
	CodeCancelled   = "cancelled"
	CodeFailedTwice = "failed_twice"
	CodeByHand      = "by_hand"
	CodeApproval    = "approval"
	CodeFrozen      = "frozen"
	CodeChanged     = "changed"
)

// The sentences for these codes.
const (
	ReasonMissed      = "The bot was offline at this time. Only the latest missed time is made up for."
	ReasonTooLate     = "The bot was offline at this time, more than a day ago."
	ReasonCancelled   = "Its post was cancelled."
	ReasonFailedTwice = "Two of its posts in a row failed. Check the reasons, then resume it."
	ReasonByHand      = "Paused by a person. No posts are created until it is resumed."
	ReasonApproval    = "Members' recurring posts are paused while posts need a founder's approval. Resume it afterwards."
	ReasonFrozen      = "The member's membership is no longer active."
	ReasonChanged     = "The recurring post was changed, paused or ended."
)

// Calendar returns the weekly times in the time zone, or an error if the zone is unknown.
func (s RecurringPost) Calendar() (Weekly, error) {
	zone, err := Zone(s.Timezone)
	return Weekly{Times: s.Weekly, Zone: zone}, err
}

// Next returns the first time after t that is not after EndsAt, or zero.
func (s RecurringPost) Next(weekly Weekly, t time.Time) time.Time {
	at := weekly.After(t)
	if s.EndsAt != nil && at.After(*s.EndsAt) {
		return time.Time{}
	}
	return at
}

// Check validates the recurring post. gap is the minimum gap of the holder's posting times.
func (s RecurringPost) Check(gap time.Duration, now time.Time) error {
	weekly, err := s.Calendar()
	if err != nil {
		return err
	}
	if len(s.Weekly) == 0 || len(s.Weekly) > maxTimes {
		return problem.New(problem.Invalid, "A recurring post needs 1 to %d times per week.", maxTimes)
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
		return problem.New(problem.DatePast, "The last day has passed. Choose a later day, or none.")
	}
	if s.Next(weekly, now).IsZero() {
		return problem.New(problem.DatePast, "None of its times is before the end of the last day. Choose a later day, or none.")
	}
	return nil
}

// checkGaps compares neighboring times of the week, the last and the first included.
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
			return problem.New(problem.RecurringTooOften, "%s and %s are less than %d minutes apart. Move or remove one of them.",
				t, next, int(gap.Minutes()))
		}
	}
	return nil
}

func ofWeek(t LocalTime) int { return (t.Weekday-1)*MinutesPerDay + t.Minute }

// PlannedPost is a scheduled time for which no post has been created yet.
type PlannedPost struct {
	RecurringPost RecurringPost
	At            time.Time
	Text          string // if nothing changes until then
}

// Plan lists at most limit times in [from, to) for which no post has been created yet.
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

// Placeholders in the texts of a recurring post.
const (
	datePlace   = "{date}"
	numberPlace = "{number}"
)

// MaxTexts limits the texts used in rotation.
const MaxTexts = 12

// ExpandText fills the placeholders for the number-th post, counted from 1, at a time in the zone.
func ExpandText(text string, at time.Time, zone *time.Location, number int) string {
	return strings.NewReplacer(
		datePlace, at.In(zone).Format("2 January 2006"), numberPlace, strconv.Itoa(number),
	).Replace(text)
}

// TextAt returns the text of the number-th post; shift skips that many texts.
func (s RecurringPost) TextAt(number, shift int, at time.Time, zone *time.Location) string {
	return ExpandText(s.Texts[(number-1+shift)%len(s.Texts)], at, zone, number)
}

// longest fills the placeholders with their widest values.
func longest(text string) string {
	return strings.NewReplacer(datePlace, "30 September 2026", numberPlace, "9999").Replace(text)
}

// checkTexts rejects texts that X would refuse, also as duplicates.
func checkTexts(texts []string, times []LocalTime) error {
	if len(texts) == 0 || len(texts) > MaxTexts {
		return problem.New(problem.Invalid, "A recurring post needs 1 to %d texts.", MaxTexts)
	}
	var keys []string
	for _, text := range texts {
		if err := post.CheckText(longest(text)); err != nil {
			return err
		}
		key := post.TextKey(text)
		if slices.Contains(keys, key) {
			return problem.New(problem.TextDuplicate, "X rejects duplicates, and two of these texts are the same. Change one of them.")
		}
		keys = append(keys, key)
	}
	return checkAlone(texts, times)
}

// checkAlone rejects a single text that would repeat itself.
func checkAlone(texts []string, times []LocalTime) error {
	if len(texts) > 1 || strings.Contains(texts[0], numberPlace) {
		return nil
	}
	if !strings.Contains(texts[0], datePlace) {
		return problem.New(problem.TextDuplicate,
			"X rejects duplicates. Add another text, or write {date} or {number} in this one.")
	}
	days := map[int]bool{}
	for _, t := range times {
		if days[t.Weekday] {
			return problem.New(problem.TextDuplicate,
				"X rejects duplicates, and with {date} alone this text repeats within a day. Write {number}, or add another text.")
		}
		days[t.Weekday] = true
	}
	return nil
}
