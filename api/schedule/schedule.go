// Package schedule answers for when posts go out: the calendar, posting times, recurring posts and posting controls.
package schedule

import (
	"cmp"
	"context"
	"errors"
	"time"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// API answers every operation of this feature.
type API struct {
	httpapi.Deps
	Queue *posts.API
}

// Schedule is a stretch of the calendar.
type Schedule struct {
	From    time.Time    `json:"from"`
	To      time.Time    `json:"to"`
	Posts   []posts.Post `json:"posts" doc:"In the order of their times: when they went out, or are to. Cancelled ones are left out"`
	Planned []Planned    `json:"planned" doc:"Times of recurring posts for which no post is written yet"`
	Cut     bool         `json:"cut" doc:"There are more posts than are listed"`
}

// Planned is a time at which a recurring post will post.
type Planned struct {
	RecurringPostID string           `json:"recurringPostId"`
	At              time.Time        `json:"at"`
	Content         string           `json:"content" doc:"The text whose turn it will be, if nothing changes"`
	Member          posts.PostMember `json:"member"`
}

type scheduleRequest struct {
	From time.Time `query:"from" required:"true" doc:"RFC 3339"`
	To   time.Time `query:"to" required:"true" doc:"At most 62 days later; not included"`
}

const (
	// longestStretch is more than six weeks, which a page of a calendar shows.
	longestStretch = 62 * 24 * time.Hour
	mostScheduled  = 1000
)

func (a *API) GetSchedule(ctx context.Context, req *scheduleRequest) (Schedule, error) {
	if err := checkStretch(req.From, req.To); err != nil {
		return Schedule{}, err
	}
	found, cut, badPosts := a.Posts.PostsBetween(ctx, req.From, req.To, posts.ViewerOf(ctx), mostScheduled)
	planned, err := a.planned(ctx, req.From, req.To)
	shown := Schedule{From: req.From, To: req.To, Posts: httpapi.Map(found, a.Queue.ShowPost), Planned: planned, Cut: cut}
	return shown, errors.Join(badPosts, err)
}

func checkStretch(from, to time.Time) error {
	reason := ""
	switch {
	case !from.Before(to):
		reason = "it must be later than from"
	case to.Sub(from) > longestStretch:
		reason = "it may be at most 62 days later than from"
	default:
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: "That stretch of time cannot be shown: see details.", Details: []problem.Detail{
		{Field: "query.to", Reason: reason},
	}}
}

// Budget is who holds which of a month's slots.
type Budget struct {
	Month         post.Month `json:"month" example:"2026-11"`
	Limit         int        `json:"limit"`
	Spent         int        `json:"spent"`
	Reserved      int        `json:"reserved"`
	Free          int        `json:"free"`
	ResetsAt      time.Time  `json:"resetsAt"`
	FoundersShare Part       `json:"foundersShare" doc:"The founders' part"`
	Mine          *Part      `json:"mine,omitempty" doc:"The caller's share; absent for who has none"`
	Cells         string     `json:"cells" doc:"One letter a slot, by number: . free, r reserved, s spent; capital where it is the caller's" minLength:"500" maxLength:"500"`
	EmptyOn       *time.Time `json:"emptyOn,omitempty" doc:"When the month is used up at the pace so far; absent: not in this month, or too early to say"`
}

// Part is how many slots somebody holds, of those they may hold.
type Part struct {
	Held    int `json:"held"`
	Allowed int `json:"allowed"`
}

type budgetRequest struct {
	Month string `query:"month" pattern:"^[0-9]{4}-(0[1-9]|1[0-2])$" doc:"As 2026-11; absent: this one"`
}

func (a *API) GetBudget(ctx context.Context, req *budgetRequest) (Budget, error) {
	month := cmp.Or(post.Month(req.Month), post.MonthOf(a.Now()))
	who := httpapi.CallerOf(ctx)
	var own *string // nil: a visitor has no slots
	if who.Role >= account.Member {
		own = new(holder(ctx))
	}
	held, err := a.Posts.Budget(ctx, month, own)
	if err != nil {
		return Budget{}, err
	}
	usage := held.Usage
	shown := Budget{
		Month: month, Limit: post.MonthlyPosts, Spent: usage.Spent, Reserved: usage.Reserved, Free: usage.Free(),
		ResetsAt: month.ResetsAt(), FoundersShare: part(usage.FoundersShareHeld, post.FoundersShare(usage.Members)),
		Cells: held.Cells, EmptyOn: usage.EmptyOn(month, a.Now()),
	}
	if who.Role == account.Member {
		shown.Mine = new(part(held.OwnHeld, post.Share(usage.Members)))
	}
	return shown, nil
}

// part is what somebody holds and may hold. What is held already stays so when more members
// make smaller shares.
func part(held, allowed int) Part { return Part{held, max(held, allowed)} }
