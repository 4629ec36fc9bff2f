package post

import "time"

// The monthly budget that members share. X's own limits are higher and cost money.
const (
	MonthlyPosts = 500
	MonthlyReads = 100
)

// Month is a calendar month in UTC, formatted as "2006-01".
type Month string

const monthForm = "2006-01"

// MonthOf returns the month of t in UTC.
func MonthOf(t time.Time) Month { return Month(t.UTC().Format(monthForm)) }

// ResetsAt returns the first instant of the next month.
func (m Month) ResetsAt() time.Time {
	start, err := time.Parse(monthForm, string(m))
	if err != nil {
		return time.Time{}
	}
	return start.AddDate(0, 1, 0)
}

// Share is the number of a month's posts that one member may hold. The founders count as one more member.
func Share(members int) int { return MonthlyPosts / (members + 1) }

// FoundersShare is the number of a month's posts that the founders may hold: one share and the remainder.
func FoundersShare(members int) int { return MonthlyPosts - members*Share(members) }

// Slot is one of a month's numbered slots. A post without a slot cannot be sent.
type Slot struct {
	Month  Month
	Number int
}

// Budget is the use of a month's slots.
type Budget struct {
	Usage   MonthUsage
	OwnHeld int    // by the viewer
	Cells   string // one letter per slot: . free, r reserved, s spent; upper case if the viewer's
}

// firstForecast is the first day of a month with enough data for a forecast.
const firstForecast = 3

// EmptyOn estimates when the month is used up at the current pace. It returns nil if that is not in this
// month, if it is too early to estimate, or if now is in another month.
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
