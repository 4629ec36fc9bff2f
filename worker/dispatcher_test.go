package worker_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
	"customerzero/worker"
)

// fake is a database with rows that wait for a run, and a Temporal that records its calls. The lists that
// start with "new" are rows without a run.
type fake struct {
	posts, newPosts         []post.Post
	emails, newEmails       []email.Message
	checkouts, newCheckouts []checkout.Checkout
	series, dueRecurring    []schedule.RecurringPost
	chaos                   *chaos.Run
	chaosOff, chaosLost     bool
	verifications           []verification.Run
	experiments             []experiment.Experiment
	departures              []account.Deletion
	generations             []generation.Generation
	diagnoses               []diagnostic.Run
	logins                  []account.XLogin
	connections             []bot.Connection
	keys                    []bot.ProviderKeys

	running          []string // workflow IDs of open runs
	schedules        map[string]bool
	blind            bool // Temporal does not list its runs
	recreated        []map[string]bool
	down             error  // the error of every call
	refuses          string // the call that Temporal refuses
	refusedSchedules int    // how often it refuses the schedules
	bare             bool   // without a chaos target

	told                 []string
	askedForAll          []bool // argument all of each list of posts
	healed, kept, tidied int
}

func (f *fake) record(what, id string) error {
	f.told = append(f.told, what+" "+id)
	if f.refuses == f.told[len(f.told)-1] {
		return errors.New("no Temporal")
	}
	return f.down
}

func either[T any](all bool, every, others []T) []T {
	if all {
		return every
	}
	return others
}

func (f *fake) Waiting(_ context.Context, all bool) ([]post.Post, error) {
	f.askedForAll = append(f.askedForAll, all)
	return either(all, f.posts, f.newPosts), f.down
}

func (f *fake) WaitingEmails(_ context.Context, all bool) ([]email.Message, error) {
	return either(all, f.emails, f.newEmails), f.down
}

func (f *fake) WaitingCheckouts(_ context.Context, all bool, before time.Time) ([]checkout.Checkout, error) {
	waiting := slices.DeleteFunc(slices.Clone(f.newCheckouts), func(c checkout.Checkout) bool { return c.CreatedAt.After(before) })
	return append(waiting, either(all, f.checkouts, nil)...), f.down
}

func (f *fake) RecurringPostsToPlan(_ context.Context, all bool, _ time.Time) ([]schedule.RecurringPost, error) {
	return either(all, f.series, f.dueRecurring), f.down
}

func (f *fake) OpenChaos(context.Context) (*chaos.Run, error) { return f.chaos, f.down }
func (f *fake) TargetState(context.Context) (heal.TargetState, error) {
	return heal.TargetState{ChaosOn: !f.chaosOff}, f.down
}

func (f *fake) OpenVerifications(context.Context) ([]verification.Run, error) {
	return f.verifications, f.down
}

func (f *fake) OpenExperiments(context.Context) ([]experiment.Experiment, error) {
	return f.experiments, f.down
}

func (f *fake) OpenDeletions(context.Context) ([]account.Deletion, error) {
	return f.departures, f.down
}
func (f *fake) Tidy(context.Context, time.Time) error { f.tidied++; return f.down }

func (f *fake) OpenGenerations(context.Context) ([]generation.Generation, error) {
	return f.generations, f.down
}

func (f *fake) OpenDiagnoses(context.Context, time.Time) ([]diagnostic.Run, error) {
	return f.diagnoses, f.down
}

func (f *fake) OpenXLogins(context.Context, time.Time) ([]account.XLogin, error) {
	return f.logins, f.down
}

func (f *fake) OpenConnections(context.Context, time.Time) ([]bot.Connection, error) {
	return f.connections, f.down
}

func (f *fake) OpenKeys(context.Context, time.Time) ([]bot.ProviderKeys, error) {
	return f.keys, f.down
}

func (f *fake) OpenRuns(context.Context, int) (map[string][]workflow.Execution, error) {
	runs := map[string][]workflow.Execution{}
	for _, id := range f.running {
		flow, _, _ := strings.Cut(id, ":")
		runs[flow] = append(runs[flow], workflow.Execution{ID: id})
	}
	if f.blind {
		return nil, errors.New("no visibility")
	}
	return runs, f.down
}

func (f *fake) Schedules(context.Context) (map[string]bool, error) { return f.schedules, f.down }

