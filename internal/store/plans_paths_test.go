package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/postingtimes"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/store"
	"customerzero/proof/bench/seed"
)

// seldom are the methods that nobody waits for often, by the reason.
var seldom = map[string][]string{
	"no statement of its own": {"Close", "Ping", "UseKeys", "Keys", "UseConnections", "PoolStats", "Renew", "Settle"},
	"once at the start, some times a day, or by hand": {
		"Migrate", "CheckSchema", "CheckLoad", "CheckKeys", "CheckDurable", "KeyUses", "RotateKeys", "Load", "Snapshot", "SeedConnection", "SeedKeys", "Tidy",
	},
	"a founder's order, by its ID": {
		"AddMember", "ApproveLook", "Connect", "ConnectionByID", "ProposeConnection", "RefuseConnection", "Disconnect", "ProposeKeys",
		"ReplaceKeys", "RefuseKeys", "RollBackKeys", "DropKeys", "KeysByID", "KeysOf", "PreviousKeys", "SetMemberStatus", "SetBrakes",
		"SetChaosSwitch", "ReviewPost", "ReviveLetter", "EditExperiment", "MoveExperiment", "RegisterMetric", "WriteNote", "DeleteNote",
		"RenameMember", "SaveManifest", "RefundCheckout",
	},
	"once in the life of a member": {
		"RequestDeparture", "BeginDeparture", "EraseMember", "DepartingPosts", "DepartingSeries", "Departure", "GivenUpOf",
		"CompleteOnboarding", "SaveOnboarding", "RedeemClaim", "RedeemAddress", "SetNotices", "EndSessions", "ForgetVisitor",
	},
	"once in the life of an experiment": {"BeginExperiment", "SettleExperiment", "CloseVotes", "SubmitExperiment", "ExperimentRow"},
	"by its ID, while the cell or a page is looked at": {
		"BeginVerification", "MoveVerification", "CommentVerification", "EndVerification", "SaveShot", "CompareShot", "RequestVerification",
		"ForgetVerifications", "PicturesInUse", "SaveCellShot", "NoteBrowser", "BeginIncident", "NoteIncident", "RaiseAlarm", "EndIncident",
		"SawCell", "SaveProbes", "BeginChaos", "LeaseChaos", "InjectedChaos", "EndChaos", "SaveHistoryCheck", "EachChaosRun", "BaselinesNamed",
	},
	"by its ID": {"CancelPost", "RestorePost", "DoubtPost", "ReopenPost", "ClosePost", "FindPost", "DelayPost", "EndSeries", "ChangeSeries"},
}

// paths uses a store in a world that is old.
type paths struct {
	*testing.T
	*store.Store
}

// look must not fail.
func (p paths) look(results ...any) {
	p.Helper()
	last := results[len(results)-1]
	if err, failed := last.(error); failed {
		require.NoError(p, err)
	}
}

func useAll(t *testing.T, s *store.Store) {
	t.Helper()
	p := paths{t, s}
	p.readPosts()
	p.readPlans()
	p.readMoney()
	p.readPeople()
	p.readLab()
	p.readCell()
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
			{Reviews: []post.Review{post.ReviewAsked, post.ReviewSuggested}},
			{Reviews: []post.Review{post.ReviewRejected}},
			{Statuses: statuses[:3]},
			{Statuses: statuses[1:3]},
			{Statuses: statuses[3:]},
			{Statuses: statuses},
		} {
			f.Viewer, f.Limit = viewer, 20
			p.look(p.Posts(ctx, f))
		}
		for _, status := range statuses {
			p.look(p.Posts(ctx, post.Filter{Statuses: []post.Status{status}, Viewer: viewer, Limit: 100}))
		}
		p.look(p.CountSeenBy(ctx, viewer))
		p.look(p.PostsBetween(ctx, november.AddDate(0, -1, 0), november.AddDate(0, 1, 0), viewer, 1000))
		p.look(p.ToCompare(ctx, november.AddDate(0, -1, 0), viewer))
	}
	p.look(p.PublishedPosts(ctx, 20, 0))
	p.look(p.PublishedPosts(ctx, 100, 500))
	p.look(p.SponsoredPublished(ctx))
	p.look(p.CountByStatus(ctx))
	p.look(p.ListedPost(ctx, "p00000000"))
	p.look(p.Attempts(ctx, "p00000000"))
	p.look(p.MonthUsage(ctx, month))
	p.look(p.ReadUsage(ctx, month))
	p.look(p.SuccessSince(ctx, november.AddDate(0, 0, -30)))
	p.look(p.LastAttempt(ctx))
	p.look(p.ClaimedTweets(ctx, []string{"100000001", "7"}))
	p.look(p.RecentlyPublished(ctx, "a text", november.AddDate(0, 0, -30)))
	p.look(p.TextOpen(ctx, "a text"))
	p.look(p.TextOpenBeside(ctx, "a text", "p00000000"))
}

