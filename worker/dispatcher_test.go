package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/deletion"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/recurring"
	"customerzero/internal/domain/verification"
	"customerzero/worker"
)

// book is a book of posts that notes how it was asked.
type book struct {
	open, notBegun []post.Post
	err            error
	asked          []bool // for all?
	tidied         int
}

func (b *book) Waiting(_ context.Context, all bool) ([]post.Post, error) {
	b.asked = append(b.asked, all)
	if all {
		return b.open, b.err
	}
	return b.notBegun, b.err
}

func (b *book) Tidy(context.Context, time.Time) error { b.tidied++; return b.err }

// runs is a Temporal that notes what was started, and may refuse.
type runs struct {
	err       error
	started   []string
	scheduled []error // what keeping the schedules answers, one after the other
	keeps     int
}

func (r *runs) KeepSchedules(context.Context) error {
	r.keeps++
	if r.keeps > len(r.scheduled) {
		return nil
	}
	return r.scheduled[r.keeps-1]
}

func (r *runs) StartPost(_ context.Context, p post.Post) (string, error) {
	r.started = append(r.started, p.ID)
	return "run-of-" + p.ID, r.err
}

func (r *runs) SendLetter(_ context.Context, id string) error {
	r.started = append(r.started, "letter "+id)
	return r.err
}

func (r *runs) KeepSeries(_ context.Context, kept recurring.Series) error {
	r.started = append(r.started, "keep "+kept.ID)
	return r.err
}

func (r *runs) PlanSeries(_ context.Context, id string) error {
	r.started = append(r.started, "plan "+id)
	return r.err
}

// shelf is the series whose schedules are looked after, each time it is asked.
type shelf struct{ kept, due []recurring.Series }

func (s shelf) SeriesToKeep(_ context.Context, all bool, _ time.Time) ([]recurring.Series, error) {
	if all {
		return s.kept, nil
	}
	return s.due, nil
}

func TestStarterKeepsSeriesAndPlansThoseThatNobodyPlanned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		ahead := recurring.Series{ID: "ahead", State: recurring.Active, CursorAt: time.Now().Add(time.Hour)}
		due := recurring.Series{ID: "due", State: recurring.Active, CursorAt: time.Now().Add(-15 * time.Second)}
		paused := recurring.Series{ID: "paused", State: recurring.Paused, CursorAt: time.Now().Add(-time.Hour)}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Runs: temporal, Every: time.Second,
			Series: shelf{kept: []recurring.Series{ahead, due, paused}, due: []recurring.Series{due}},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"keep ahead", "keep due", "plan due", "keep paused", "keep due", "plan due"}, temporal.started)
	})
}

func TestStarterKeepsSchedulesUntilTemporalTookThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{scheduled: []error{errors.New("away"), errors.New("still away")}}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: temporal, Every: time.Second,
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 3, temporal.keeps, "twice refused, taken at the third time, and not asked again")
	})
}

// outbox is the e-mails that wait, each time it is asked.
type outbox struct{ open, notBegun []email.Letter }

func (o outbox) WaitingLetters(_ context.Context, all bool) ([]email.Letter, error) {
	if all {
		return o.open, nil
	}
	return o.notBegun, nil
}

func (r *runs) StartCheckout(_ context.Context, id string) error {
	r.started = append(r.started, "checkout "+id)
	return r.err
}

// tillStore is the checkouts that wait, each time it is asked.
type tillStore struct{ open, notBegun []checkout.Checkout }

func (b tillStore) WaitingCheckouts(_ context.Context, all bool, before time.Time) ([]checkout.Checkout, error) {
	var waiting []checkout.Checkout
	for _, c := range b.notBegun {
		if !c.CreatedAt.After(before) {
			waiting = append(waiting, c)
		}
	}
	if all {
		return append(waiting, b.open...), nil
	}
	return waiting, nil
}

func TestStarterStartsCheckoutsThatWereLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		left := checkout.Checkout{ID: "left", CreatedAt: time.Now().Add(-14 * time.Second)} // a second later nobody waits for it
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Letters: outbox{}, Runs: temporal, Every: time.Second,
			Series:    shelf{},
			Checkouts: tillStore{open: []checkout.Checkout{{ID: "open"}}, notBegun: []checkout.Checkout{left}},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"checkout open", "checkout left"}, temporal.started)
	})
}

func TestStarterSendsLettersThatWereLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{open: []email.Letter{{ID: "a"}, {ID: "b"}}, notBegun: []email.Letter{{ID: "b"}}},
			Runs: temporal, Every: time.Second,
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"letter a", "letter b", "letter b"}, temporal.started)
	})
}

func TestStarterTidiesFourTimesADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &book{}
		starter := worker.Dispatcher{Store: db, Posts: db, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{}, Runs: &runs{}, Every: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour-time.Second)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 4, db.tidied)
	})
}

func TestStarter(t *testing.T) {
	t.Parallel()
	one, two, three := post.Post{ID: "1"}, post.Post{ID: "2"}, post.Post{ID: "3"}
	for name, tt := range map[string]struct {
		book    book
		refusal error
		sweeps  int
		asked   []bool
		started []string
	}{
		"looks at every open post first, then at those not begun": {
			book: book{open: []post.Post{one, two}, notBegun: []post.Post{three}}, sweeps: 3,
			asked: []bool{true, false, false}, started: []string{"1", "2", "3", "3"},
		},
		"stops at a refusal, and begins again at the next turn": {
			book: book{open: []post.Post{one, two}, notBegun: []post.Post{one, two}}, refusal: errors.New("no Temporal"), sweeps: 2,
			asked: []bool{true, false}, started: []string{"1", "1"},
		},
		"goes on when the posts cannot be listed": {
			book: book{err: errors.New("no database")}, sweeps: 3,
			asked: []bool{true, false, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				temporal := &runs{err: tt.refusal}
				starter := worker.Dispatcher{Store: &tt.book, Posts: &tt.book, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{}, Runs: temporal, Every: time.Second}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(tt.sweeps)*time.Second-time.Millisecond)
				defer cancel()
				starter.Run(ctx) // returns with its context
				require.Equal(t, tt.asked, tt.book.asked)
				require.Equal(t, tt.started, temporal.started)
			})
		})
	}
}

// cellStore is the chaos run that is open, and the switch.
type cellStore struct {
	open *chaos.Run
	off  bool
	err  error
}

func (b cellStore) OpenChaos(context.Context) (*chaos.Run, error) { return b.open, b.err }
func (b cellStore) Cell(context.Context) (heal.Cell, error)       { return heal.Cell{ChaosOn: !b.off}, nil }

// cellFlows notes what is started.
type cellFlows struct {
	carried bool
	err     error
	told    []string
	healed  int
}

func (f *cellFlows) KeepHealing(context.Context) error { f.healed++; return f.err }

func (f *cellFlows) StartChaos(_ context.Context, id string) (string, error) {
	f.told = append(f.told, "start "+id)
	return "run", f.err
}

func (f *cellFlows) StopChaos(context.Context) error {
	f.told = append(f.told, "stop")
	return f.err
}

func (f *cellFlows) CarriesChaos(context.Context, string) (bool, error) { return f.carried, f.err }

func (f *cellFlows) SweepChaos(_ context.Context, id string) error {
	f.told = append(f.told, "sweep "+id)
	return f.err
}

func cellStarter(rows cellStore, flows *cellFlows) worker.Dispatcher {
	return worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Chaos: rows, Cell: flows, Every: time.Second,
	}
}

