package activities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

// bench is a chaos target that is looked at, and the row of its run.
type bench struct {
	run     chaos.Run
	parts   []chaos.Part
	full    int           // so often nothing can be saved
	took    time.Duration // a probe
	probed  []time.Time
	failing func(n int) target.Failing
}

func (b *bench) Probe(ctx context.Context) target.Sample {
	b.probed = append(b.probed, time.Now())
	s := target.Sample{At: time.Now(), Took: b.took}
	if b.failing != nil {
		s.Failing = b.failing(len(b.probed))
	}
	select {
	case <-time.After(b.took):
	case <-ctx.Done():
		s.Failing = target.Failed(target.CheckSupervisor)
	}
	return s
}

func (b *bench) SaveProbes(_ context.Context, p chaos.Part) error {
	if b.full > 0 {
		b.full--
		return errors.New("the disk is full")
	}
	b.parts = append(b.parts, p)
	return nil
}

func (b *bench) ChaosRun(context.Context, string) (chaos.Run, error)               { return b.run, nil }
func (b *bench) ChaosParts(context.Context, string) ([]chaos.Part, error)          { return b.parts, nil }
func (b *bench) Cell(context.Context) (heal.TargetState, error)                    { return heal.TargetState{}, nil }
func (b *bench) LeaseChaos(context.Context, string, time.Time) error               { return nil }
func (b *bench) EndLease(context.Context, string) error                            { return nil }
func (b *bench) InjectedChaos(context.Context, string, time.Time, time.Time) error { return nil }

func (b *bench) BeginChaos(context.Context, string, string, string) (chaos.Run, error) {
	return b.run, nil
}

func (b *bench) EndChaos(context.Context, string, chaos.Outcome, time.Time) (chaos.Run, error) {
	return b.run, nil
}

func (b *bench) Break(context.Context, string, target.Break) (target.Broken, error) {
	return target.Broken{}, errors.New("nobody asked for that")
}

// onBench looks at a run whose fault came just now and whose lease lasts five seconds.
func onBench(t *testing.T, given func(b *bench), check func(t *testing.T, b *bench, err error)) {
	synctest.Test(t, func(t *testing.T) {
		injected := time.Now()
		until := injected.Add(5 * time.Second)
		b := &bench{run: chaos.Run{ID: "c", Stage: chaos.Watching, InjectedAt: &injected, LeaseUntil: &until}, took: time.Millisecond}
		stopping := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stopping) })
		given(b)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.SetWorkerStopChannel(stopping)
		acts := &Chaos{Store: b, Cell: b, Now: time.Now}
		env.RegisterActivity(acts)
		_, err := env.ExecuteActivity(acts.WatchCell, ChaosRef{ChaosID: "c"})
		check(t, b, err)
		<-time.After(2 * time.Minute)
	})
}

func stored(t *testing.T, b *bench) []target.Sample {
	samples := must(chaos.Samples(b.parts))
	return samples
}

func TestWatchStoresEveryProbe(t *testing.T) {
	t.Parallel()
	sick := func(int) target.Failing { return target.Failed(target.CheckHome) }
	for name, given := range map[string]func(b *bench){
		"until the lease is over by two seconds": func(b *bench) { b.failing = sick },
		"even when some could not be saved":      func(b *bench) { b.failing, b.full = sick, 10 },
		"even when the last could not be saved":  func(b *bench) { b.failing, b.full = sick, 40 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBench(t, given, func(t *testing.T, b *bench, err error) {
				require.NoError(t, err)
				samples := stored(t, b)
				require.Len(t, samples, len(b.probed))
				require.GreaterOrEqual(t, samples[len(samples)-1].At.Sub(*b.run.LeaseUntil), 2*time.Second-target.ProbeEvery)
				for i := range b.probed[1:] {
					require.Equal(t, target.ProbeEvery, b.probed[i+1].Sub(b.probed[i]))
				}
			})
		})
	}
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given  func(b *bench)
		probes int
	}{
		"when it was well four times in a row": {func(b *bench) {
			b.failing = func(n int) target.Failing { return target.Failing(max(0, 4-n)) }
		}, 7},
		"when somebody else has ended the run": {func(b *bench) { b.run.Stage = chaos.Ended }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBench(t, tt.given, func(t *testing.T, b *bench, err error) {
				require.NoError(t, err)
				require.Len(t, stored(t, b), tt.probes)
			})
		})
	}
}

