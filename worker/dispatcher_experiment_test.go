package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/worker"
)

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
