// Package posts answers for the bot's posts: the queue, drafts, reviews, imports and what was published.
package posts

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// API answers every operation of this feature.
type API struct {
	Audits      httpapi.AuditStore
	Bot         BotStore
	Generations GenerationStore
	Members     MemberStore
	Now         func() time.Time
	Posts       Store
	Runs        Runs
	Site        httpapi.Site
	TweetWait   time.Duration
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
type BotStore interface {
	Controls(ctx context.Context) (bot.PostingControls, error)
	Connection(ctx context.Context) (*bot.Connection, error)
}

// GenerationStore keeps what models are asked, and what they write. *store.Generations implements it.
type GenerationStore interface {
	// CandidateForPost finds a generated text that the account may make a post of.
	CandidateForPost(ctx context.Context, id string, accountID *string) (generation.Candidate, error)
}

// MemberStore is the registry. *store.Members implements it.
type MemberStore interface {
	MemberNamed(ctx context.Context, username string) (member.Member, error)
}

// Store keeps posts and slots. *store.Posts implements it.
type Store interface {
	CancelPost(ctx context.Context, id string, now time.Time) (post.Post, error)
	ChangePost(ctx context.Context, id string, c post.Change, now time.Time) (post.Post, error)
	CountByStatus(ctx context.Context, viewer *post.Viewer) (map[post.Status]int, error)
	CreatePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	LastAttempt(ctx context.Context) (*post.Attempt, error)
	ListedPost(ctx context.Context, id string) (post.Listed, error)
	MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error)
	Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error)
	PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error)
	QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	ReadUsage(ctx context.Context, month post.Month) (post.ReadUsage, error)
	RecentlyPublished(ctx context.Context, text string, since time.Time) (bool, error)
	RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error)
	ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error)
	SponsoredPublished(ctx context.Context) (int, error)
	SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error)
	TextOpenBeside(ctx context.Context, text, id string) (bool, error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	CancelPost(ctx context.Context, p post.Post) error
	EditPost(ctx context.Context, p post.Post, o workflows.EditCommand) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleCommand) error
	RetryPost(ctx context.Context, p post.Post) error
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
}
