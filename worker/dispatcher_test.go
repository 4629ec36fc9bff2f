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

// fake is a database with the rows that wait for a run, and a Temporal that notes what it is told.
// The lists that begin with "new" are of rows whose run has not begun.
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

	down      error  // what everything answers
	refuses   string // what Temporal does not take
	schedules int    // how often it does not take the schedules
	bare      bool   // there is no chaos target

	told                 []string
	askedForAll          []bool // of the posts
	healed, kept, tidied int
}

func (f *fake) tell(what, id string) error {
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
	return "run", f.tell("post", p.ID)
}
func (f *fake) SendEmail(_ context.Context, id string) error     { return f.tell("letter", id) }
func (f *fake) StartCheckout(_ context.Context, id string) error { return f.tell("checkout", id) }
func (f *fake) ScheduleRecurringPost(_ context.Context, r schedule.RecurringPost) error {
	return f.tell("keep", r.ID)
}
func (f *fake) PlanRecurringPost(_ context.Context, id string) error { return f.tell("plan", id) }
func (f *fake) StartChaos(_ context.Context, id string) (string, error) {
	return "run", f.tell("chaos", id)
}
func (f *fake) StopChaos(context.Context) error               { return f.tell("stop", "chaos") }
func (f *fake) SweepChaos(_ context.Context, id string) error { return f.tell("sweep", id) }
func (f *fake) StartSelfHeal(context.Context) error           { f.healed++; return f.down }
func (f *fake) StartVerification(_ context.Context, id string) (string, error) {
	return "run", f.tell("verify", id)
}
func (f *fake) StartExperiment(_ context.Context, id string) error  { return f.tell("carry", id) }
func (f *fake) NotifyExperiment(_ context.Context, id string) error { return f.tell("notify", id) }
func (f *fake) StartAccountDeletion(_ context.Context, id string) (string, error) {
	return "run", f.tell("depart", id)
}

func (f *fake) ChaosOpen(context.Context, string) (bool, error) { return !f.chaosLost, f.down }

