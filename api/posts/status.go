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

// BotStatus is the state of the bot and of its monthly slots.
type BotStatus struct {
	PostsThisMonth    int        `json:"postsThisMonth" doc:"Slots of the month that are spent"`
	ReservedPosts     int        `json:"reservedPosts" doc:"Slots of the month that posts hold which are not published yet"`
	RemainingPosts    int        `json:"remainingPosts" doc:"Free slots of the month"`
	MonthlyLimit      int        `json:"monthlyLimit" doc:"Slots of the month in total"`
	Status            string     `json:"status" doc:"active if the bot can post, otherwise limited" enum:"active,limited"`
	Reason            string     `json:"reason,omitempty" doc:"Human-readable reason why the bot cannot post"`
	Username          string     `json:"username" doc:"The bot's handle, without @"`
	Sandbox           bool       `json:"sandbox" doc:"True if X is the built-in sandbox, so nothing reaches the real X"`
	SandboxURL        string     `json:"sandboxUrl,omitempty" doc:"Path of the sandbox timeline; omitted outside the sandbox"`
	TemporalURL       string     `json:"temporalUrl" doc:"URL of the Temporal console"`
	Month             post.Month `json:"month" doc:"Current month in UTC" example:"2026-11"`
	ResetsAt          time.Time  `json:"resetsAt" doc:"Start of the next month, when all slots are free again"`
	MemberShare       int        `json:"memberShare" doc:"Slots that each member may hold: 500 divided by members + 1, rounded down"`
	FoundersShare     int        `json:"foundersShare" doc:"Slots that the founders may hold: 500 minus all members' shares"`
	FoundersShareHeld int        `json:"foundersShareHeld" doc:"Slots of the founders' share that are held or spent"`
	Members           int        `json:"members" doc:"Number of active members"`
	Paused            bool       `json:"paused" doc:"True if a founder has paused the bot; reason has the explanation"`
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

func (a *API) limitation(ctx context.Context, usage post.MonthUsage, connected bool, controls bot.PostingControls) (string, error) {
	if controls.Paused() {
		return post.PausedBot(controls.PauseReason), nil
	}
	if !connected {
		return post.AccountTrouble(post.CodeNotConnected), nil
	}
	if usage.Free() == 0 {
		return "All posts of this month are used.", nil
	}
	last, err := a.Posts.LastAttempt(ctx)
	if err != nil || last == nil {
		return "", err
	}
	return post.AccountTrouble(last.Code), nil
}

const successDays = 30

// Stats are the figures of the dashboard.
type Stats struct {
	Month    post.Month   `json:"month" doc:"Current month in UTC" example:"2026-11"`
	ResetsAt time.Time    `json:"resetsAt" doc:"Start of the next month"`
	Posts    PostStats    `json:"posts" doc:"Slots of the month"`
	Reads    ReadStats    `json:"reads" doc:"Reads of X in the month"`
	Success  SuccessStats `json:"success" doc:"Published and failed posts"`
	Sandbox  bool         `json:"sandbox" doc:"True if X is the built-in sandbox, so nothing reaches the real X"`
}

// PostStats are the month's slots.
type PostStats struct {
	Spent    int `json:"spent" doc:"Slots that are spent"`
	Reserved int `json:"reserved" doc:"Slots that posts hold which are not published yet"`
	Limit    int `json:"limit" doc:"Slots in total"`
}

// ReadStats are the month's reads of X.
type ReadStats struct {
	Used   int `json:"used" doc:"Posts read for engagement counts"`
	Limit  int `json:"limit" doc:"Monthly budget of these reads"`
	Safety int `json:"safety" doc:"Reconciliation reads, which settle posts with an unknown outcome and are not limited"`
}

// SuccessStats count published and failed posts.
type SuccessStats struct {
	Published int      `json:"published" doc:"Number of published posts"`
	Failed    int      `json:"failed" doc:"Number of failed posts"`
	Rate      *float64 `json:"rate,omitempty" doc:"Published posts in percent of both, with one decimal; omitted if there are none"`
	Days      int      `json:"days" doc:"Number of days counted"`
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