func TestStarterLooksAfterTheChaosRunThatIsOpen(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	leased := func(runID string, over time.Duration) chaos.Run {
		until := ago(over)
		return chaos.Run{ID: "c", RunID: runID, RequestedAt: ago(time.Minute), LeaseUntil: &until}
	}
	for name, tt := range map[string]struct {
		open func() chaos.Run // nil: none
		off  bool
		lost bool
		told []string
	}{
		"none":                                   {},
		"just asked for: others begin it":        {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(time.Second)} }},
		"not begun by them":                      {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(2 * time.Second)} }, told: []string{"start c"}},
		"asked for too long ago":                 {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(20 * time.Second)} }, told: []string{"sweep c"}},
		"under way":                              {open: func() chaos.Run { return leased("r", -time.Second) }},
		"its lease was over just now":            {open: func() chaos.Run { return leased("r", 10*time.Second) }},
		"its lease is long over":                 {open: func() chaos.Run { return leased("r", 11*time.Second) }, told: []string{"sweep c"}},
		"never leased":                           {open: func() chaos.Run { return chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(61 * time.Second)} }, told: []string{"sweep c"}},
		"carried by nobody":                      {open: func() chaos.Run { return leased("r", -time.Second) }, lost: true, told: []string{"sweep c"}},
		"switched off, and it was not told then": {open: func() chaos.Run { return leased("r", -time.Second) }, off: true, told: []string{"stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rows, flows := cellStore{off: tt.off}, &cellFlows{carried: !tt.lost}
				if tt.open != nil {
					open := tt.open()
					rows.open = &open
				}
				starter := cellStarter(rows, flows)
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				starter.Run(ctx)
				require.Equal(t, tt.told, flows.told)
			})
		})
	}
}

func TestStarterKeepsTheHealerAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		flows := &cellFlows{err: errors.New("no Temporal")}
		starter := cellStarter(cellStore{err: errors.New("no database")}, flows)
		ctx, cancel := context.WithTimeout(t.Context(), 31*time.Second)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 4, flows.healed, "at once, and every ten seconds")
	})
}

// door is the departures that are open, and notes which are started.
type door struct {
	open    []deletion.Departure
	err     error
	refuses string
	started []string
}

func (d *door) OpenDepartures(context.Context) ([]deletion.Departure, error) { return d.open, d.err }

func (d *door) Depart(_ context.Context, id string) (string, error) {
	d.started = append(d.started, id)
	if id == d.refuses {
		return "", errors.New("no Temporal")
	}
	return "run", nil
}

// watch lets the starter work for a while.
func (d *door) watch(t *testing.T, lasts time.Duration) {
	t.Helper()
	starter := worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Departures: d, DeletionRuns: d, Every: time.Second,
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	starter.Run(ctx)
}

func TestStarterGivesARunToEveryDeparture(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runID   string
		age     time.Duration
		watched time.Duration
		started int
	}{
		"when it starts, to all":               {watched: time.Millisecond, started: 1},
		"also to one whose run may be lost":    {runID: "r", age: time.Hour, watched: time.Millisecond, started: 1},
		"one that others start is left alone":  {watched: 1500 * time.Millisecond, started: 1},
		"not started by them":                  {watched: 2500 * time.Millisecond, started: 2},
		"under way, it is left alone":          {runID: "r", watched: 59 * time.Second, started: 1},
		"under way for a minute, it is called": {runID: "r", watched: 60500 * time.Millisecond, started: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &door{open: []deletion.Departure{{ID: "d", RunID: tt.runID, RequestedAt: time.Now().Add(-tt.age)}}}
				d.watch(t, tt.watched)
				require.Len(t, d.started, tt.started)
			})
		})
	}
}

func TestStarterWaitsWithDeparturesUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &door{open: []deletion.Departure{{ID: "a"}, {ID: "b"}}, refuses: "a"}
		d.watch(t, time.Millisecond)
		require.Equal(t, []string{"a"}, d.started)
		(&door{err: errors.New("no database")}).watch(t, time.Millisecond)
	})
}

// bench is the experiments that are open, and notes what their runs are told.
type bench struct {
	open    []experiment.Experiment
	err     error
	refuses string
	told    []string
}

func (b *bench) OpenExperiments(context.Context) ([]experiment.Experiment, error) {
	return b.open, b.err
}

func (b *bench) CarryExperiment(_ context.Context, id string) error  { return b.note("carry", id) }
func (b *bench) NotifyExperiment(_ context.Context, id string) error { return b.note("heed", id) }

func (b *bench) note(what, id string) error {
	b.told = append(b.told, what+" "+id)
	if id == b.refuses {
		return errors.New("no Temporal")
	}
	return nil
}

// watch lets the starter work for a while.
func (b *bench) watch(t *testing.T, lasts time.Duration) {
	t.Helper()
	starter := worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Experiments: b, ExperimentRuns: b, Every: time.Second,
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	starter.Run(ctx)
}