// dispatch lets the dispatcher work for a while; zero is its first sweep.
func (f *fake) dispatch(t *testing.T, lasts, every time.Duration) {
	d := worker.Dispatcher{
		Store: f, Posts: f, Checkouts: f, Emails: f, RecurringPost: f, Verifications: f, Experiments: f, AccountDeletions: f, Runs: f, Every: every,
	}
	if !f.bare {
		d.Chaos = f
	}
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(lasts, time.Millisecond))
	defer cancel()
	d.Run(ctx) // returns with its context
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
	const two, three = 2*time.Second - time.Millisecond, 3*time.Second - time.Millisecond // so many sweeps
	for name, c := range map[string]struct {
		given fake
		lasts time.Duration // zero: the first sweep
		told  []string
	}{
		"posts: every open one first, then those not begun": {
			fake{posts: []post.Post{{ID: "1"}, {ID: "2"}}, newPosts: []post.Post{{ID: "3"}}, bare: true},
			three,
			[]string{"post 1", "post 2", "post 3", "post 3"},
		},
		"posts: a refusal stops the sweep, the next begins again": {
			fake{posts: []post.Post{{ID: "1"}, {ID: "2"}}, newPosts: []post.Post{{ID: "1"}, {ID: "2"}}, refuses: "post 1"},
			two,
			[]string{"post 1", "post 1"},
		},
		"e-mails: every waiting one first, then those not begun": {
			fake{emails: []email.Message{{ID: "a"}, {ID: "b"}}, newEmails: []email.Message{{ID: "b"}}},
			two,
			[]string{"letter a", "letter b", "letter b"},
		},
		"checkouts: one not begun is left alone for 15 seconds": {
			fake{checkouts: []checkout.Checkout{{ID: "open"}}, newCheckouts: []checkout.Checkout{{ID: "new", CreatedAt: ago(14 * time.Second)}}},
			two,
			[]string{"checkout open", "checkout new"},
		},
		"series: their schedules are kept, those due are planned": {
			fake{series: []schedule.RecurringPost{
				{ID: "ahead", State: schedule.Active, PlannedUntil: ago(-time.Hour)}, due, {ID: "paused", State: schedule.Paused, PlannedUntil: ago(time.Hour)},
			}, dueRecurring: []schedule.RecurringPost{due}},
			two,
			[]string{"keep ahead", "keep due", "plan due", "keep paused", "keep due", "plan due"},
		},
		"chaos: just requested, others start it": {given: fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(time.Second)}}},
		"chaos: not started by them":             {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(2 * time.Second)}}, 0, []string{"chaos c"}},
		"chaos: requested too long ago":          {fake{chaos: &chaos.Run{ID: "c", RequestedAt: ago(20 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: running":                         {given: fake{chaos: leased(-time.Second)}},
		"chaos: its lease has just ended":        {given: fake{chaos: leased(10 * time.Second)}},
		"chaos: its lease ended long ago":        {fake{chaos: leased(11 * time.Second)}, 0, []string{"sweep c"}},
		"chaos: never leased":                    {fake{chaos: &chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(61 * time.Second)}}, 0, []string{"sweep c"}},
		"chaos: no workflow runs it":             {fake{chaos: leased(-time.Second), chaosLost: true}, 0, []string{"sweep c"}},
		"chaos: switched off, and not stopped":   {fake{chaos: leased(-time.Second), chaosOff: true}, 0, []string{"stop chaos"}},

		"verification: just requested, others start it":    {given: fake{verifications: looked("", 2*time.Second-time.Millisecond)}},
		"verification: not started by them":                {fake{verifications: looked("", 2*time.Second)}, 0, []string{"verify v"}},
		"verification: not started for an hour":            {fake{verifications: looked("", time.Hour)}, 0, []string{"verify v"}},
		"verification: running":                            {given: fake{verifications: looked("r", 2*time.Second)}},
		"verification: running for long":                   {given: fake{verifications: looked("r", 3*time.Minute-time.Millisecond)}},
		"verification: left behind by a run that was lost": {fake{verifications: looked("r", 3*time.Minute)}, 0, []string{"verify v"}},
		"verification: a refusal stops the sweep": {
			fake{verifications: append(looked("", time.Minute), looked("", time.Minute)...), refuses: "verify v"}, 0, []string{"verify v"},
		},

		"experiment: every open one at the start": {
			fake{experiments: []experiment.Experiment{{ID: "new"}, {ID: "old", RunID: "r"}, ended}},
			0,
			[]string{"carry new", "carry old", "carry ended", "notify ended"},
		},
		"experiment: others start it, for two seconds": {fake{experiments: changed("", 500*time.Millisecond)}, 3500 * time.Millisecond, slices.Repeat([]string{"carry e"}, 3)},
		"experiment: not started by them":              {fake{experiments: changed("", time.Hour)}, 3500 * time.Millisecond, slices.Repeat([]string{"carry e"}, 4)},
		"experiment: it has a run":                     {fake{experiments: changed("r", time.Hour)}, 3500 * time.Millisecond, []string{"carry e"}},
		"experiment: every open one once a minute; one that goes on is not notified": {
			fake{experiments: []experiment.Experiment{{ID: "runs", RunID: "r"}, ended}},
			2*time.Minute + time.Second,
			slices.Repeat([]string{"carry runs", "carry ended", "notify ended"}, 3),
		},
		"experiment: a refusal stops the sweep": {fake{experiments: []experiment.Experiment{ended, {ID: "b"}}, refuses: "carry ended"}, 0, []string{"carry ended"}},

		"departure: every one at the start":         {fake{departures: left("", 0)}, 0, []string{"depart d"}},
		"departure: also one whose run may be lost": {fake{departures: left("r", time.Hour)}, 0, []string{"depart d"}},
		"departure: others start it":                {fake{departures: left("", 0)}, 1500 * time.Millisecond, []string{"depart d"}},
		"departure: not started by them":            {fake{departures: left("", 0)}, 2500 * time.Millisecond, []string{"depart d", "depart d"}},
		"departure: running":                        {fake{departures: left("r", 0)}, 59 * time.Second, []string{"depart d"}},
		"departure: running for a minute":           {fake{departures: left("r", 0)}, 60500 * time.Millisecond, []string{"depart d", "depart d"}},
		"departure: a refusal stops the sweep":      {fake{departures: append(left("", 0), left("", 0)...), refuses: "depart d"}, 0, []string{"depart d"}},
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
