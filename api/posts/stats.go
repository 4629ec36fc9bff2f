package posts

import (
	"context"
	"math"
	"time"

	"customerzero/internal/domain/post"
)

const successDays = 30

// Stats are the dashboard's cards.
type Stats struct {
	Month    post.Month   `json:"month" example:"2026-11"`
	ResetsAt time.Time    `json:"resetsAt"`
	Posts    PostStats    `json:"posts"`
	Reads    ReadStats    `json:"reads"`
	Success  SuccessStats `json:"success"`
	Sandbox  bool         `json:"sandbox"`
}

// PostStats are the month's slots.
type PostStats struct {
	Spent    int `json:"spent"`
	Reserved int `json:"reserved"`
	Limit    int `json:"limit"`
}

// ReadStats are the month's reads of X.
type ReadStats struct {
	Used   int `json:"used"`
	Limit  int `json:"limit"`
	Safety int `json:"safety" doc:"Further reads, made to settle unclear posts; not limited"`
}

// SuccessStats say how posts ended.
type SuccessStats struct {
	Published int      `json:"published"`
	Failed    int      `json:"failed"`
	Rate      *float64 `json:"rate,omitempty" doc:"Percent with one decimal; absent when no post has ended"`
	Days      int      `json:"days"`
}

type statsReply struct{ Body Stats }

func (a *API) GetStats(ctx context.Context, _ *struct{}) (*statsReply, error) {
	now := a.Now()
	month := post.MonthOf(now)
	usage, err := a.Posts.MonthUsage(ctx, month)
	if err != nil {
		return nil, err
	}
	reads, err := a.Posts.ReadUsage(ctx, month)
	if err != nil {
		return nil, err
	}
	published, failed, err := a.Posts.SuccessSince(ctx, now.AddDate(0, 0, -successDays))
	if err != nil {
		return nil, err
	}
	return &statsReply{Stats{
		Month: month, ResetsAt: month.ResetsAt(), Sandbox: a.Site.Sandbox,
		Posts:   PostStats{usage.Spent, usage.Reserved, post.MonthlyPosts},
		Reads:   ReadStats{reads.Used, reads.Budget, reads.Safety},
		Success: SuccessStats{published, failed, successRate(published, failed), successDays},
	}}, nil
}

func successRate(published, failed int) *float64 {
	if published+failed == 0 {
		return nil
	}
	percent := math.Round(1000*float64(published)/float64(published+failed)) / 10
	return &percent
}
