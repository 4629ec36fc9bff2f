package post

import "time"

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
