package api

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	accountapi "customerzero/api/account"
	"customerzero/api/admin"
	"customerzero/api/auth"
	"customerzero/api/chaos"
	"customerzero/api/checkout"
	"customerzero/api/experiments"
	"customerzero/api/feeds"
	"customerzero/api/generation"
	"customerzero/api/httpapi"
	"customerzero/api/members"
	"customerzero/api/posts"
	"customerzero/api/runs"
	"customerzero/api/schedule"
	"customerzero/api/verification"
)

// table lists every route: method, path, who may call it, how long its answer may be cached, its deadline, its
// handler and, in the contract, its summary. Nothing else decides any of these; reference.yaml describes the operations.
//
//nolint:funlen // a table
func (s *Server) table(contract huma.API) []route {
	deps := s.Deps
	deps.Meters, deps.Stopping = s.meters(), s.over
	login, queue := &auth.API{Deps: deps}, &posts.API{Deps: deps}
	own, admin, schedule := &accountapi.API{Deps: deps, Auth: login}, &admin.API{Deps: deps, Auth: login}, &schedule.API{Deps: deps, Queue: queue}
	chaos, checkout, experiments, feeds := &chaos.API{Deps: deps}, &checkout.API{Deps: deps}, &experiments.API{Deps: deps}, &feeds.API{Deps: deps}
	generation, members, runs, verification := &generation.API{Deps: deps}, &members.API{Deps: deps}, &runs.API{Deps: deps}, &verification.API{Deps: deps}
	printContract := contractPrinter(contract.OpenAPI())
	return append([]route{
		// posts
		{"GET", "/api/bot-posts", public, live, short, op(queue.ListBotPosts, "listBotPosts", "posts", "List published posts")},
		{"GET", "/api/bot-status", public, live, short, op(queue.GetBotStatus, "getBotStatus", "posts", "Get the bot's status and monthly quota")},
		{"GET", "/api/stats", public, live, short, op(queue.GetStats, "getStats", "posts", "Get the dashboard's figures")},
		{"GET", "/api/posts", public, live, short, op(queue.ListPosts, "listPosts", "queue", "List posts and their status")},
		{"GET", "/api/posts/{id}", public, live, short, op(queue.GetPost, "getPost", "queue", "Get a post")},
		{"POST", "/api/posts", memberOrKey, unset, long, op(queue.CreatePost, "createPost", "queue", "Create a post, for now or later", created)},
		{"PATCH", "/api/posts/{id}", memberOrKey, unset, long, op(queue.ChangePost, "changePost", "queue", "Change a draft or scheduled post")}, // members: only their own, as below
		{"DELETE", "/api/posts/{id}", memberOrKey, unset, long, op(queue.CancelPost, "cancelPost", "queue", "Cancel a post")},
		{"POST", "/api/posts/{id}/retry", memberOrKey, unset, long, op(queue.RetryPost, "retryPost", "queue", "Retry a failed post")},
		{"POST", "/api/posts/import", memberOrKey, unset, long, op(queue.ImportPosts, "importPosts", "queue", "Import posts from a CSV file", accepts(posts.MaxImportBytes, 30*time.Second))},
		{"POST", "/tweet", memberOrKey, unset, long, custom(queue.SendTweet, "sendTweet", "queue", "Publish a post now and wait for the outcome", also(http.StatusAccepted, "The post is being sent or waits for approval"))},

		// schedule
		{"GET", "/api/schedule", public, live, short, op(schedule.GetSchedule, "getSchedule", "queue", "Get the posts and planned times of a period")},
		{"GET", "/api/schedule/budget", public, live, short, op(schedule.GetBudget, "getBudget", "queue", "Get a month's slots and who holds them")},
		{"POST", "/api/posts/check", memberOrKey, unset, long, op(schedule.CheckPost, "checkPost", "queue", "Check a post before creating it")},
		{"POST", "/api/posts/{id}/restore", memberOrKey, unset, long, op(queue.RestorePost, "restorePost", "queue", "Restore a cancelled post")},
		{"POST", "/api/posts/{id}/review", founderOrKey, unset, long, op(queue.ReviewPost, "reviewPost", "queue", "Approve or reject a member's post")},
		{"GET", "/api/posting-controls", public, live, short, op(schedule.GetPostingControls, "getPostingControls", "queue", "Get the posting controls")},
		{"PUT", "/api/posting-controls", founderOrKey, unset, long, op(schedule.SetPostingControls, "setPostingControls", "queue", "Pause or resume posting, or require approval")},
		{"GET", "/api/posting-times", memberOrKey, noStore, short, op(schedule.GetPostingTimes, "getPostingTimes", "queue", "Get the caller's posting times")},
		{"PUT", "/api/posting-times", memberOrKey, unset, long, op(schedule.SetPostingTimes, "setPostingTimes", "queue", "Replace the caller's posting times")},
		{"GET", "/api/posting-times/next", memberOrKey, noStore, short, op(schedule.ListFreeTimes, "listFreeTimes", "queue", "List the next free posting times")},
		{"GET", "/api/recurring-posts", public, live, short, op(schedule.ListRecurringPosts, "listRecurringPosts", "recurring posts", "List recurring posts")},
		{"GET", "/api/recurring-posts/{id}", public, live, short, op(schedule.GetRecurringPost, "getRecurringPost", "recurring posts", "Get a recurring post and its scheduled times")},
		{"POST", "/api/recurring-posts", memberOrKey, unset, long, op(schedule.CreateRecurringPost, "createRecurringPost", "recurring posts", "Create a recurring post", created)},
		{"POST", "/api/recurring-posts/preview", memberOrKey, unset, long, op(schedule.PreviewRecurringPost, "previewRecurringPost", "recurring posts", "Preview a recurring post")},
		{"PATCH", "/api/recurring-posts/{id}", memberOrKey, unset, long, op(schedule.ChangeRecurringPost, "changeRecurringPost", "recurring posts", "Change, pause or resume a recurring post")}, // members: only their own, as below
		{"DELETE", "/api/recurring-posts/{id}", memberOrKey, unset, long, op(schedule.EndRecurringPost, "endRecurringPost", "recurring posts", "End a recurring post permanently")},

		// members
		{"GET", "/api/members", public, live, short, op(members.ListMembers, "listMembers", "members", "List members")},
		{"POST", "/api/members", founderOrKey, unset, long, op(members.AddMember, "addMember", "members", "Add a member who has paid", created)},
		{"PUT", "/api/members/{id}/email", freshOrKey, unset, long, private(members.SetMemberEmail, "setMemberEmail", "admin", "Set a member's email address")},
		{"PUT", "/api/members/{id}/status", freshOrKey, unset, long, private(members.SetMemberStatus, "setMemberStatus", "admin", "Set a member's status")},

		// checkout
		{"GET", "/api/pricing", public, noStore, short, custom(checkout.GetPricing, "getPricing", "pricing", "Get the membership's price")},
		{"POST", "/api/visits", public, unset, long, custom(checkout.RecordVisit, "recordVisit", "pricing", "Record a page view")},
		{"POST", "/api/dynamic-payment", public, unset, long, private(checkout.StartPayment, "startPayment", "pricing", "Start a payment and get a price")},
		{"POST", "/api/checkouts/{id}/refresh", public, unset, long, op(checkout.RefreshCheckout, "refreshCheckout", "pricing", "Check with Stripe whether a checkout was paid", accepted)},
		{"POST", "/api/checkouts/{id}/cancel", public, unset, long, op(checkout.CancelCheckout, "cancelCheckout", "pricing", "Cancel a checkout", accepted)},
		{"POST", "/api/checkouts/{id}/refund", freshAdmin, unset, long, private(checkout.RefundCheckout, "refundCheckout", "admin", "Refund a checkout and freeze its membership")},
		{"GET", "/api/checkouts", adminOnly, noStore, short, private(checkout.ListCheckouts, "listCheckouts", "admin", "List checkouts")},
		{"GET", "/api/receipts/{id}", public, noStore, short, private(checkout.GetReceipt, "getReceipt", "pricing", "Get a receipt and how its price was calculated")}, // the ID has 128 random bits
		{"POST", "/api/cye/full-flow", public, unset, long, op(checkout.DemoCheckout, "demoCheckout", "pricing", "Try the pricing with made-up visitor data")},
		{"GET", "/api/treasury", public, live, short, op(checkout.GetTreasury, "getTreasury", "treasury", "Get income, costs and runway")},
		{"POST", "/webhooks/stripe", public, unset, long, op(checkout.StripeWebhook, "stripeWebhook", "pricing", "Receive a Stripe webhook event", unvalidated)}, // authenticated by its signature

		// generation
		{"POST", "/api/ai/generate", memberOrKey, unset, long, op(generation.Generate, "generate", "generator", "Generate a text with one model")},
		{"POST", "/api/ai/generations", memberOrKey, unset, long, op(generation.StartGeneration, "startGeneration", "generator", "Start a generation with one or more models", created)},
		{"GET", "/api/ai/generations/{id}", memberOrKey, noStore, short, op(generation.GetGeneration, "getGeneration", "generator", "Get a generation and its texts")}, // members: only their own
		{"POST", "/api/ai/generations/{id}/vote", memberOrKey, unset, long, op(generation.VoteGeneration, "voteGeneration", "generator", "Vote for the best text and reveal the models")},
		{"GET", "/api/ai/models", public, live, short, op(generation.ListModels, "listModels", "generator", "List models, voices and facts")},
		{"GET", "/api/ai/leaderboard", public, live, short, op(generation.GetLeaderboard, "getLeaderboard", "generator", "Get the models' leaderboard")},

		// chaos
		{"GET", "/api/chaos/recent", public, live, short, op(chaos.GetRecentChaos, "getRecentChaos", "chaos", "Get the latest 50 chaos runs")},
		{"POST", "/api/chaos", public, unset, long, op(chaos.StartChaos, "startChaos", "chaos", "Start a chaos run")},
		{"GET", "/api/chaos/runs", public, live, short, op(chaos.ListChaosRuns, "listChaosRuns", "chaos", "List chaos runs")},
		{"GET", "/api/chaos/runs/{id}", public, live, short, op(chaos.GetChaosRun, "getChaosRun", "chaos", "Get a chaos run with its timeline and probes")},
		{"POST", "/api/chaos/runs/{id}/replay", founderOrKey, unset, long, op(chaos.ReplayChaosRun, "replayChaosRun", "chaos", "Run a fault again")},
		{"POST", "/api/chaos/runs/{id}/check", founderOrKey, unset, long, op(chaos.CheckChaosHistory, "checkChaosHistory", "chaos", "Replay a run's history with the current code")},
		{"GET", "/api/chaos/score", public, live, short, op(chaos.GetChaosScore, "getChaosScore", "chaos", "Get the resilience score of the last 30 days")},
		{"GET", "/api/chaos/incidents", public, live, short, op(chaos.ListIncidents, "listIncidents", "chaos", "List incidents of the chaos target")},
		{"GET", "/api/chaos/target", public, live, short, op(chaos.GetChaosTarget, "getChaosTarget", "chaos", "Get the chaos target's health and faults")},
		{"PUT", "/api/chaos/switch", founderOrKey, unset, long, op(chaos.PutChaosSwitch, "putChaosSwitch", "chaos", "Switch chaos runs on or off")},
		{"GET", "/api/chaos/runs/{id}/events", public, unset, unlimited, custom(chaos.FollowChaosRun(), "followChaosRun", "chaos", "Stream a chaos run as server-sent events", responds("The events", "text/event-stream"))},
		{"GET", "/api/chaos/runs.csv", public, unset, unlimited, custom(chaos.DownloadChaosRuns, "downloadChaosRuns", "chaos", "Download all chaos runs as CSV", responds("One line for each run", "text/csv"))},
		{"GET", "/api/chaos/badges/{name}", public, minute, short, custom(chaos.GetChaosBadge, "getChaosBadge", "chaos", "Get a chaos badge", responds("The image", "image/svg+xml"))},

		// verification
		{"POST", "/api/ai-verification", public, unset, long, op(verification.Verify, "verify", "verification", "Verify a page of this site")},
		{"GET", "/api/verification/status", public, live, short, op(verification.GetVerificationStatus, "getVerificationStatus", "verification", "Get the site's health")},
		{"GET", "/api/verification/runs", public, live, short, op(verification.ListVerifications, "listVerifications", "verification", "List verifications")},
		{"GET", "/api/verification/runs/{id}", public, live, short, op(verification.GetVerification, "getVerification", "verification", "Get a verification")},
		{"POST", "/api/verification/runs/{id}/approve", founderOrKey, unset, long, op(verification.ApproveBaseline, "approveBaseline", "verification", "Approve screenshots as the baseline")},
		{"GET", "/api/verification/baselines", public, live, short, op(verification.ListBaselines, "listBaselines", "verification", "List approved baselines")},
		{"GET", "/api/verification/agreement", public, live, short, op(verification.GetAgreement, "getAgreement", "verification", "Get how often the AI review was right")},
		{"GET", "/api/verification/pictures/{name}", public, unset, short, custom(verification.GetPicture, "getPicture", "verification", "Get a screenshot", responds("The image", "image/png"))},
		{"GET", "/api/verification/badges/{name}", public, minute, short, custom(verification.GetVerificationBadge, "getVerificationBadge", "verification", "Get a verification badge", responds("The image", "image/svg+xml"))},

		// experiments
		{"GET", "/api/experiments", public, live, short, op(experiments.ListExperiments, "listExperiments", "experiments", "List experiments")},
		{"GET", "/api/experiments/similar", public, live, short, op(experiments.SimilarExperiments, "similarExperiments", "experiments", "List experiments with a similar title")},
		{"GET", "/api/experiments/mine", user, noStore, short, op(experiments.ListOwnExperiments, "listOwnExperiments", "experiments", "List the caller's own ideas")},
		{"GET", "/api/experiments/{slug}", public, live, short, op(experiments.GetExperiment, "getExperiment", "experiments", "Get an experiment")},
		{"POST", "/api/experiments/submit", public, unset, long, op(experiments.SubmitExperiment, "submitExperiment", "experiments", "Submit an experiment", created)},
		{"POST", "/api/experiments/vote", memberOrFounder, unset, long, op(experiments.VoteExperiment, "voteExperiment", "experiments", "Vote on an experiment")},
		{"DELETE", "/api/experiments/{slug}/vote", memberOrFounder, unset, long, op(experiments.WithdrawVote, "withdrawVote", "experiments", "Withdraw a vote")},
		{"PATCH", "/api/experiments/{slug}", founderOrKey, unset, long, op(experiments.EditExperiment, "editExperiment", "experiments", "Edit an experiment")},
		{"POST", "/api/experiments/{slug}/move", founderOrKey, unset, long, op(experiments.MoveExperiment, "moveExperiment", "experiments", "Move an experiment to another status")},
		{"PUT", "/api/experiments/{slug}/metric", founderOrKey, unset, long, op(experiments.RegisterMetric, "registerMetric", "experiments", "Register an experiment's success metric")},
		{"DELETE", "/api/experiments/{slug}/metric", founderOrKey, unset, long, op(experiments.UnregisterMetric, "unregisterMetric", "experiments", "Remove the registered metric")},
		{"PUT", "/api/experiments/{slug}/notes/{date}", founderOrKey, unset, long, op(experiments.WriteLabNote, "writeLabNote", "experiments", "Create or replace a lab note")},
		{"DELETE", "/api/experiments/{slug}/notes/{date}", founderOrKey, unset, long, op(experiments.DeleteLabNote, "deleteLabNote", "experiments", "Delete a lab note")},

		// runs
		{"GET", "/api/runs", public, unset, short, private(runs.ListRuns, "listRuns", "runs", "List workflow runs")},
		{"GET", "/api/runs/{id}", public, unset, short, custom(runs.GetRun, "getRun", "runs", "Get the timeline of a workflow run")},

		// feeds
		{"GET", "/feeds/{name}", public, minute, short, custom(feeds.GetFeed, "getFeed", "feeds", "Get a feed of posts, experiments or chaos runs",
			responds("The feed", "application/rss+xml", "application/feed+json"))},
		{"GET", "/sitemap.xml", public, hour, short, custom(feeds.GetSitemap, "getSitemap", "feeds", "Get the sitemap", responds("The sitemap", "application/xml"))},
		{"GET", "/robots.txt", public, hour, short, custom(feeds.GetRobots, "getRobots", "feeds", "Get the crawler rules", responds("The rules", "text/plain"))},

		// auth
		{"GET", "/api/auth/status", public, noStore, short, private(login.AuthStatus, "getAuthStatus", "login", "Get the caller's login status")},
		{"POST", "/api/auth/logout", publicOrToken, unset, long, custom(login.Logout, "logout", "login", "Log out")},
		{"POST", "/api/auth/token", user, unset, long, private(login.CreateToken, "createToken", "login", "Create a bearer token", created)},
		{"POST", "/api/auth/manual-login", public, unset, long, custom(login.ManualLogin, "manualLogin", "login", "Log in by name with an emailed code")},
		{"POST", "/api/auth/email", public, unset, long, custom(login.RequestEmailCode, "requestEmailCode", "login", "Email a login code")},
		{"POST", "/api/auth/email/verify", public, unset, long, custom(login.VerifyEmailCode, "verifyEmailCode", "login", "Log in with an emailed code")},
		{"POST", "/api/auth/activate", public, unset, long, custom(login.Activate, "activate", "login", "Log in with an activation link")},
		{"GET", auth.LoginPath, public, noStore, long, raw(login.LeaveForX)},
		{"GET", auth.CallbackPath, public, noStore, long, raw(login.ReturnFromX)},
		{"GET", auth.DiagnosisPath, public, noStore, long, private(login.TestOAuth, "testOAuth", "login", "Diagnose the login with X")},

		// account
		{"GET", "/api/account", user, noStore, short, private(own.GetAccount, "getAccount", "account", "Get the caller's account and sessions")},
		{"DELETE", "/api/account/sessions/{id}", user, unset, long, op(own.EndSession, "endSession", "account", "End a session")},
		{"DELETE", "/api/account/sessions", user, unset, long, custom(own.EndSessions, "endSessions", "account", "Log out everywhere")},
		{"PUT", "/api/account/notices", user, unset, long, op(own.SetNotices, "setNotices", "account", "Turn post emails on or off")},
		{"POST", "/api/account/email", freshUser, unset, long, op(own.RequestAddressCode, "requestAddressCode", "account", "Email a code to a new address")},
		{"POST", "/api/account/email/verify", freshUser, unset, long, op(own.VerifyAddressCode, "verifyAddressCode", "account", "Set the email address with a code")},
		{"POST", "/api/account/email/undo", public, unset, long, custom(own.UndoAddress, "undoAddress", "account", "Restore the previous email address")},
		{"POST", "/unsubscribe", public, unset, long, op(own.Unsubscribe, "unsubscribe", "account", "Unsubscribe from post emails")},
		{"GET", accountapi.ExportPath, user, noStore, short, custom(own.ExportAccount, "exportAccount", "account", "Download the caller's data",
			respondsWithJSON("The file"))},
		{"POST", "/api/account/deletion", freshUser, unset, long, custom(own.DeleteAccount, "deleteAccount", "account", "Delete the caller's account", accepted)},
		{"PUT", "/api/account/username", memberOnly, unset, long, op(own.SetUsername, "setUsername", "account", "Change the member's username")},
		{"GET", "/api/account/credits", memberOnly, noStore, short, op(own.ListCredits, "listCredits", "account", "List credit entries and the balance")},
		{"GET", "/api/account/onboarding", memberOnly, noStore, short, op(own.GetOnboarding, "getOnboarding", "account", "Get the onboarding progress")},
		{"PUT", "/api/account/onboarding/{kind}", memberOnly, unset, long, op(own.SaveOnboarding, "saveOnboarding", "account", "Save the onboarding progress")},
		{"POST", "/api/account/onboarding/{kind}/complete", memberOnly, unset, long, op(own.CompleteOnboarding, "completeOnboarding", "account", "Complete the tour or questionnaire")},
		{"GET", "/api/auth/credentials/status", botAdmin, noStore, short, private(admin.CredentialStatus, "getCredentialStatus", "credentials", "Get the bot's connection to X")},
		{"POST", "/api/auth/credentials", botAdmin, unset, long, op(admin.SetCredentials, "setCredentials", "credentials", "Connect the bot to its X account")},
		{"DELETE", "/api/auth/credentials", botAdmin, unset, long, op(admin.RemoveCredentials, "removeCredentials", "credentials", "Disconnect the bot")},

		// admin
		{"GET", "/api/admin/secrets", freshAdmin, noStore, short, private(admin.ListSecrets, "listSecrets", "admin", "List which secrets are set")},
		{"POST", "/api/admin/x-credentials", freshAdmin, unset, long, op(admin.ReplaceProviderKeys, "replaceProviderKeys", "admin", "Replace the X app's API keys")},
		{"POST", "/api/admin/x-credentials/rollback", freshAdmin, unset, long, op(admin.RollBackProviderKeys, "rollBackProviderKeys", "admin", "Roll back the X app's API keys")},
		{"GET", "/api/admin/audit", adminOnly, noStore, short, op(admin.ListAudit, "listAudit", "admin", "List the audit log")},
		{"GET", "/api/admin/failed-emails", adminOnly, noStore, short, op(admin.ListFailedEmails, "listFailedEmails", "admin", "List failed emails")},
		{"POST", "/api/admin/failed-emails/{id}/retry", adminOnly, unset, long, op(admin.RetryEmail, "retryEmail", "admin", "Retry a failed email")},
		{"POST", "/api/client-errors", public, unset, long, op(admin.ReportClientError, "reportClientError", "operations", "Report a client-side error", created)},
		{"GET", "/api/admin/client-errors", adminOnly, noStore, short, op(admin.ListClientErrors, "listClientErrors", "admin", "List client-side errors")},

		// operations
		{"GET", "/healthz", public, noStore, short, custom(s.getHealth, "getHealth", "operations", "Check whether the process is running",
			also(http.StatusServiceUnavailable, "The process is shutting down"))},
		{"GET", "/readyz", public, noStore, short, custom(s.getReadiness, "getReadiness", "operations", "Check whether the process can do its work",
			also(http.StatusServiceUnavailable, "A check failed; see checks"))},
		{"GET", "/metrics", public, noStore, short, raw(s.scrape)},
		{"GET", "/openapi.json", public, fiveMinutes, short, raw(printContract("application/openapi+json", (*huma.OpenAPI).MarshalJSON))},
		{"GET", "/openapi.yaml", public, fiveMinutes, short, raw(printContract("application/openapi+yaml", (*huma.OpenAPI).YAML))},
		{"GET", "/openapi-3.0.json", public, fiveMinutes, short, raw(printContract("application/openapi+json", (*huma.OpenAPI).Downgrade))},
		{"GET", "/openapi-3.0.yaml", public, fiveMinutes, short, raw(printContract("application/openapi+yaml", (*huma.OpenAPI).DowngradeYAML))},
	}, s.sandboxes()...)
}