// What was seen is stored, and another worker goes on: soon after this one was asked to stop.
func TestWatchLeavesAfterItsWorker(t *testing.T) {
	t.Parallel()
	onBench(t, func(b *bench) {
		later := time.Now().Add(time.Hour)
		b.run.InjectedAt, b.run.LeaseUntil = nil, &later
	}, func(t *testing.T, b *bench, err error) {
		require.ErrorContains(t, err, "another one goes on")
		require.Len(t, stored(t, b), len(b.probed))
		require.InDelta(t, 240+24, len(b.probed), 2)
	})
}

// A fault that is being healed is seen through.
func TestWatchSeesAFaultThrough(t *testing.T) {
	t.Parallel()
	onBench(t, func(b *bench) {
		injected := time.Now().Add(59 * time.Second)
		later := injected.Add(time.Minute)
		b.run.InjectedAt, b.run.LeaseUntil = &injected, &later
		b.failing = func(n int) target.Failing {
			if n >= 238 && n < 250 {
				return target.Failed(target.CheckHome)
			}
			return 0
		}
	}, func(t *testing.T, b *bench, err error) {
		require.NoError(t, err)
		require.Len(t, stored(t, b), len(b.probed))
	})
}

// A probe that takes long is followed by the next at once, never by two.
func TestSlowProbesAreNotMadeUpFor(t *testing.T) {
	t.Parallel()
	onBench(t, func(b *bench) {
		b.took = 600 * time.Millisecond
		b.failing = func(int) target.Failing { return 1 }
	}, func(t *testing.T, b *bench, err error) {
		require.NoError(t, err)
		for i := range b.probed[1:] {
			require.Equal(t, b.took, b.probed[i+1].Sub(b.probed[i]))
		}
	})
}

// A worker that is lost takes at most what was alike for two seconds: that the chaos target broke, and
// that it was well again, is stored at once.
func TestWatchStoresATurnAtOnce(t *testing.T) {
	t.Parallel()
	onBench(t, func(b *bench) {
		b.failing = func(n int) target.Failing {
			if n == 3 {
				return target.Failed(target.CheckHome)
			}
			return 0
		}
	}, func(t *testing.T, b *bench, err error) {
		require.NoError(t, err)
		var lasts []int
		for _, p := range b.parts {
			samples := must(chaos.Samples([]chaos.Part{p}))
			lasts = append(lasts, int(samples[len(samples)-1].At.Sub(b.probed[0])/target.ProbeEvery))
		}
		require.Equal(t, []int{0, 2, 3, 6}, lasts, "the first, the broken one, the well one, the rest")
	})
}

func TestCellIsBrokenOnlyWhenItIsWell(t *testing.T) {
	t.Parallel()
	sick := target.Failed(target.CheckHome)
	for name, tt := range map[string]struct {
		failing func(n int) target.Failing
		probes  int
		unfit   string
	}{
		"it is well":             {func(int) target.Failing { return 0 }, 3, ""},
		"it is back in a moment": {func(n int) target.Failing { return map[int]target.Failing{2: sick, 3: sick}[n] }, 6, ""},
		"it stays sick": {
			func(int) target.Failing { return sick }, 13, "The cell was not well before the start. These failed their checks: the page /.",
		},
		"it comes and goes": {
			func(n int) target.Failing { return map[int]target.Failing{0: sick}[n%2] }, 14,
			"The cell was not well before the start. These failed their checks: the page /.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &bench{failing: tt.failing}
				var suite testsuite.WorkflowTestSuite
				env := suite.NewTestActivityEnvironment()
				acts := &Chaos{Store: b, Cell: b, Now: time.Now}
				env.RegisterActivity(acts)
				value := must(env.ExecuteActivity(acts.CheckCell, ChaosRef{ChaosID: "c"}))
				var result CheckCellResult
				require.NoError(t, value.Get(&result))
				require.Equal(t, tt.unfit, result.Unfit)
				require.Len(t, stored(t, b), tt.probes, "every probe is kept")
			})
		})
	}
}
