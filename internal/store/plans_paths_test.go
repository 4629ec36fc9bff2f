package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/proof/bench/seed"
)

// paths calls every frequent method on a store with much data.
type paths struct {
	*testing.T
	*store.DB
}

func (p paths) check(results ...any) {
	p.Helper()
	last := results[len(results)-1]
	if err, failed := last.(error); failed {
		require.NoError(p, err)
	}
}

func useAll(t *testing.T, s *store.DB) {
	t.Helper()
	p := paths{t, s}
	p.readPosts()
	p.readPlans()
	p.readMoney()
	p.readPeople()
	p.readLab()
	p.readTarget()
	p.sweep()
	p.writePosts()
	p.buy()
	p.logIn()
	p.generate()
}

var (
	viewers  = []*post.Viewer{nil, {}, {MemberID: "m00000001"}}
	statuses = []post.Status{
		post.StatusDraft, post.StatusScheduled, post.StatusArmed, post.StatusPublished, post.StatusFailed, post.StatusUnknown, post.StatusCancelled,
	}
	month = post.MonthOf(november)
)

func (p paths) readPosts() {
	ctx := p.Context()
	for _, viewer := range viewers {
		for _, f := range []post.Filter{
			{},
			{Offset: 500},
			{Reviews: []post.Review{post.ReviewRequested, post.ReviewSuggested}},
			{Reviews: []post.Review{post.ReviewRejected}},
			{Statuses: statuses[:3]},
			{Statuses: statuses[1:3]},
			{Statuses: statuses[3:]},
			{Statuses: statuses},
		} {
			f.Viewer, f.Limit = viewer, 20
			p.check(p.Posts.Posts(ctx, f))
		}
		for _, status := range statuses {
			p.check(p.Posts.Posts(ctx, post.Filter{Statuses: []post.Status{status}, Viewer: viewer, Limit: 100}))
		}
		p.check(p.Posts.CountByStatus(ctx, viewer))
		p.check(p.Posts.PostsBetween(ctx, november.AddDate(0, -1, 0), november.AddDate(0, 1, 0), viewer, 1000))
		p.check(p.Posts.ToCompare(ctx, november.AddDate(0, -1, 0), viewer))
	}
	p.check(p.Posts.PublishedPosts(ctx, 20, 0))
	p.check(p.Posts.PublishedPosts(ctx, 100, 500))
	p.check(p.Posts.SponsoredPublished(ctx))
	p.check(p.Posts.CountByStatus(ctx, nil))
	p.check(p.Posts.ListedPost(ctx, "p00000000"))
	p.check(p.Posts.MonthUsage(ctx, month))
	p.check(p.Posts.ReadUsage(ctx, month))
	p.check(p.Posts.SuccessSince(ctx, november.AddDate(0, 0, -30)))
	p.check(p.Posts.LastAttempt(ctx))
	p.check(p.Posts.ClaimedTweets(ctx, []string{"100000001", "7"}))
	p.check(p.Posts.SameText(ctx, "a text", "p00000000", november))
	p.check(p.Posts.MayBePublished(ctx, post.Post{ID: "p00000000", Attempt: 2}))
}

func (p paths) readPlans() {
	ctx := p.Context()
	founders, member := "", "m00000001"
	for _, holder := range []*string{nil, &founders, &member} {
		p.check(p.Posts.Budget(ctx, month, holder))
	}
	for _, holder := range []string{founders, member} {
		p.check(p.PostingTimes.PostingTimes(ctx, holder))
		p.check(p.PostingTimes.TakenTimes(ctx, holder, "", november))
	}
	p.check(p.Bot.Controls(ctx))
	p.check(p.Posts.Overdue(ctx, november))
	p.check(p.Posts.ToReview(ctx))
	p.check(p.Posts.DuePosts(ctx, november))
	p.check(p.RecurringPosts.RecurringPosts(ctx, 20, 0))
	p.check(p.RecurringPosts.ListedRecurringPost(ctx, "r00000001"))
	p.check(p.RecurringPosts.ScheduledTimes(ctx, "r00000001", 20))
	p.check(p.RecurringPosts.PlannedTimes(ctx, november, november.AddDate(0, 1, 0), november))
	made, _, err := p.RecurringPosts.CreateRecurringPost(ctx, schedule.RecurringPost{
		ID: xid.New().String(), Texts: []string{"Good morning, {date}."}, Weekly: []schedule.LocalTime{{Weekday: 1, Minute: 540}}, Timezone: "UTC",
	}, november)
	require.NoError(p, err)
	p.check(p.RecurringPosts.PlanRecurringPost(ctx, made.ID, november.Add(time.Hour)))
	p.check(p.PostingTimes.SavePostingTimes(ctx, schedule.DefaultPostingTimes(member), november))
}