func (f *fake) EnsureSchedules(_ context.Context, known map[string]bool) error {
	f.kept++
	f.recreated = append(f.recreated, known)
	if f.kept <= f.refusedSchedules {
		return errors.New("away")
	}
	return f.down
}

func (f *fake) StartPost(_ context.Context, p post.Post) (string, error) {
	return "run", f.record("post", p.ID)
}
func (f *fake) SendEmail(_ context.Context, id string) error     { return f.record("email", id) }
func (f *fake) StartCheckout(_ context.Context, id string) error { return f.record("checkout", id) }
func (f *fake) ScheduleRecurringPost(_ context.Context, r schedule.RecurringPost) error {
	return f.record("keep", r.ID)
}
func (f *fake) PlanRecurringPost(_ context.Context, id string) error { return f.record("plan", id) }
func (f *fake) StartChaos(_ context.Context, id string) (string, error) {
	return "run", f.record("chaos", id)
}
func (f *fake) StopChaos(context.Context) error               { return f.record("stop", "chaos") }
func (f *fake) SweepChaos(_ context.Context, id string) error { return f.record("sweep", id) }
func (f *fake) StartSelfHeal(context.Context) error           { f.healed++; return f.down }
func (f *fake) StartVerification(_ context.Context, id string) (string, error) {
	return "run", f.record("verify", id)
}
func (f *fake) StartExperiment(_ context.Context, id string) error  { return f.record("carry", id) }
func (f *fake) NotifyExperiment(_ context.Context, id string) error { return f.record("notify", id) }
func (f *fake) StartAccountDeletion(_ context.Context, id string) (string, error) {
	return "run", f.record("depart", id)
}

func (f *fake) StartGeneration(_ context.Context, id string) (string, error) {
	return "run", f.record("generate", id)
}

func (f *fake) StartDiagnosis(_ context.Context, id string) (string, error) {
	return "run", f.record("diagnose", id)
}
func (f *fake) EndXLogin(_ context.Context, id string) error { return f.record("end login", id) }
func (f *fake) EndConnection(_ context.Context, id string) error {
	return f.record("end connection", id)
}
func (f *fake) EndKeys(_ context.Context, id string) error { return f.record("end keys", id) }

func (f *fake) ChaosOpen(context.Context, string) (bool, error) { return !f.chaosLost, f.down }

// dispatch runs the dispatcher for a while; 0 is its first sweep.
func (f *fake) dispatch(t *testing.T, lasts, every time.Duration) {
	d := worker.Dispatcher{
		Store: f, Posts: f, Checkouts: f, Emails: f, RecurringPost: f, Verifications: f, Experiments: f, AccountDeletions: f, Runs: f, Every: every,
		Generations: f, Diagnoses: f, Logins: f, Credentials: f,
	}
	if !f.bare {
		d.Chaos = f
	}
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(lasts, time.Millisecond))
	defer cancel()
	d.Run(ctx)
}

// start is when time starts in every synctest bubble.
var start = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return start.Add(-d) }

