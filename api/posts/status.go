package posts

import (
	"context"
	"errors"
	"math"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
)

// BotStatus says how the bot and its month stand.
type BotStatus struct {
	PostsThisMonth    int        `json:"postsThisMonth" doc:"Slots spent"`
	ReservedPosts     int        `json:"reservedPosts" doc:"Slots held by posts that are not out yet"`
	RemainingPosts    int        `json:"remainingPosts" doc:"Free slots"`
	MonthlyLimit      int        `json:"monthlyLimit"`
	Status            string     `json:"status" enum:"active,limited"`
	Reason            string     `json:"reason,omitempty" doc:"Why it is limited, for a person"`
	Username          string     `json:"username" doc:"The bot's handle, without @"`
	Sandbox           bool       `json:"sandbox" doc:"X is the built-in stand-in: nothing reaches the real one"`
	SandboxURL        string     `json:"sandboxUrl,omitempty"`
	TemporalURL       string     `json:"temporalUrl" doc:"The Temporal console"`
	Month             post.Month `json:"month" example:"2026-11"`
	ResetsAt          time.Time  `json:"resetsAt"`
	MemberShare       int        `json:"memberShare" doc:"floor(500 / (members + 1))"`
	FoundersShare     int        `json:"foundersShare" doc:"500 − members · share: the founders' part"`
	FoundersShareHeld int        `json:"foundersShareHeld"`
	Members           int        `json:"members"`
	Paused            bool       `json:"paused" doc:"A founder holds all posts back; reason says why"`
}

func (a *API) GetBotStatus(ctx context.Context, _ *struct{}) (BotStatus, error) {
	month := post.MonthOf(a.Now())
	usage, badUsage := a.Posts.MonthUsage(ctx, month)
	connected, badConnection := a.Bot.Connection(ctx)
	controls, err := a.Bot.Controls(ctx)
	if err := errors.Join(badUsage, badConnection, err); err != nil {
		return BotStatus{}, err
	}
	status := BotStatus{
		PostsThisMonth: usage.Spent, ReservedPosts: usage.Reserved, RemainingPosts: usage.Free(),
		MonthlyLimit: post.MonthlyPosts, Status: "active",
		Username: a.Site.Username, Sandbox: a.Site.Sandbox, TemporalURL: a.Site.TemporalURL,
		Month: month, ResetsAt: month.ResetsAt(),
		MemberShare: post.Share(usage.Members), FoundersShare: post.FoundersShare(usage.Members),
		FoundersShareHeld: usage.FoundersShareHeld, Members: usage.Members, Paused: controls.Paused(),
	}
	if a.Site.Sandbox {
		status.SandboxURL = httpapi.SandboxX
	}
	if connected != nil {
		status.Username = connected.Username
	}
	status.Reason, err = a.limitation(ctx, usage, connected != nil, controls)
	if status.Reason != "" {
		status.Status = "limited"
	}
	return status, err
}

// limitation says what keeps the bot from posting; nothing when it can.
func (a *API) limitation(ctx context.Context, usage post.MonthUsage, connected bool, controls bot.PostingControls) (string, error) {
	if controls.Paused() {
		return post.PausedBot(controls.PauseReason), nil
	}
	if !connected {
		return post.AccountTrouble(post.CodeNotConnected), nil
	}
	if usage.Free() == 0 {
		return "All posts of this month are taken.", nil
	}
	last, err := a.Posts.LastAttempt(ctx)
	if err != nil || last == nil {
		return "", err
	}
	return post.AccountTrouble(last.Code), nil
}

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

func (a *API) GetStats(ctx context.Context, _ *struct{}) (Stats, error) {
	now := a.Now()
	month := post.MonthOf(now)
	usage, badUsage := a.Posts.MonthUsage(ctx, month)
	reads, badReads := a.Posts.ReadUsage(ctx, month)
	published, failed, err := a.Posts.SuccessSince(ctx, now.AddDate(0, 0, -successDays))
	return Stats{
		Month: month, ResetsAt: month.ResetsAt(), Sandbox: a.Site.Sandbox,
		Posts:   PostStats{usage.Spent, usage.Reserved, post.MonthlyPosts},
		Reads:   ReadStats{reads.Used, reads.Budget, reads.ReconciliationReads},
		Success: SuccessStats{published, failed, successRate(published, failed), successDays},
	}, errors.Join(badUsage, badReads, err)
}

func successRate(published, failed int) *float64 {
	if published+failed == 0 {
		return nil
	}
	percent := math.Round(1000*float64(published)/float64(published+failed)) / 10
	return &percent
}