func (p paths) readMoney() {
	ctx := p.Context()
	p.check(p.Treasury.Treasury(ctx, november))
	p.check(p.Checkouts.Checkouts(ctx, checkout.Filter{Limit: 20}))
	p.check(p.Checkouts.Checkouts(ctx, checkout.Filter{Paid: true, Limit: 20, Offset: 40}))
	p.check(p.Visitors.Visitor(ctx, "v00000001"))
	p.check(p.ModelCalls.Call(ctx, "c00000001"))
	p.check(p.Checkouts.EventsSearchedUntil(ctx))
}

func (p paths) readPeople() {
	ctx := p.Context()
	p.check(p.Members.Members(ctx, month))
	p.check(p.Members.Account(ctx, "m00000001", month))
	p.check(p.Members.MemberNamed(ctx, "member00000001"))
	p.check(p.Members.CreditEntries(ctx, "m00000001", 20, 0))
	p.check(p.Members.Onboarding(ctx, "m00000001", onboarding.Tour))
	p.check(p.Accounts.AccountByEmail(ctx, "member00000001@example.com"))
	p.check(p.Accounts.AccountByName(ctx, "member00000001"))
	p.check(p.Accounts.Login(ctx, seed.FounderToken, november))
	p.check(p.Accounts.Sessions(ctx, "a00000001", november))
	p.check(p.Deletions.ExportAccount(ctx, "a00000001", november))
	p.check(p.AuditLog.AuditEntries(ctx, 20, 40))
	noted := audit.Entry{At: november, Actor: "@founder_one", Action: audit.AddMember, Outcome: audit.Done}
	p.check(p.AuditLog.Audit(ctx, noted))
	p.check(p.AuditLog.Audited(ctx, func(context.Context) ([]audit.Entry, error) { return []audit.Entry{noted}, nil }))
	p.check(p.Emails.FailedEmails(ctx, 100))
	p.check(p.ClientErrors.ClientErrors(ctx, "", 50))
	p.check(p.ClientErrors.ClientErrors(ctx, "e00000001", 50))
	p.check(p.ClientErrors.SaveClientError(ctx, problem.ClientError{ID: xid.New().String(), Path: "/", Message: "broke", CreatedAt: november}, account.Asker{}))
	p.check(p.Diagnoses.Diagnosis(ctx, "d00000001"))
	p.check(p.Diagnoses.LatestDiagnosis(ctx, "v00000000", november.AddDate(-1, 0, 0)))
	p.check(p.Diagnoses.BeginDiagnosis(ctx, diagnostic.Run{ID: "dx", Visitor: "somebody", CreatedAt: november}, account.Asker{}))
	p.check(p.Diagnoses.SaveFinding(ctx, "dx", diagnostic.Found{Finding: diagnostic.Finding{Step: "env"}}, november))
	p.check(p.Diagnoses.MoveDiagnosis(ctx, "dx", "run", &november))
}

func (p paths) readLab() {
	ctx := p.Context()
	for _, order := range []experiment.Order{experiment.Newest, experiment.MostUp, experiment.Furthest, experiment.Latest} {
		p.check(p.Experiments.Experiments(ctx, experiment.Query{Order: order, Limit: 20}))
	}
	p.check(p.Experiments.Experiments(ctx, experiment.Query{Text: "know", Status: experiment.Declined, Limit: 20}))
	p.check(p.Experiments.ExperimentTotals(ctx))
	p.check(p.Experiments.Experiment(ctx, "100"))
	p.check(p.Experiments.ExperimentNamed(ctx, "100"))
	p.check(p.Experiments.Experiment(ctx, "experiment-00000001"))
	p.check(p.Experiments.Notes(ctx, "lab00000001"))
	p.check(p.Experiments.VotesOf(ctx, experiment.Voter{MemberID: "m00000001"}))
	p.check(p.Experiments.CastVote(ctx, "lab00000001", experiment.Voter{MemberID: "m00000001"}, 1, november))
	p.check(p.Experiments.WithdrawVote(ctx, "lab00000001", experiment.Voter{MemberID: "m00000001"}, november))
	for _, metric := range []experiment.Metric{
		experiment.PostsPublished, experiment.SuccessRate, experiment.HealTime, experiment.Members, experiment.Conversion,
	} {
		p.check(p.Experiments.ReadMetric(ctx, metric, november.AddDate(0, -1, 0), november))
	}
}

