package api

import (
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

func (s *Server) features() features {
	deps := s.Deps
	deps.Meters, deps.Stopping = s.meters(), s.over
	login, queue := &auth.API{Deps: deps}, &posts.API{Deps: deps}
	return features{
		account: &account.API{Deps: deps, Auth: login}, admin: &admin.API{Deps: deps, Auth: login}, auth: login,
		chaos: &chaos.API{Deps: deps}, checkout: &checkout.API{Deps: deps}, experiments: &experiments.API{Deps: deps},
		feeds: &feeds.API{Deps: deps}, generation: &generation.API{Deps: deps}, members: &members.API{Deps: deps},
		posts: queue, runs: &runs.API{Deps: deps}, schedule: &schedule.API{Deps: deps, Queue: queue},
		verification: &verification.API{Deps: deps},
	}
}