func TestStarterGivesARunToEveryOpenExperimentWhenItStarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := time.Now()
		b := &bench{open: []experiment.Experiment{{ID: "new"}, {ID: "old", RunID: "r"}, {ID: "ended", RunID: "r", EndedAt: &ended}}}
		b.watch(t, time.Millisecond)
		require.Equal(t, []string{"carry new", "carry old", "carry ended", "heed ended"}, b.told)
	})
}

func TestStarterGivesARunToExperimentsThatNeverHadOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given   experiment.Experiment
		told    []string // by the sweeps of three seconds and a half, after the first
		changed time.Duration
	}{
		"others start it, for two seconds":      {changed: -500 * time.Millisecond, told: []string{"carry e", "carry e"}},
		"nobody started it":                     {changed: -time.Hour, told: []string{"carry e", "carry e", "carry e"}},
		"it has a run, whatever became of that": {given: experiment.Experiment{RunID: "r"}, changed: -time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tt.given.ID, tt.given.UpdatedAt = "e", time.Now().Add(tt.changed)
				b := &bench{open: []experiment.Experiment{tt.given}}
				b.watch(t, 3500*time.Millisecond)
				require.Equal(t, "carry e", b.told[0], "when it starts")
				require.Equal(t, tt.told, append([]string(nil), b.told[1:]...))
			})
		})
	}
}

func TestStarterLooksAfterEveryOpenExperimentOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := time.Now()
		b := &bench{open: []experiment.Experiment{{ID: "runs", RunID: "r"}, {ID: "ended", RunID: "r", EndedAt: &ended}}}
		b.watch(t, 2*time.Minute+time.Second)
		round := []string{"carry runs", "carry ended", "heed ended"} // what goes on is told nothing
		require.Equal(t, append(append(append([]string{}, round...), round...), round...), b.told)
	})
}

func TestStarterWaitsWithExperimentsUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := time.Now()
		b := &bench{open: []experiment.Experiment{{ID: "a", EndedAt: &ended}, {ID: "b"}}, refuses: "a"}
		b.watch(t, time.Millisecond)
		require.Equal(t, []string{"carry a"}, b.told)
		(&bench{err: errors.New("no database")}).watch(t, time.Millisecond)
	})
}

// looks is the verifications that are open, and notes which are started.
type looks struct {
	open    []verification.Run
	err     error
	refuses string
	started []string
}

func (l *looks) OpenVerifications(context.Context) ([]verification.Run, error) { return l.open, l.err }

func (l *looks) Verify(_ context.Context, id string) (string, error) {
	l.started = append(l.started, id)
	if id == l.refuses {
		return "", errors.New("no Temporal")
	}
	return "run", nil
}

func TestStarterLooksAfterVerificationsThatAreOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runID   string
		age     time.Duration
		started bool
	}{
		"just asked for: others start it":      {age: 2*time.Second - time.Millisecond},
		"not started by them":                  {age: 2 * time.Second, started: true},
		"nobody has for long":                  {age: time.Hour, started: true},
		"under way":                            {runID: "r", age: 2 * time.Second},
		"under way for long":                   {runID: "r", age: 3*time.Minute - time.Millisecond},
		"left behind by a run that was killed": {runID: "r", age: 3 * time.Minute, started: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &looks{open: []verification.Run{{ID: "v", RunID: tt.runID, RequestedAt: time.Now().Add(-tt.age)}}}
				sweepOnce(t, l)
				require.Equal(t, tt.started, len(l.started) == 1)
			})
		})
	}
}

func TestStarterWaitsWithVerificationsUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := time.Now().Add(-time.Minute)
		l := &looks{open: []verification.Run{{ID: "a", RequestedAt: long}, {ID: "b", RequestedAt: long}}, refuses: "a"}
		sweepOnce(t, l)
		require.Equal(t, []string{"a"}, l.started)
		sweepOnce(t, &looks{err: errors.New("no database")})
	})
}

func sweepOnce(t *testing.T, l *looks) {
	t.Helper()
	starter := worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Verifications: l, VerificationRuns: l, Every: time.Second,
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	starter.Run(ctx)
}