func (p paths) readTarget() {
	ctx := p.Context()
	p.check(p.Chaos.TargetState(ctx))
	p.check(p.Chaos.ChaosRun(ctx, "x00000001"))
	for _, f := range []chaos.Filter{{}, {Fault: "crash-api"}, {Verdict: chaos.Healed}, {Fault: "crash-api", Verdict: chaos.Failed}} {
		p.check(p.Chaos.ChaosRuns(ctx, f, 20, 0))
	}
	p.check(p.Chaos.EndedChaosSince(ctx, november.AddDate(0, 0, -30)))
	p.check(p.Chaos.LastChaos(ctx))
	p.check(p.Chaos.ReplaysOf(ctx, "x00000001"))
	p.check(p.Chaos.ChaosParts(ctx, "x00000001"))
	p.check(p.Verifications.ChaosScreenshots(ctx, "x00000001"))
	p.check(p.Chaos.HistoryCheck(ctx, "chaos:chaos-target", "run00000001"))
	p.check(p.Chaos.Incidents(ctx, 20, 0))
	p.check(p.Chaos.OpenIncident(ctx))
	for _, day := range []int{0, -30, -90} {
		p.check(p.Chaos.ChaosDuring(ctx, november.AddDate(0, 0, day-1), november.AddDate(0, 0, day)))
		p.check(p.Chaos.IncidentDuring(ctx, november.AddDate(0, 0, day-1), november.AddDate(0, 0, day)))
	}
	p.check(p.Chaos.RequestChaos(ctx, chaos.Run{ID: "cx", Fault: "crash-api", RequestedBy: chaos.Visitors, PromiseMS: 1, LeaseMS: 1, RequestedAt: november}, asker("somebody")))
	p.check(p.Verifications.Agreements(ctx))
	p.check(p.Verifications.Browser(ctx))
	p.check(p.Verifications.Verifications(ctx, 20, 0))
	_, err := p.Verifications.Verification(ctx, "none")
	require.Equal(p, problem.NotFound, problem.CodeOf(err))
	p.check(p.Verifications.OpenVerification(ctx, "visitor:1"))
	p.check(p.Verifications.LastVerifications(ctx, "https://example.com", 3))
	p.check(p.Verifications.VerificationDays(ctx, "2026-10-20"))
	p.check(p.Verifications.Screenshots(ctx, "none"))
	p.check(p.Verifications.Baselines(ctx, "/", 20, 0))
	p.check(p.Verifications.CurrentBaselines(ctx, "/"))
}

// sweep runs the queries of the dispatcher and of the metrics.
func (p paths) sweep() {
	ctx := p.Context()
	for _, all := range []bool{false, true} {
		p.check(p.Posts.Waiting(ctx, all))
		p.check(p.Emails.WaitingEmails(ctx, all))
		p.check(p.Checkouts.WaitingCheckouts(ctx, all, november))
		p.check(p.RecurringPosts.RecurringPostsToPlan(ctx, all, november))
	}
	p.check(p.Generations.OpenGenerations(ctx))
	p.check(p.Diagnoses.OpenDiagnoses(ctx, november))
	p.check(p.Accounts.OpenXLogins(ctx, november))
	p.check(p.Bot.OpenConnections(ctx, november))
	p.check(p.Bot.OpenKeys(ctx, november))
	p.check(p.Chaos.OpenChaos(ctx))
	p.check(p.Verifications.OpenVerifications(ctx))
	p.check(p.Experiments.OpenExperiments(ctx))
	p.check(p.Deletions.OpenDeletions(ctx))
	p.check(p.Checkouts.OverdueCheckouts(ctx, november))
	p.check(p.Checkouts.SetEventsSearchedUntil(ctx, november))
	p.check(p.Stats.Read(ctx, november))
	p.check(p.Stats.Read(ctx, november))
	p.check(p.Posts.ReserveReadings(ctx, 20, november))
	p.check(p.Posts.CountReconciliationRead(ctx, november))
	p.check(p.Posts.SaveMetrics(ctx, post.Reading{PostID: "p00000000", Checkpoint: post.CheckpointHour}, &post.Metrics{Likes: 1}, november))
}

