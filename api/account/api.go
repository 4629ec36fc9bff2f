// Package account answers users about their own account.
package account

import (
	"context"
	"time"

	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
)

// API answers every operation of this feature.
type API struct {
	Accounts    Store
	Bot         BotStore
	Deletions   DeletionStore
	Founders    account.Founders
	Limits      httpapi.Limits
	Marks       httpapi.Marker
	Members     MemberStore
	Now         func() time.Time
	Onboardings OnboardingStore
	Runs        Runs
	Site        httpapi.Site
	Visitors    VisitorStore
	Auth        *auth.API
}

// Store keeps who can log in, and who is. *store.Accounts implements it.
type Store interface {
	EndSession(ctx context.Context, accountID, id string) error
	EndSessions(ctx context.Context, accountID string) error
	RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error
	Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error)
	SetNotices(ctx context.Context, accountID string, wanted bool) error
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
type BotStore interface {
	Connection(ctx context.Context) (*bot.Connection, error)
}

// MemberStore is the registry. *store.Members implements it.
type MemberStore interface {
	Account(ctx context.Context, id string, month post.Month) (member.Account, error)
	CreditEntries(ctx context.Context, memberID string, limit, offset int) (entries []member.CreditEntry, total, balance int, err error)
	RenameMember(ctx context.Context, memberID, username string) error
}

// OnboardingStore keeps members' first steps. *store.Members implements it.
type OnboardingStore interface {
	CompleteOnboarding(ctx context.Context, memberID string, kind onboarding.Kind, at time.Time) (awarded int, err error)
	Onboarding(ctx context.Context, memberID string, kind onboarding.Kind) (onboarding.Progress, error)
	SaveOnboarding(ctx context.Context, p onboarding.Progress, at time.Time) error
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	// Depart starts the flow that forgets a member, and names its run. Safe to repeat.
	StartAccountDeletion(ctx context.Context, deletionID string) (runID string, err error)
}

// VisitorStore keeps what visitors who let us count them did. *store.Visitors implements it.
type VisitorStore interface {
	ForgetVisitor(ctx context.Context, id string) error
}
