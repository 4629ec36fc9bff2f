package api

import (
	"context"
	"time"

	"customerzero/api/account"
	"customerzero/api/admin"
	"customerzero/api/auth"
	"customerzero/api/chaos"
	"customerzero/api/checkout"
	"customerzero/api/experiments"
	"customerzero/api/feeds"
	"customerzero/api/generation"
	"customerzero/api/members"
	"customerzero/api/posts"
	"customerzero/api/runs"
	"customerzero/api/schedule"
	"customerzero/api/verification"
	accounts "customerzero/internal/domain/account"
)

// Stores and runs that several features use, each as far as it needs them.
type (
	// PostStore is implemented by *store.Posts.
	PostStore interface {
		posts.Store
		schedule.Store
		admin.PostStore
		feeds.PostStore
		generation.PostStore
	}
	// MemberStore is implemented by *store.Members.
	MemberStore interface {
		members.Store
		account.MemberStore
		posts.MemberStore
	}
	// Runs is implemented by *client.Client.
	Runs interface {
		account.Runs
		admin.Runs
		auth.Runs
		chaos.Runs
		checkout.Runs
		experiments.Runs
		generation.Runs
		posts.Runs
		runs.Runs
		schedule.Runs
		verification.Runs
	}
	// AccountStore is implemented by *store.Accounts.
	AccountStore interface {
		Login(ctx context.Context, token string, at time.Time) (*accounts.Login, error)
		account.Store
		auth.AccountStore
	}
	// BotStore is implemented by *store.Bot.
	BotStore interface {
		account.BotStore
		admin.BotStore
		posts.BotStore
		schedule.BotStore
	}
	// VisitorStore is implemented by *store.Visitors.
	VisitorStore interface {
		account.VisitorStore
		checkout.VisitorStore
	}
	// TreasuryStore is implemented by *store.Treasury.
	TreasuryStore interface {
		checkout.TreasuryStore
		generation.TreasuryStore
	}
	// ChaosStore is implemented by *store.Chaos.
	ChaosStore interface {
		chaos.Store
		feeds.ChaosStore
		generation.ChaosStore
	}
	// VerificationStore is implemented by *store.Verifications.
	VerificationStore interface {
		verification.Store
		chaos.VerificationStore
	}
	// ExperimentStore is implemented by *store.Experiments.
	ExperimentStore interface {
		experiments.Store
		feeds.ExperimentStore
		generation.ExperimentStore
	}
	// GenerationStore is implemented by *store.Generations.
	GenerationStore interface {
		generation.Store
		posts.GenerationStore
	}
)

// features are the packages whose operations the table of routes serves.
type features struct {
	account      *account.API
	admin        *admin.API
	auth         *auth.API
	chaos        *chaos.API
	checkout     *checkout.API
	experiments  *experiments.API
	feeds        *feeds.API
	generation   *generation.API
	members      *members.API
	posts        *posts.API
	runs         *runs.API
	schedule     *schedule.API
	verification *verification.API
}

// features gives each package the part of the server that it needs.
func (s *Server) features() (f features) {
	f.auth = &auth.API{
		Accounts: s.Accounts, Consent: s.Consent, DevLogin: s.DevLogin, Diagnoses: s.Diagnoses, Founders: s.Founders,
		Logins: s.Logins, Marks: s.Marks, Now: s.Now, Runs: s.Runs, Site: s.Site,
	}
	f.account = &account.API{
		Accounts: s.Accounts, Bot: s.Bot, Deletions: s.Deletions, Founders: s.Founders, Limits: s.Limits, Marks: s.Marks,
		Members: s.Members, Now: s.Now, Onboardings: s.Onboardings, Runs: s.Runs, Site: s.Site, Visitors: s.Visitors,
		Auth: f.auth,
	}
	f.admin = &admin.API{
		Audits: s.Audits, Bot: s.Bot, Emails: s.Emails, Limits: s.Limits, Now: s.Now, Posts: s.Posts, ClientErrors: s.ClientErrors,
		Runs: s.Runs, Settings: s.Settings, Site: s.Site, Auth: f.auth,
	}
	f.chaos = &chaos.API{
		Audits: s.Audits, TargetURL: s.TargetURL, Chaos: s.Chaos, ChaosLease: s.ChaosLease, Faults: s.Faults, Marks: s.Marks,
		Now: s.Now, Runs: s.Runs, Verifications: s.Verifications, Meters: s.meters(), Stopping: s.over,
	}
	f.checkout = &checkout.API{
		Audits: s.Audits, ModelCalls: s.ModelCalls, Checkouts: s.Checkouts, Limits: s.Limits, Marks: s.Marks, Now: s.Now, Runs: s.Runs,
		Site: s.Site, Till: s.Till, Treasury: s.Treasury, Visitors: s.Visitors, Webhooks: s.Webhooks, Meters: s.meters(),
	}
	f.experiments = &experiments.API{
		Audits: s.Audits, Experiments: s.Experiments, Marks: s.Marks, Now: s.Now, Review: s.Review, Runs: s.Runs,
	}
	f.feeds = &feeds.API{
		Chaos: s.Chaos, Experiments: s.Experiments, Posts: s.Posts, Site: s.Site,
	}
	f.generation = &generation.API{
		Chaos: s.Chaos, Experiments: s.Experiments, Generations: s.Generations, Marks: s.Marks, Now: s.Now, Posts: s.Posts,
		Runs: s.Runs, Treasury: s.Treasury, Writers: s.Writers,
	}
	f.members = &members.API{
		Audits: s.Audits, Members: s.Members, Now: s.Now, Site: s.Site,
	}
	f.posts = &posts.API{
		Audits: s.Audits, Bot: s.Bot, Generations: s.Generations, Members: s.Members, Now: s.Now, Posts: s.Posts, Runs: s.Runs,
		Site: s.Site, TweetWait: s.TweetWait,
	}
	f.schedule = &schedule.API{
		Audits: s.Audits, Bot: s.Bot, Now: s.Now, Store: s.Posts, Runs: s.Runs, RecurringPosts: s.RecurringPosts, Site: s.Site,
		PostingTimes: s.PostingTimes, Posts: f.posts,
	}
	f.verification = &verification.API{
		Audits: s.Audits, Marks: s.Marks, Now: s.Now, Pictures: s.Pictures, Runs: s.Runs, Sites: s.Sites,
		Verifications: s.Verifications, VerifyEvery: s.VerifyEvery,
	}
	f.runs = &runs.API{Runs: s.Runs, Limits: s.Limits, Marks: s.Marks, Site: s.Site, Now: s.Now}
	return f
}
