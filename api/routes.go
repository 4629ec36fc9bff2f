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

// table lists every route: method, path, who may call it, how long its answer may be cached, its
// deadline and its handler. Nothing else decides any of these.
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
		{"GET", "/api/bot-posts", public, live, short, op(queue.ListBotPosts, "listBotPosts", "posts", "What the bot has posted, newest first")},
		{"GET", "/api/bot-status", public, live, short, op(queue.GetBotStatus, "getBotStatus", "posts", "Whether the bot can post, and how much of the month is left")},
		{"GET", "/api/stats", public, live, short, op(queue.GetStats, "getStats", "posts", "The dashboard's figures, live")},
		{"GET", "/api/posts", public, live, short, op(queue.ListPosts, "listPosts", "queue", "The queue: every post and where it stands")},
		{"GET", "/api/posts/{id}", public, live, short, op(queue.GetPost, "getPost", "queue", "One post")},
		{"POST", "/api/posts", memberOrKey, unset, long, op(queue.CreatePost, "createPost", "queue", "Write a post, for now or later", created)},
		{"PATCH", "/api/posts/{id}", memberOrKey, unset, long, op(queue.ChangePost, "changePost", "queue", "Change a post that is not being sent")}, // members: their own, as below
		{"DELETE", "/api/posts/{id}", memberOrKey, unset, long, op(queue.CancelPost, "cancelPost", "queue", "Give a post up")},
		{"POST", "/api/posts/{id}/retry", memberOrKey, unset, long, op(queue.RetryPost, "retryPost", "queue", "Try a failed or unknown post again, after looking for it")},
		{"POST", "/api/posts/import", memberOrKey, unset, long, op(queue.ImportPosts, "importPosts", "queue", "Write the posts of a CSV file",
			describe("Columns: text, scheduled_at, timezone, member, made_with_ai. A file that is not CSV is refused whole; a line that cannot be posted is "+
				"refused alone. Importing a file again writes nothing twice."), accepts(posts.MaxImportBytes, 30*time.Second))},
		{"POST", "/tweet", memberOrKey, unset, long, custom(queue.SendTweet, "sendTweet", "queue", "Post now, and wait a moment for the outcome",
			describe("200: it is out. 202: still on its way; its run goes on whatever happens to this call. 502: X did not take it."), also(http.StatusAccepted, "It is still on its way, or waits for an approval"))},

		// schedule
		{"GET", "/api/schedule", public, live, short, op(schedule.GetSchedule, "getSchedule", "queue", "What goes out, or went, between two times, and what recurring posts plan to write")},
		{"GET", "/api/schedule/budget", public, live, short, op(schedule.GetBudget, "getBudget", "queue", "Who holds which of a month's slots")},
		{"POST", "/api/posts/check", memberOrKey, unset, long, op(schedule.CheckPost, "checkPost", "queue", "What would stand in a post's way, and what is like it")},
		{"POST", "/api/posts/{id}/restore", memberOrKey, unset, long, op(queue.RestorePost, "restorePost", "queue", "Undo a cancellation")},
		{"POST", "/api/posts/{id}/review", founderOrKey, unset, long, op(queue.ReviewPost, "reviewPost", "queue", "Approve or reject a member's post, or suggest another text")},
		{"GET", "/api/posting-controls", public, live, short, op(schedule.GetPostingControls, "getPostingControls", "queue", "What holds posts back: a pause, or the founders' approval")},
		{"PUT", "/api/posting-controls", founderOrKey, unset, long, op(schedule.SetPostingControls, "setPostingControls", "queue", "Pause the bot or let it go on; ask for approvals or not")},
		{"GET", "/api/posting-times", memberOrKey, noStore, short, op(schedule.GetPostingTimes, "getPostingTimes", "queue", "When one's queue posts")},
		{"PUT", "/api/posting-times", memberOrKey, unset, long, op(schedule.SetPostingTimes, "setPostingTimes", "queue", "Change when one's queue posts")},
		{"GET", "/api/posting-times/next", memberOrKey, noStore, short, op(schedule.ListFreeTimes, "listFreeTimes", "queue", "The next free times of one's queue")},
		{"GET", "/api/recurring-posts", public, live, short, op(schedule.ListRecurringPosts, "listRecurringPosts", "recurring posts", "Posts that recur")},
		{"GET", "/api/recurring-posts/{id}", public, live, short, op(schedule.GetRecurringPost, "getRecurringPost", "recurring posts", "A post that recurs, and what became of its latest times")},
		{"POST", "/api/recurring-posts", memberOrKey, unset, long, op(schedule.CreateRecurringPost, "createRecurringPost", "recurring posts", "Let a post recur", created)},
		{"POST", "/api/recurring-posts/preview", memberOrKey, unset, long, op(schedule.PreviewRecurringPost, "previewRecurringPost", "recurring posts", "When it would post, or why it cannot")},
		{"PATCH", "/api/recurring-posts/{id}", memberOrKey, unset, long, op(schedule.ChangeRecurringPost, "changeRecurringPost", "recurring posts", "Change, pause or resume it")}, // members: their own, as below
		{"DELETE", "/api/recurring-posts/{id}", memberOrKey, unset, long, op(schedule.EndRecurringPost, "endRecurringPost", "recurring posts", "End it for good")},

		// members
		{"GET", "/api/members", public, live, short, op(members.ListMembers, "listMembers", "members", "The registry of members")},
		{"POST", "/api/members", founderOrKey, unset, long, op(members.AddMember, "addMember", "members", "Enter a member whose fee was paid", created)},

		// checkout
		{"GET", "/api/pricing", public, noStore, short, custom(checkout.GetPricing, "getPricing", "pricing", "What a membership costs, and whether your price would be personal")},
		{"POST", "/api/visits", public, unset, long, custom(checkout.RecordVisit, "recordVisit", "pricing", "Count a look at a page",
			describe("Our own counters, by a cookie of ours. Browsers that send DNT or Sec-GPC are not counted, and what was counted of them is deleted."))},
		{"POST", "/api/dynamic-payment", public, unset, long, private(checkout.StartPayment, "startPayment", "pricing", "A price for you, and a page to pay it",
			describe("The price depends on what our own counters know of the visitor, never on what is sent here. The same visitor gets the same price for 24 "+
				"hours, and the same page while it is open."))},
		{"POST", "/api/checkouts/{id}/refresh", public, unset, long, op(checkout.RefreshCheckout, "refreshCheckout", "pricing", "Ask the payment service now whether it was paid", accepted)},
		{"POST", "/api/checkouts/{id}/cancel", public, unset, long, op(checkout.CancelCheckout, "cancelCheckout", "pricing", "Give a checkout up", accepted)},
		{"POST", "/api/checkouts/{id}/refund", freshAdmin, unset, long, private(checkout.RefundCheckout, "refundCheckout", "admin", "Send the money back; the seat is frozen")},
		{"GET", "/api/checkouts", adminOnly, noStore, short, private(checkout.ListCheckouts, "listCheckouts", "admin", "Who bought, newest first")},
		{"GET", "/api/receipts/{id}", public, noStore, short, private(checkout.GetReceipt, "getReceipt", "pricing", "How a price came about, and what became of it")}, // nobody guesses an ID
		{"POST", "/api/cye/full-flow", public, unset, long, op(checkout.DemoCheckout, "demoCheckout", "pricing", "Try the pricing with made-up behaviour",
			describe("The real flow in test mode: no card is charged, and nobody becomes a member."))},
		{"GET", "/api/treasury", public, live, short, op(checkout.GetTreasury, "getTreasury", "treasury", "What came in, what went out, and how long the rest lasts",
			describe("Money that moved is in cents. What X and the models cost is estimated, in millionths of a dollar: posts by X's documented prices, models by "+
				"the tokens they said they used."))},
		{"POST", "/webhooks/stripe", public, unset, long, op(checkout.StripeWebhook, "stripeWebhook", "pricing", "What the payment service tells us",
			describe("Believed by its signature only, and then no further than that something happened: what is so is asked of the service."), unvalidated)}, // its signature says who calls

		// generation
		{"POST", "/api/ai/generate", memberOrKey, unset, long, op(generation.Generate, "generate", "generator", "Let one model write a text, and wait for it")},
		{"POST", "/api/ai/generations", memberOrKey, unset, long, op(generation.StartGeneration, "startGeneration", "generator", "Let one or several models write a text; look how far they are with getGeneration", created)},
		{"GET", "/api/ai/generations/{id}", memberOrKey, noStore, short, op(generation.GetGeneration, "getGeneration", "generator", "What the models have written so far")}, // members: their own
		{"POST", "/api/ai/generations/{id}/vote", memberOrKey, unset, long, op(generation.VoteGeneration, "voteGeneration", "generator", "Say which text is best, once; then the models' names are told")},
		{"GET", "/api/ai/models", public, live, short, op(generation.ListModels, "listModels", "generator", "The voices, models and facts to choose from")},
		{"GET", "/api/ai/leaderboard", public, live, short, op(generation.GetLeaderboard, "getLeaderboard", "generator", "Which model won how many votes")},

		// chaos
		{"GET", "/api/chaos/recent", public, live, short, op(chaos.GetRecentChaos, "getRecentChaos", "chaos", "The latest chaos runs, newest first, 50 at most")},
		{"POST", "/api/chaos", public, unset, long, op(chaos.StartChaos, "startChaos", "chaos", "Break the chaos target, and see it heal",
			describe("One run at a time; a visitor has three an hour, everybody together thirty. Founders count in the thirty only."))},
		{"GET", "/api/chaos/runs", public, live, short, op(chaos.ListChaosRuns, "listChaosRuns", "chaos", "All chaos runs, newest first")},
		{"GET", "/api/chaos/runs/{id}", public, live, short, op(chaos.GetChaosRun, "getChaosRun", "chaos", "One run, with its timeline and every probe")},
		{"POST", "/api/chaos/runs/{id}/replay", founderOrKey, unset, long, op(chaos.ReplayChaosRun, "replayChaosRun", "chaos", "Run the same fault again, linked to this run")},
		{"POST", "/api/chaos/runs/{id}/check", founderOrKey, unset, long, op(chaos.CheckChaosHistory, "checkChaosHistory", "chaos", "Replay the run's stored history with today's code")},
		{"GET", "/api/chaos/score", public, live, short, op(chaos.GetChaosScore, "getChaosScore", "chaos", "What the runs of the last 30 days came to, by fault")},
		{"GET", "/api/chaos/incidents", public, live, short, op(chaos.ListIncidents, "listIncidents", "chaos", "What the healer found and did, newest first")},
		{"GET", "/api/chaos/target", public, live, short, op(chaos.GetChaosTarget, "getChaosTarget", "chaos", "The chaos target as last seen: its health, its files, and how it can be broken")},
		{"PUT", "/api/chaos/switch", founderOrKey, unset, long, op(chaos.PutChaosSwitch, "putChaosSwitch", "chaos", "The kill switch: whether chaos may begin")},
		{"GET", "/api/chaos/runs/{id}/events", public, unset, unlimited, custom(chaos.FollowChaosRun(), "followChaosRun", "chaos", "One run while it is under way, as server-sent events",
			describe("`event` has a ChaosEvent whenever it has changed; `probe` has a Probe, numbered by its place in the series, from the injection on; `end` has "+
				"the whole ChaosRun, and is the last. A stream lasts two minutes at most; with Last-Event-ID it goes on."), responds("The events", "text/event-stream"))},
		{"GET", "/api/chaos/runs.csv", public, unset, unlimited, custom(chaos.DownloadChaosRuns, "downloadChaosRuns", "chaos", "All runs as a table, newest first",
			responds("A header line, and a line for each run", "text/csv"))},
		{"GET", "/api/chaos/badges/{name}", public, minute, short, custom(chaos.GetChaosBadge, "getChaosBadge", "chaos", "A picture to show elsewhere: score.svg or last-heal.svg",
			responds("The picture", "image/svg+xml"))},

		// verification
		{"POST", "/api/ai-verification", public, unset, long, op(verification.Verify, "verify", "verification", "Look at one of our own pages, and see whether it works",
			describe("One at a time for a visitor. The answer comes when the run has ended, half a minute at most; with `wait: false` it comes at once, and "+
				"getVerification follows the run."))},
		{"GET", "/api/verification/status", public, live, short, op(verification.GetVerificationStatus, "getVerificationStatus", "verification", "How the site stands, by the last looks at its front page")},
		{"GET", "/api/verification/runs", public, live, short, op(verification.ListVerifications, "listVerifications", "verification", "The latest runs, newest first; 50 are kept")},
		{"GET", "/api/verification/runs/{id}", public, live, short, op(verification.GetVerification, "getVerification", "verification", "One run, with what is known of it so far")},
		{"POST", "/api/verification/runs/{id}/approve", founderOrKey, unset, long, op(verification.ApproveBaseline, "approveBaseline", "verification", "Approve how the page looked in this run: the next ones are held against it")},
		{"GET", "/api/verification/baselines", public, live, short, op(verification.ListBaselines, "listBaselines", "verification", "The looks that founders approved, newest first")},
		{"GET", "/api/verification/agreement", public, live, short, op(verification.GetAgreement, "getAgreement", "verification", "How often the comment agreed with the checks, where the chaos target was broken on purpose")},
		{"GET", "/api/verification/pictures/{name}", public, unset, short, custom(verification.GetPicture, "getPicture", "verification", "A picture, by the sha256 of its PNG: it never changes", responds("The picture", "image/png"))},
		{"GET", "/api/verification/badges/{name}", public, minute, short, custom(verification.GetVerificationBadge, "getVerificationBadge", "verification", "A picture to show elsewhere: status.svg",
			responds("The picture", "image/svg+xml"))},

		// experiments
		{"GET", "/api/experiments", public, live, short, op(experiments.ListExperiments, "listExperiments", "experiments", "The experiments of the lab; what waits for a founder is shown to founders")},
		{"GET", "/api/experiments/similar", public, live, short, op(experiments.SimilarExperiments, "similarExperiments", "experiments", "Public experiments that say nearly the same, three at most")},
		{"GET", "/api/experiments/{slug}", public, live, short, op(experiments.GetExperiment, "getExperiment", "experiments", "One experiment, by its slug or its ID")},
		{"POST", "/api/experiments/submit", public, unset, long, op(experiments.SubmitExperiment, "submitExperiment", "experiments", "Suggest an experiment",
			created, describe("It waits for a founder's approval unless the answer says otherwise."))},
		{"POST", "/api/experiments/vote", memberOnly, unset, long, op(experiments.VoteExperiment, "voteExperiment", "experiments", "Vote up or down, or change one's vote")},
		{"DELETE", "/api/experiments/{slug}/vote", memberOnly, unset, long, op(experiments.WithdrawVote, "withdrawVote", "experiments", "Take one's vote back")},
		{"PATCH", "/api/experiments/{slug}", founderOrKey, unset, long, op(experiments.EditExperiment, "editExperiment", "experiments", "Change what an experiment says", describe("What is left out stays."))},
		{"POST", "/api/experiments/{slug}/move", founderOrKey, unset, long, op(experiments.MoveExperiment, "moveExperiment", "experiments", "Move an experiment to another status")},
		{"PUT", "/api/experiments/{slug}/metric", founderOrKey, unset, long, op(experiments.RegisterMetric, "registerMetric", "experiments", "Promise what will be measured, before the experiment becomes active")},
		{"DELETE", "/api/experiments/{slug}/metric", founderOrKey, unset, long, op(experiments.UnregisterMetric, "unregisterMetric", "experiments", "Take that back, before the experiment becomes active")},
		{"PUT", "/api/experiments/{slug}/notes/{date}", founderOrKey, unset, long, op(experiments.WriteLabNote, "writeLabNote", "experiments", "Write the lab note of a day")},
		{"DELETE", "/api/experiments/{slug}/notes/{date}", founderOrKey, unset, long, op(experiments.DeleteLabNote, "deleteLabNote", "experiments", "Delete the lab note of a day")},

		// runs
		{"GET", "/api/runs", public, unset, short, private(runs.ListRuns, "listRuns", "runs", "The newest runs, of one flow or of every public one")},
		{"GET", "/api/runs/{id}", public, unset, short, custom(runs.GetRun, "getRun", "runs", "What happened in a run, as strangers may see it",
			describe("By an allow-list for each flow: what does not stand there is not shown. The id is the workflow's, like post:<id>."))},

		// feeds
		{"GET", "/feeds/{name}", public, minute, short, custom(feeds.GetFeed, "getFeed", "feeds", "What is new: posts, experiments or chaos, as RSS (.xml) or JSON Feed (.json)",
			responds("The feed", "application/rss+xml", "application/feed+json"))},
		{"GET", "/sitemap.xml", public, hour, short, custom(feeds.GetSitemap, "getSitemap", "feeds", "The pages, for search engines",
			responds("The addresses", "application/xml"))},
		{"GET", "/robots.txt", public, hour, short, custom(feeds.GetRobots, "getRobots", "feeds", "What search engines may read", responds("The rules", "text/plain"))},

		// auth
		{"GET", "/api/auth/status", public, noStore, short, private(login.AuthStatus, "getAuthStatus", "login", "Who is logged in")},
		{"POST", "/api/auth/logout", publicOrToken, unset, long, custom(login.Logout, "logout", "login", "End this session")},
		{"POST", "/api/auth/token", user, unset, long, private(login.CreateToken, "createToken", "login", "Make a bearer token for a program",
			created, describe("It is shown once, lasts a quarter of an hour, and serves the calls of its scope only."))},
		{"POST", "/api/auth/manual-login", public, unset, long, custom(login.ManualLogin, "manualLogin", "login", "Log in by name, with a code that is mailed",
			describe("Without a code it always answers alike, whether or not there is such an account, and mails a code to the account's address. With the code it logs in."))},
		{"POST", "/api/auth/email", public, unset, long, op(login.RequestEmailCode, "requestEmailCode", "login", "Have a code mailed",
			describe("It always answers alike, whether or not the address is anybody's."))},
		{"POST", "/api/auth/email/verify", public, unset, long, custom(login.VerifyEmailCode, "verifyEmailCode", "login", "Log in with the code")},
		{"POST", "/api/auth/activate", public, unset, long, custom(login.Activate, "activate", "login", "Log in with the link of a welcome email, once")},
		{"GET", auth.LoginPath, public, noStore, long, raw(login.LeaveForX)},
		{"GET", auth.CallbackPath, public, noStore, long, raw(login.ReturnFromX)},
		{"GET", auth.DiagnosisPath, public, noStore, long, private(login.TestOAuth, "testOAuth", "login", "Why logging in with X fails, step by step",
			describe("The step env starts a run of the diagnostic, one a minute for each visitor at most; asked again within that minute, it shows the run before. "+
				"The other steps belong to the same run. Secrets are only measured; founders see X's answer, redacted."))},

		// account
		{"GET", "/api/account", user, noStore, short, private(own.GetAccount, "getAccount", "account", "My account and its sessions")},
		{"DELETE", "/api/account/sessions/{id}", user, unset, long, op(own.EndSession, "endSession", "account", "End one of my sessions")},
		{"DELETE", "/api/account/sessions", user, unset, long, custom(own.EndSessions, "endSessions", "account", "Log out everywhere")},
		{"PUT", "/api/account/notices", user, unset, long, op(own.SetNotices, "setNotices", "account", "Say whether I want emails about my posts")},
		{"POST", "/api/account/email", user, unset, long, op(own.RequestAddressCode, "requestAddressCode", "account", "Have a code mailed to a new address of mine")},
		{"POST", "/api/account/email/verify", user, unset, long, op(own.VerifyAddressCode, "verifyAddressCode", "account", "Make the address mine, with the code")},
		{"POST", "/unsubscribe", public, unset, long, op(own.Unsubscribe, "unsubscribe", "account", "End the emails about my posts",
			describe("For the link at the end of an email, and for the button that mail programs show (RFC 8058)."))},
		{"GET", accountapi.ExportPath, user, noStore, short, custom(own.ExportAccount, "exportAccount", "account", "All that is stored about me, as a file",
			respondsWithJSON("The file"))},
		{"POST", "/api/account/deletion", freshUser, unset, long, custom(own.DeleteAccount, "deleteAccount", "account", "Delete my account",
			accepted, describe("Needs a login younger than ten minutes. It logs out everywhere at once; a run takes back what waits, and then forgets who it was."))},
		{"PUT", "/api/account/username", memberOnly, unset, long, op(own.SetUsername, "setUsername", "account", "Choose the name that I am listed under")},
		{"GET", "/api/account/credits", memberOnly, noStore, short, op(own.ListCredits, "listCredits", "account", "My credits, and what they came from and went to")},
		{"GET", "/api/account/onboarding", memberOnly, noStore, short, op(own.GetOnboarding, "getOnboarding", "account", "How far I have come with the tour and the questionnaire")},
		{"PUT", "/api/account/onboarding/{kind}", memberOnly, unset, long, op(own.SaveOnboarding, "saveOnboarding", "account", "Keep my answers and where I am")},
		{"POST", "/api/account/onboarding/{kind}/complete", memberOnly, unset, long, op(own.CompleteOnboarding, "completeOnboarding", "account", "End it, and get its credits, once")},
		{"GET", "/api/auth/credentials/status", botAdmin, noStore, short, private(admin.CredentialStatus, "getCredentialStatus", "credentials", "Whether the bot is connected to its account")},
		{"POST", "/api/auth/credentials", botAdmin, unset, long, op(admin.SetCredentials, "setCredentials", "credentials", "Connect the bot",
			describe("X is asked whose tokens these are before they replace others."))},
		{"DELETE", "/api/auth/credentials", botAdmin, unset, long, op(admin.RemoveCredentials, "removeCredentials", "credentials", "Disconnect the bot",
			describe("Its scheduled posts wait until it is connected again."))},

		// admin
		{"GET", "/api/admin/secrets", freshAdmin, noStore, short, private(admin.ListSecrets, "listSecrets", "admin", "Which secrets are set, never what they are")},
		{"POST", "/api/admin/x-credentials", freshAdmin, unset, long, op(admin.ReplaceProviderKeys, "replaceProviderKeys", "admin", "Give the app other keys at X",
			describe("The diagnostic tries them before they replace the old ones, which are kept for a day."))},
		{"POST", "/api/admin/x-credentials/rollback", freshAdmin, unset, long, op(admin.RollBackProviderKeys, "rollBackProviderKeys", "admin", "Take the keys before these into use again")},
		{"GET", "/api/admin/audit", adminOnly, noStore, short, op(admin.ListAudit, "listAudit", "admin", "What founders did")},
		{"GET", "/api/admin/failed-emails", adminOnly, noStore, short, op(admin.ListFailedEmails, "listFailedEmails", "admin", "Emails that could not be sent")},
		{"POST", "/api/admin/failed-emails/{id}/retry", adminOnly, unset, long, op(admin.RetryEmail, "retryEmail", "admin", "Try to send an email again")},
		{"POST", "/api/client-errors", public, unset, long, op(admin.ReportClientError, "reportClientError", "operations", "Say that a page broke", created)},
		{"GET", "/api/admin/client-errors", adminOnly, noStore, short, op(admin.ListClientErrors, "listClientErrors", "admin", "What broken pages reported, the newest first")},

		// operations
		{"GET", "/healthz", public, noStore, short, custom(s.getHealth, "getHealth", "operations", "This process lives, and is not about to stop",
			also(http.StatusServiceUnavailable, "It is about to stop"))},
		{"GET", "/readyz", public, noStore, short, custom(s.getReadiness, "getReadiness", "operations", "Database and Temporal answer, and a canary flow ended in the last minute",
			also(http.StatusServiceUnavailable, "One of them does not: see checks"))},
		{"GET", "/metrics", public, noStore, short, raw(s.scrape)},
		{"GET", "/openapi.json", public, fiveMinutes, short, raw(printContract("application/openapi+json", (*huma.OpenAPI).MarshalJSON))},
		{"GET", "/openapi.yaml", public, fiveMinutes, short, raw(printContract("application/openapi+yaml", (*huma.OpenAPI).YAML))},
		{"GET", "/openapi-3.0.json", public, fiveMinutes, short, raw(printContract("application/openapi+json", (*huma.OpenAPI).Downgrade))},
		{"GET", "/openapi-3.0.yaml", public, fiveMinutes, short, raw(printContract("application/openapi+yaml", (*huma.OpenAPI).DowngradeYAML))},
		{"GET", "/docs", public, unset, short, raw(s.sendDocs)},
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