// sandboxes lists the pages of the simulated services that this process has.
func (s *Server) sandboxes() (routes []route) {
	if s.Site.Sandbox {
		show := s.proxy(s.Site.XBaseURL, httpapi.SandboxX)
		routes = append(routes,
			route{"GET", httpapi.SandboxX, public, unset, short, raw(show)},
			route{"GET", httpapi.SandboxX + "/*path", public, unset, short, raw(s.tokensAtHome, show)},
			route{"POST", httpapi.SandboxX + "/*path", public, unset, long, raw(s.atHomeOnly, show)},
		)
	}
	if s.Site.StripeURL != "" {
		show := s.proxy(s.Site.StripeURL, stripePath)
		routes = append(routes,
			route{"GET", stripePath, public, unset, short, raw(s.atHomeOnly, show)},
			route{"GET", stripePath + "/*path", public, unset, short, raw(s.atHomeOnly, show)},
			route{"POST", stripePath + "/*path", public, unset, long, raw(s.atHomeOnly, show)},
		)
	}
	if s.Site.MailURL != "" {
		show := s.proxy(s.Site.MailURL, mailPath)
		routes = append(routes,
			route{"GET", mailPath, public, unset, short, raw(s.atHomeOnly, show)},
			route{"GET", mailPath + ".json", public, unset, short, raw(s.atHomeOnly, show)},
			route{"GET", mailPath + "/:id", public, unset, short, raw(s.atHomeOnly, show)},
		)
	}
	return routes
}
