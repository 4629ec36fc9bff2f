package post

import (
	"time"
)

// The policy that members buy a share of. X's own limits are wider and cost money.
const (
	MonthlyPosts = 500
	MonthlyReads = 100
)

// Month is a calendar month in UTC, as "2006-01".
type Month string

const monthForm = "2006-01"

// MonthOf is the month in which t falls, in UTC.
func MonthOf(t time.Time) Month { return Month(t.UTC().Format(monthForm)) }

// ResetsAt is the first instant of the month after this one.
func (m Month) ResetsAt() time.Time {
	start, err := time.Parse(monthForm, string(m))
	if err != nil {
		return time.Time{}
	}
	return start.AddDate(0, 1, 0)
}

// Share is how many of a month's posts one member may hold: an equal part, with one part
// more set aside for the founders.
func Share(members int) int { return MonthlyPosts / (members + 1) }

// FoundersShare is how many of a month's posts the founders may hold: their part, and what
// does not divide.
func FoundersShare(members int) int { return MonthlyPosts - members*Share(members) }

// Slot is one of the month's numbered places. A post without a slot cannot be sent.
type Slot struct {
	Month  Month
	Number int
}

// Budget is who holds which of a month's slots.
type Budget struct {
	Usage   MonthUsage
	OwnHeld int    // by whoever looks
	Cells   string // one letter a slot, by number: . free, r reserved, s spent; capital where it is the viewer's
}

// firstForecast is the first day of a month on which its pace says anything.
const firstForecast = 3

// EmptyOn is when the month is used up if posts go out as they did so far, or nil: not in this
// month, too early to say, or another month than now's.
func (u MonthUsage) EmptyOn(month Month, now time.Time) *time.Time {
	if MonthOf(now) != month || now.UTC().Day() < firstForecast || u.Spent == 0 {
		return nil
	}
	begun := month.ResetsAt().AddDate(0, -1, 0)
	perPost := now.Sub(begun) / time.Duration(u.Spent)
	empty := now.UTC().Add(perPost * time.Duration(MonthlyPosts-u.Spent)).Truncate(time.Second)
	if !empty.Before(month.ResetsAt()) {
		return nil
	}
	return &empty
}