func TestDispatcherStartsRuns(t *testing.T) {
	t.Parallel()
	leased := func(over time.Duration) *chaos.Run {
		return &chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(time.Minute), LeaseUntil: new(ago(over))}
	}
	looked := func(runID string, age time.Duration) []verification.Run {
		return []verification.Run{{ID: "v", RunID: runID, RequestedAt: ago(age)}}
	}
	changed := func(runID string, age time.Duration) []experiment.Experiment {
		return []experiment.Experiment{{ID: "e", RunID: runID, UpdatedAt: ago(age)}}
	}
	left := func(runID string, age time.Duration) []account.Deletion {
		return []account.Deletion{{ID: "d", RunID: runID, RequestedAt: ago(age)}}
	}
	ended := experiment.Experiment{ID: "ended", RunID: "r", EndedAt: &start}
	due := schedule.RecurringPost{ID: "due", State: schedule.Active, PlannedUntil: ago(15 * time.Second)}
	const minute = time.Minute + time.Millisecond                                         // two checks
	const two, three = 2*time.Second - time.Millisecond, 3*time.Second - time.Millisecond // number of sweeps
	for name, c := range map[string]struct {
		given fake
		lasts time.Duration // only the first sweep if 0
		told  []string
	}{
		"posts: every open one first, then those without a run": {
			fake{posts: []post.Post{{ID: "1"}, {ID: "2"}}, newPosts: []post.Post{{ID: "3"}}, bare: true},
			three,
			[]string{"post 1", "post 2", "post 3", "post 3"},
		},
		"posts: a refusal stops the sweep, the next one retries": {
			fake{posts: []post.Post{{ID: "1"}, {ID: "2"}}, newPosts: []post.Post{{ID: "1"}, {ID: "2"}}, refuses: "post 1"},
			two,
			[]string{"post 1", "post 1"},
		},
		"emails: every pending one first, then those without a run": {
			fake{emails: []email.Message{{ID: "a"}, {ID: "b"}}, newEmails: []email.Message{{ID: "b"}}},
			two,
			[]string{"email a", "email b", "email b"},
		},
		"checkouts: one without a run is left alone for 15 seconds": {
			fake{checkouts: []checkout.Checkout{{ID: "open"}}, newCheckouts: []checkout.Checkout{{ID: "new", CreatedAt: ago(14 * time.Second)}}},
			two,
			[]string{"checkout open", "checkout new"},
		},
		"recurring posts: their schedules are kept, due ones are planned": {
			fake{series: []schedule.RecurringPost{
				{ID: "ahead", State: schedule.Active, PlannedUntil: ago(-time.Hour)}, due, {ID: "paused", State: schedule.Paused, PlannedUntil: ago(time.Hour)},
			}, dueRecurring: []schedule.RecurringPost{due}},
			two,
			[]string{"keep ahead", "keep due", "plan due", "keep paused", "keep due", "plan due"},
		},
		"chaos: just requested, the request starts it":           {given: fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(time.Second)}}},
		"chaos: not started by the request":                      {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(2 * time.Second)}}, 0, []string{"chaos c"}},
		"chaos: requested too long ago":                          {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(20 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: running":                                         {given: fake{chaos: leased(-time.Second)}},
		"chaos: its lease has just ended":                        {given: fake{chaos: leased(10 * time.Second)}},
		"chaos: its lease ended long ago":                        {fake{chaos: leased(11 * time.Second)}, 0, []string{"sweep c"}},
		"chaos: never leased":                                    {fake{chaos: &chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(61 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: no workflow runs it":                             {fake{chaos: leased(-time.Second), chaosLost: true}, 0, []string{"sweep c"}},
		"chaos: switched off, and not stopped":                   {fake{chaos: leased(-time.Second), chaosOff: true}, 0, []string{"stop chaos"}},
		"verification: the request starts it within two seconds": {fake{verifications: looked("", 0)}, 1500 * time.Millisecond, []string{"verify v"}},
		"verification: not started by the request":               {fake{verifications: looked("", 2*time.Second)}, 0, []string{"verify v"}},
		"verification: not started for an hour":                  {fake{verifications: looked("", time.Hour)}, 0, []string{"verify v"}},
		"verification: a refusal stops the sweep": {
			fake{verifications: append(looked("", time.Minute), looked("", time.Minute)...), refuses: "verify v"}, 0, []string{"verify v"},
		},

		"experiment: every open one at the start": {
			fake{experiments: []experiment.Experiment{{ID: "new"}, {ID: "old", RunID: "r"}, ended}},
			0,
			[]string{"carry new", "carry old", "carry ended", "notify ended"},
		},
		"experiment: the request starts it within two seconds": {fake{experiments: changed("", 500*time.Millisecond)}, 3500 * time.Millisecond, slices.Repeat([]string{"carry e"}, 3)},
		"experiment: not started by the request":               {fake{experiments: changed("", time.Hour)}, 3500 * time.Millisecond, slices.Repeat([]string{"carry e"}, 4)},
		"experiment: it has a run":                             {fake{experiments: changed("r", time.Hour)}, 3500 * time.Millisecond, []string{"carry e"}},
		"experiment: the run of an ended one is signaled, as the signal may be lost; a running one is not": {
			fake{experiments: []experiment.Experiment{{ID: "runs", RunID: "r"}, ended}, running: []string{"experiment:runs", "experiment:ended"}},
			minute,
			[]string{"carry runs", "carry ended", "notify ended", "carry ended", "notify ended", "carry ended", "notify ended"},
		},
		"experiment: a refusal stops the sweep":            {fake{experiments: []experiment.Experiment{ended, {ID: "b"}}, refuses: "carry ended"}, 0, []string{"carry ended"}},
		"account deletion: every one at the start":         {fake{departures: left("", 0)}, 0, []string{"depart d"}},
		"account deletion: also one whose run may be lost": {fake{departures: left("r", time.Hour)}, 0, []string{"depart d"}},
		"account deletion: the request starts it":          {fake{departures: left("", 0)}, 1500 * time.Millisecond, []string{"depart d"}},
		"account deletion: not started by the request":     {fake{departures: left("", 0)}, 2500 * time.Millisecond, []string{"depart d", "depart d"}},
		"account deletion: a refusal stops the sweep":      {fake{departures: append(left("", 0), left("", 0)...), refuses: "depart d"}, 0, []string{"depart d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.given.dispatch(t, c.lasts, time.Second)
				require.Equal(t, c.told, c.given.told)
			})
		})
	}
}

// TestDispatcherReplacesEndedRuns has every kind of row. An operator may have terminated, cancelled, reset or deleted a
// run: then the run is not open, and its row is.
func TestDispatcherReplacesEndedRuns(t *testing.T) {
	t.Parallel()
	runs := map[string]string{ // by the call that starts another
		"post 1": "post:1", "email 1": "email:1", "checkout 1": "checkout:1", "verify 1": "verification-2000-01-01T00:00:00Z", "carry 1": "experiment:1",
		"depart 1": "account-deletion:1", "generate 1": "generation:1", "diagnose 1": "oauth-diagnosis:1", "end login 1": "x-login:1",
		"end connection 1": "credentials:1", "end keys 1": "provider-keys:1",
	}
	requireChecked := func(t *testing.T, without string, schedules map[string]bool, blind bool, told ...string) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{
				posts: []post.Post{{ID: "1"}}, emails: []email.Message{{ID: "1"}}, checkouts: []checkout.Checkout{{ID: "1"}},
				series:        []schedule.RecurringPost{{ID: "1", State: schedule.Active, PlannedUntil: ago(-time.Hour)}, {ID: "over", State: schedule.Ended}},
				verifications: []verification.Run{{ID: "1", RunID: "r", WorkflowID: runs["verify 1"], RequestedAt: start}},
				experiments:   []experiment.Experiment{{ID: "1", RunID: "r"}}, departures: []account.Deletion{{ID: "1", RunID: "r"}},
				generations: []generation.Generation{{ID: "1"}}, diagnoses: []diagnostic.Run{{ID: "1"}}, logins: []account.XLogin{{ID: "1"}},
				connections: []bot.Connection{{ID: "1"}}, keys: []bot.ProviderKeys{{ID: "1"}}, schedules: schedules, blind: blind,
			}
			for start, id := range runs {
				if start != without {
					f.running = append(f.running, id)
				}
			}
			f.dispatch(t, 31*time.Second, time.Second)
			require.Equal(t, told, f.told[len(runs)+1:], "the first sweep starts all but the scheduled verification, whose run is unknown")
		})
	}
	standing := map[string]bool{"recurring-post:1": true}
	for again := range runs {
		t.Run(again, func(t *testing.T) {
			t.Parallel()
			requireChecked(t, again, standing, false, again)
		})
	}
	for name, c := range map[string]struct {
		schedules map[string]bool
		told      []string
	}{
		"every run is open":                      {standing, []string{}},
		"a schedule was deleted":                 {nil, []string{"keep 1"}},
		"a schedule outlives its recurring post": {map[string]bool{"recurring-post:1": true, "recurring-post:over": true}, []string{"keep over"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireChecked(t, "", c.schedules, false, c.told...)
		})
	}
	t.Run("Temporal does not list its runs", func(t *testing.T) {
		t.Parallel()
		requireChecked(t, "", nil, true, []string{}...)
	})
}

func TestDispatcherSurvivesOutages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{down: errors.New("no database, no Temporal")}
		f.dispatch(t, 31*time.Second+time.Millisecond, time.Second)
		require.Equal(t, append([]bool{true}, make([]bool, 31)...), f.askedForAll, "every post once")
		require.Equal(t, 32, f.kept)
		require.Equal(t, 4, f.healed, "the healer is kept alive at once, and every ten seconds")
		require.Empty(t, f.told)
	})
}

func TestDispatcherRetriesSchedules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{refusedSchedules: 2, schedules: map[string]bool{"engagement": true}}
		f.dispatch(t, 31*time.Second, time.Second)
		require.Equal(t, 4, f.kept, "twice refused, taken at the third time, and checked after half a minute")
		require.Equal(t, []map[string]bool{nil, nil, nil, {"engagement": true}}, f.recreated, "those that exist are left alone")
	})
}

func TestDispatcherTidiesFourTimesADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		f.dispatch(t, 24*time.Hour-time.Second, time.Hour)
		require.Equal(t, 4, f.tidied)
	})
}