func (p paths) readPlans() {
	ctx := p.Context()
	founders, member := "", "m00000001"
	for _, holder := range []*string{nil, &founders, &member} {
		p.look(p.Budget(ctx, month, holder))
	}
	for _, holder := range []string{founders, member} {
		p.look(p.Timetable(ctx, holder))
		p.look(p.TakenTimes(ctx, holder, "", november))
	}
	p.look(p.Brakes(ctx))
	p.look(p.Overdue(ctx, november))
	p.look(p.ToReview(ctx))
	p.look(p.DuePosts(ctx, november))
	p.look(p.AllSeries(ctx, 20, 0))
	p.look(p.ListedSeries(ctx, "r00000001"))
	p.look(p.Turns(ctx, "r00000001", 20))
	p.look(p.PlannedTimes(ctx, november, november.AddDate(0, 1, 0), november))
	made, _, err := p.CreateSeries(ctx, recurring.Series{
		ID: xid.New().String(), Texts: []string{"Good morning, {date}."}, Weekly: []localtime.Time{{Weekday: 1, Minute: 540}}, Timezone: "UTC",
	}, november)
	require.NoError(p, err)
	p.look(p.PlanSeries(ctx, made.ID, november.Add(time.Hour)))
	p.look(p.SaveTimetable(ctx, postingtimes.Usual(member), november))
}

func (p paths) readMoney() {
	ctx := p.Context()
	p.look(p.Treasury(ctx, november))
	p.look(p.Checkouts(ctx, checkout.Filter{Limit: 20}))
	p.look(p.Checkouts(ctx, checkout.Filter{Paid: true, Limit: 20, Offset: 40}))
	p.look(p.Visitor(ctx, "v00000001"))
	p.look(p.Call(ctx, "c00000001"))
	p.look(p.LookedUntil(ctx))
}

func (p paths) readPeople() {
	ctx := p.Context()
	p.look(p.Members(ctx, month))
	p.look(p.Account(ctx, "m00000001", month))
	p.look(p.MemberNamed(ctx, "member00000001"))
	p.look(p.CreditBook(ctx, "m00000001"))
	p.look(p.CreditEntries(ctx, "m00000001", 20, 0))
	p.look(p.Onboarding(ctx, "m00000001", onboarding.Tour))
	p.look(p.AccountByEmail(ctx, "member00000001@example.com"))
	p.look(p.AccountByName(ctx, "member00000001"))
	p.look(p.Login(ctx, seed.FounderToken, november))
	p.look(p.Sessions(ctx, "a00000001", november))
	p.look(p.ExportAccount(ctx, "a00000001", november))
	p.look(p.AuditEntries(ctx, 20, 40))
	noted := audit.Entry{At: november, Actor: "@founder_one", Action: audit.AddMember, Outcome: audit.Done}
	p.look(p.Audit(ctx, noted))
	p.look(p.Audited(ctx, func(context.Context) ([]audit.Entry, error) { return []audit.Entry{noted}, nil }))
	p.look(p.DeadLetters(ctx, 100))
	p.look(p.ClientErrors(ctx, "", 50))
	p.look(p.ClientErrors(ctx, "e00000001", 50))
	p.look(p.SaveClientError(ctx, problem.ClientError{ID: xid.New().String(), Path: "/", Message: "broke", CreatedAt: november}))
	p.look(p.Diagnosis(ctx, "d00000001"))
	p.look(p.LatestDiagnosis(ctx, "v00000000", november.AddDate(-1, 0, 0)))
	p.look(p.BeginDiagnosis(ctx, diagnostic.Run{ID: "dx", Visitor: "somebody", CreatedAt: november}))
	p.look(p.SaveFinding(ctx, "dx", diagnostic.Found{Finding: diagnostic.Finding{Step: "env"}}, november))
	p.look(p.MoveDiagnosis(ctx, "dx", "run", &november))
}