func (p paths) writePosts() {
	ctx := p.Context()
	connection := storetest.Connection(p.T, p.DB)
	p.check(p.Bot.Connection(ctx))
	p.check(p.Bot.ConnectionTokens(ctx, connection))
	p.check(p.Bot.ProviderKeys(ctx))
	went := create(p.T, p.DB, nil, november)
	p.check(p.Posts.BeginPost(ctx, went.ID, "run"))
	later := november.AddDate(0, 1, 0)
	p.check(p.Posts.ChangePost(ctx, went.ID, post.Change{ScheduledAt: &later}, november))
	p.check(p.Posts.ArmPost(ctx, went.ID, 1, connection, november))
	p.check(p.Posts.ConcludePost(ctx, went.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "7", At: november}, november))
	failed := arm(p.T, p.DB, nil)
	conclude(p.T, p.DB, failed, post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
	queued, err := queue(p.T, p.DB, nil)
	require.NoError(p, err)
	cancelPost(p.T, p.DB, queued)
	p.check(p.Posts.Post(ctx, queued.ID))
	waits := write(p.T, p.DB, email.PostTrouble, "trouble:1", november)
	p.check(p.Emails.BeginEmail(ctx, waits, "run"))
	p.check(p.Emails.Email(ctx, waits))
	endEmail(p.T, p.DB, waits, email.Sent, "")
}

func (p paths) buy() {
	ctx := p.Context()
	c := bought(p.T, p.DB, "buyer@example.com")
	p.check(p.Checkouts.NoteCheckoutRun(ctx, c.ID, "run", november))
	for _, e := range []checkout.Event{{ID: "evt_1", SessionID: *c.SessionID, CheckoutID: c.ID}, {ID: "evt_2", PaymentIntent: *c.PaymentIntent}} {
		e.CreatedAt = november
		p.check(p.Checkouts.NoteEvent(ctx, e, november))
		p.check(p.Checkouts.MarkEventHandled(ctx, e.ID, november))
	}
	another := offered(p.T, p.DB, wish(visitor(p.T, p.DB, "another")), 10, november)
	p.check(p.Checkouts.CloseCheckout(ctx, another.ID, checkout.Expired, "", "", november))
	p.check(p.Checkouts.Receipt(ctx, another.ID))
	p.check(p.ModelCalls.SaveCall(ctx, model.Call{ID: xid.New().String(), CreatedAt: november}))
}

func (p paths) logIn() {
	ctx := p.Context()
	ada, err := p.Accounts.AccountByID(ctx, "a00000001")
	require.NoError(p, err)
	issue(p.T, p.DB, "ada", &ada, right, november)
	require.NoError(p, guess(p.T, p.DB, "ada", right, november))
	p.check(p.Accounts.OpenSession(ctx, account.NewSession{AccountID: ada.ID, Token: account.NewToken(), Provider: account.ByEmail}, november))
	sessions, err := p.Accounts.Sessions(ctx, ada.ID, november)
	require.NoError(p, err)
	p.check(p.Accounts.EndSession(ctx, ada.ID, sessions[0].ID))
	l := sendAway(p.T, p.DB, "browser", "token")
	p.check(comeBack(p.T, p.DB, "browser", "token", "verifier", november))
	p.check(p.Accounts.RequestToken(ctx, l.ID))
	grace, err := p.Accounts.XAccount(ctx, "4243", "grace", november)
	require.NoError(p, err)
	p.check(p.Accounts.EndXLogin(ctx, l.ID, account.LoggedIn, "", &grace.ID))
	p.check(p.Limits.Consume(ctx, account.Limit{Name: "reading", Most: 1, Per: time.Hour, Doing: "tests"}, "ada", november))
}

func (p paths) generate() {
	ctx := p.Context()
	p.check(p.Generations.Leaderboard(ctx))
	a := asked(p.T, p.DB, "gx", nil, "a", "b")
	one, other := a.Candidates[0].ID, a.Candidates[1].ID
	p.check(p.Generations.MoveGeneration(ctx, "gx", "run"))
	p.check(p.Generations.BeginCandidate(ctx, one, "tweet.v1"))
	p.check(p.Generations.WriteCandidate(ctx, one, "so far"))
	p.check(p.Generations.EndCandidate(ctx, one, done("a text"), november))
	p.check(p.Generations.EndCandidate(ctx, other, done("another"), november))
	p.check(p.Generations.Candidate(ctx, one))
	p.check(p.Generations.CandidateForPost(ctx, one, nil))
	p.check(p.Generations.Vote(ctx, generation.Vote{GenerationID: "gx", CandidateID: one, CreatedAt: november}))
	p.check(p.Generations.EndGeneration(ctx, "gx", november))
}
