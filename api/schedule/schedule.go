// Package schedule serves the calendar, posting times, recurring posts and posting controls.
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

// API implements the operations of this feature.
type API struct {
	httpapi.Deps
	Queue *posts.API
}

// Schedule is a period of the calendar.
type Schedule struct {
	From    time.Time    `json:"from" doc:"Start of the period"`
	To      time.Time    `json:"to" doc:"End of the period, exclusive"`
	Posts   []posts.Post `json:"posts" doc:"Posts in the order of their publication or scheduled time, without cancelled ones"`
	Planned []Planned    `json:"planned" doc:"Times of recurring posts that have no post yet"`
	Cut     bool         `json:"cut" doc:"True if there are more than the 1,000 posts listed"`
}

// Planned is a time at which a recurring post will post.
type Planned struct {
	RecurringPostID string           `json:"recurringPostId" doc:"ID of the recurring post"`
	At              time.Time        `json:"at" doc:"Time at which a post will be published"`
	Content         string           `json:"content" doc:"Text that it will have unless the recurring post changes"`
	Member          posts.PostMember `json:"member" doc:"The member who sponsors it"`
}

type scheduleRequest struct {
	From time.Time `query:"from" required:"true" doc:"Start of the period, RFC 3339"`
	To   time.Time `query:"to" required:"true" doc:"End of the period, RFC 3339, exclusive; at most 62 days later"`
}

const (
	longestPeriod = 62 * 24 * time.Hour // a month of the calendar shows up to six weeks
	mostScheduled = 1000
)

func (a *API) GetSchedule(ctx context.Context, req *scheduleRequest) (Schedule, error) {
	if err := checkPeriod(req.From, req.To); err != nil {
		return Schedule{}, err
	}
	found, cut, badPosts := a.Posts.PostsBetween(ctx, req.From, req.To, posts.ViewerOf(ctx), mostScheduled)
	planned, err := a.planned(ctx, req.From, req.To)
	shown := Schedule{From: req.From, To: req.To, Posts: httpapi.Map(found, a.Queue.ShowPost), Planned: planned, Cut: cut}
	return shown, errors.Join(badPosts, err)
}

func checkPeriod(from, to time.Time) error {
	if from.Before(to) && to.Sub(from) <= longestPeriod {
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: "Invalid period. See `details`.", Details: []problem.Detail{
		{Field: "query.to", Reason: "must be later than from, by at most 62 days"},
	}}
}

// Budget is a month's slots and their holders.
type Budget struct {
	Month         post.Month `json:"month" doc:"Month in UTC" example:"2026-11"`
	Limit         int        `json:"limit" doc:"Slots in total"`
	Spent         int        `json:"spent" doc:"Slots that are spent"`
	Reserved      int        `json:"reserved" doc:"Slots that posts hold which are not published yet"`
	Free          int        `json:"free" doc:"Slots that are free"`
	ResetsAt      time.Time  `json:"resetsAt" doc:"Start of the next month"`
	FoundersShare Part       `json:"foundersShare" doc:"Slots of the founders"`
	Mine          *Part      `json:"mine,omitempty" doc:"The caller's own slots; omitted if the caller has no share"`
	Cells         string     `json:"cells" doc:"One letter per slot, in order: . free, r reserved, s spent; a capital letter marks the caller's own" minLength:"500" maxLength:"500"`
	EmptyOn       *time.Time `json:"emptyOn,omitempty" doc:"Time at which the slots run out at the current pace; omitted if they last or it is too early to estimate"`
}

// Part is the number of slots that a holder uses, and their limit.
type Part struct {
	Held    int `json:"held" doc:"Slots that are held or spent"`
	Allowed int `json:"allowed" doc:"Slots that may be held"`
}

type budgetRequest struct {
	Month string `query:"month" pattern:"^[0-9]{4}-(0[1-9]|1[0-2])$" doc:"Month as 2026-11. Default: the current month in UTC"`
}

func (a *API) GetBudget(ctx context.Context, req *budgetRequest) (Budget, error) {
	month := cmp.Or(post.Month(req.Month), post.MonthOf(a.Now()))
	who := httpapi.CallerOf(ctx)
	var own *string // nil for visitors, who have no slots
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

// part never shows a limit below the held slots, which stay valid when new members shrink the shares.
func part(held, allowed int) Part { return Part{held, max(held, allowed)} }
