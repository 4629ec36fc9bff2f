package worker_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
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

	down      error  // the error of every call
	refuses   string // the call that Temporal refuses
	schedules int    // how often it refuses the schedules
	bare      bool   // without a chaos target

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

func (f *fake) EnsureSchedules(context.Context) error {
	f.kept++
	if f.kept <= f.schedules {
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

func (f *fake) ChaosOpen(context.Context, string) (bool, error) { return !f.chaosLost, f.down }

// dispatch runs the dispatcher for a while; 0 is its first sweep.
func (f *fake) dispatch(t *testing.T, lasts, every time.Duration) {
	d := worker.Dispatcher{
		Store: f, Posts: f, Checkouts: f, Emails: f, RecurringPost: f, Verifications: f, Experiments: f, AccountDeletions: f, Runs: f, Every: every,
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
		"chaos: just requested, the request starts it":        {given: fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(time.Second)}}},
		"chaos: not started by the request":                   {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(2 * time.Second)}}, 0, []string{"chaos c"}},
		"chaos: requested too long ago":                       {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(20 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: running":                                      {given: fake{chaos: leased(-time.Second)}},
		"chaos: its lease has just ended":                     {given: fake{chaos: leased(10 * time.Second)}},
		"chaos: its lease ended long ago":                     {fake{chaos: leased(11 * time.Second)}, 0, []string{"sweep c"}},
		"chaos: never leased":                                 {fake{chaos: &chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(61 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: no workflow runs it":                          {fake{chaos: leased(-time.Second), chaosLost: true}, 0, []string{"sweep c"}},
		"chaos: switched off, and not stopped":                {fake{chaos: leased(-time.Second), chaosOff: true}, 0, []string{"stop chaos"}},
		"verification: just requested, the request starts it": {given: fake{verifications: looked("", 2*time.Second-time.Millisecond)}},
		"verification: not started by the request":            {fake{verifications: looked("", 2*time.Second)}, 0, []string{"verify v"}},
		"verification: not started for an hour":               {fake{verifications: looked("", time.Hour)}, 0, []string{"verify v"}},
		"verification: running":                               {given: fake{verifications: looked("r", 2*time.Second)}},
		"verification: running for long":                      {given: fake{verifications: looked("r", 3*time.Minute-time.Millisecond)}},
		"verification: its run was lost":                      {fake{verifications: looked("r", 3*time.Minute)}, 0, []string{"verify v"}},
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
		"experiment: every open one once a minute; a running one is not signaled": {
			fake{experiments: []experiment.Experiment{{ID: "runs", RunID: "r"}, ended}},
			2*time.Minute + time.Second,
			slices.Repeat([]string{"carry runs", "carry ended", "notify ended"}, 3),
		},
		"experiment: a refusal stops the sweep":            {fake{experiments: []experiment.Experiment{ended, {ID: "b"}}, refuses: "carry ended"}, 0, []string{"carry ended"}},
		"account deletion: every one at the start":         {fake{departures: left("", 0)}, 0, []string{"depart d"}},
		"account deletion: also one whose run may be lost": {fake{departures: left("r", time.Hour)}, 0, []string{"depart d"}},
		"account deletion: the request starts it":          {fake{departures: left("", 0)}, 1500 * time.Millisecond, []string{"depart d"}},
		"account deletion: not started by the request":     {fake{departures: left("", 0)}, 2500 * time.Millisecond, []string{"depart d", "depart d"}},
		"account deletion: running":                        {fake{departures: left("r", 0)}, 59 * time.Second, []string{"depart d"}},
		"account deletion: running for a minute":           {fake{departures: left("r", 0)}, 60500 * time.Millisecond, []string{"depart d", "depart d"}},
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
		f := &fake{schedules: 2}
		f.dispatch(t, time.Minute, time.Second)
		require.Equal(t, 3, f.kept, "twice refused, taken at the third time, and not set up again")
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