func (p paths) readLab() {
	ctx := p.Context()
	for _, order := range []experiment.Order{experiment.Newest, experiment.MostUp, experiment.Furthest, experiment.Latest} {
		p.look(p.Experiments(ctx, experiment.Query{Order: order, Limit: 20}))
	}
	p.look(p.Experiments(ctx, experiment.Query{Text: "know", Status: experiment.Declined, Limit: 20}))
	p.look(p.ExperimentTotals(ctx))
	p.look(p.Experiment(ctx, "100"))
	p.look(p.ExperimentNamed(ctx, "100"))
	p.look(p.Experiment(ctx, "experiment-00000001"))
	p.look(p.LabNotes(ctx, "lab00000001"))
	p.look(p.VotesOf(ctx, "m00000001"))
	p.look(p.CastVote(ctx, "lab00000001", "m00000001", 1, november))
	p.look(p.WithdrawVote(ctx, "lab00000001", "m00000001", november))
	for _, metric := range []experiment.Metric{
		experiment.PostsPublished, experiment.SuccessRate, experiment.HealTime, experiment.Members, experiment.Conversion,
	} {
		p.look(p.ReadMetric(ctx, metric, november.AddDate(0, -1, 0), november))
	}
}

func (p paths) readCell() {
	ctx := p.Context()
	p.look(p.Cell(ctx))
	p.look(p.ChaosRun(ctx, "x00000001"))
	for _, f := range []chaos.Filter{{}, {Fault: "crash-api"}, {Verdict: chaos.Healed}, {Fault: "crash-api", Verdict: chaos.Failed}} {
		p.look(p.ChaosRuns(ctx, f, 20, 0))
	}
	p.look(p.EndedChaosSince(ctx, november.AddDate(0, 0, -30)))
	p.look(p.LastChaos(ctx))
	p.look(p.ReplaysOf(ctx, "x00000001"))
	p.look(p.ChaosParts(ctx, "x00000001"))
	p.look(p.CellShots(ctx, "x00000001"))
	p.look(p.HistoryCheck(ctx, "chaos:cell", "run00000001"))
	p.look(p.Incidents(ctx, 20, 0))
	p.look(p.OpenIncident(ctx))
	for _, day := range []int{0, -30, -90} {
		p.look(p.ChaosDuring(ctx, november.AddDate(0, 0, day-1), november.AddDate(0, 0, day)))
		p.look(p.IncidentDuring(ctx, november.AddDate(0, 0, day-1), november.AddDate(0, 0, day)))
	}
	p.look(p.RequestChaos(ctx, chaos.Run{ID: "cx", Fault: "crash-api", RequestedBy: chaos.Visitors, PromiseMS: 1, LeaseMS: 1, RequestedAt: november}, "somebody"))
	p.look(p.Agreements(ctx))
	p.look(p.Browser(ctx))
	p.look(p.Verifications(ctx, 20, 0))
	_, err := p.Verification(ctx, "none")
	require.Equal(p, problem.NotFound, problem.CodeOf(err))
	p.look(p.OpenVerification(ctx, "visitor:1"))
	p.look(p.LastVerifications(ctx, "https://example.com", 3))
	p.look(p.VerificationDays(ctx, "2026-10-20"))
	p.look(p.Shots(ctx, "none"))
	p.look(p.Baselines(ctx, "/", 20, 0))
	p.look(p.CurrentBaselines(ctx, "/"))
}

// sweep asks what is asked every second, and by whoever watches.
func (p paths) sweep() {
	ctx := p.Context()
	for _, all := range []bool{false, true} {
		p.look(p.Waiting(ctx, all))
		p.look(p.WaitingLetters(ctx, all))
		p.look(p.WaitingCheckouts(ctx, all, november))
		p.look(p.SeriesToKeep(ctx, all, november))
	}
	p.look(p.OpenChaos(ctx))
	p.look(p.OpenVerifications(ctx))
	p.look(p.OpenExperiments(ctx))
	p.look(p.OpenDepartures(ctx))
	p.look(p.OverdueCheckouts(ctx, november))
	p.look(p.SetLookedUntil(ctx, november))
	p.look(p.Gauges(ctx, november))
	p.look(p.Gauges(ctx, november))
	p.look(p.ReserveReadings(ctx, 20, november))
	p.look(p.CountSafetyRead(ctx, november))
	p.look(p.SaveMetrics(ctx, post.Reading{PostID: "p00000000", Checkpoint: post.CheckpointHour}, &post.Metrics{Likes: 1}, november))
}
