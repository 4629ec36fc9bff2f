package treasury

import (
	"time"

	"customerzero/internal/domain/post"
)

// lately is how many days tell what a day costs.
const lately = 30

// Runway is how long what is left lasts at the pace of the last 30 days, or of all days
// since the first if there are fewer.
type Runway struct {
	Days          int   // whole ones; 0: nothing is left
	SpentMicroUSD int64 // to run the bot, over OverDays days
	OverDays      int
}

// runway divides what is left by what a day costs.
func runway(b Ledger, leftMicroUSD int64, now time.Time) *Runway {
	first, known := b.first()
	if !known {
		return nil
	}
	today := now.UTC().Truncate(day)
	from := later(first, today.AddDate(0, 0, 1-lately))
	r := Runway{OverDays: daysBetween(from, today), SpentMicroUSD: b.spent(first, from, today)}
	if r.SpentMicroUSD <= 0 {
		return nil
	}
	r.Days = int(max(0, leftMicroUSD) * int64(r.OverDays) / r.SpentMicroUSD)
	return &r
}

const day = 24 * time.Hour

// first is the first day of which the books tell.
func (b Ledger) first() (first time.Time, known bool) {
	if len(b.Days) > 0 {
		first, known = parseDay(b.Days[0].Date), true
	}
	if len(b.Reads) > 0 && (!known || b.Reads[0].Month < post.MonthOf(first)) {
		first, known = startOf(b.Reads[0].Month), true
	}
	return first, known
}

func startOf(m post.Month) time.Time { return m.ResetsAt().AddDate(0, -1, 0) }

// spent is what it cost to run the bot from one day to another, both included. Reads are
// counted by the month: a part of a month has its part of them.
func (b Ledger) spent(first, from, to time.Time) int64 {
	var f Flow
	for _, d := range b.Days {
		if at := parseDay(d.Date); !at.Before(from) && !at.After(to) {
			f = f.Plus(d.Flow)
		}
	}
	cost := f.RunningMicroUSD()
	for _, r := range b.Reads {
		begins := later(first, startOf(r.Month))
		ends := earlier(to, r.Month.ResetsAt().Add(-day))
		whole, part := daysBetween(begins, ends), daysBetween(later(begins, from), ends)
		if part > 0 {
			cost += int64(r.Reads) * OwnedReadMicroUSD * int64(part) / int64(whole)
		}
	}
	return cost
}

// daysBetween counts the days from one to another, both included; below one, there is none.
func daysBetween(from, to time.Time) int { return int(to.Sub(from)/day) + 1 }

func parseDay(date string) time.Time {
	at, _ := time.Parse(time.DateOnly, date) // the books hold nothing else
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
