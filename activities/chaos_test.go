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
	"customerzero/internal/domain/target"
)

// watchWorld is a chaos target under watch and the row of its run.
type watchWorld struct {
	ChaosStore // other methods are not called
	TargetClient
	run     chaos.Run
	parts   []chaos.Part
	full    int           // how many saves fail
	took    time.Duration // duration of a probe
	probed  []time.Time
	failing func(n int) target.Failing
}

func (b *watchWorld) Probe(ctx context.Context) target.Sample {
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

func (b *watchWorld) SaveProbes(_ context.Context, p chaos.Part) error {
	if b.full > 0 {
		b.full--
		return errors.New("the disk is full")
	}
	b.parts = append(b.parts, p)
	return nil
}

func (b *watchWorld) ChaosRun(context.Context, string) (chaos.Run, error)      { return b.run, nil }
func (b *watchWorld) ChaosParts(context.Context, string) ([]chaos.Part, error) { return b.parts, nil }

// inWatchWorld watches a run whose fault was just injected, with a lease of 5 s.
func inWatchWorld(t *testing.T, given func(b *watchWorld), check func(t *testing.T, b *watchWorld, err error)) {
	synctest.Test(t, func(t *testing.T) {
		injected := time.Now()
		until := injected.Add(5 * time.Second)
		b := &watchWorld{run: chaos.Run{ID: "c", Stage: chaos.Watching, InjectedAt: &injected, LeaseUntil: &until}, took: time.Millisecond}
		stopping := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stopping) })
		given(b)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.SetWorkerStopChannel(stopping)
		acts := &Chaos{Store: b, Target: b, Now: time.Now}
		env.RegisterActivity(acts)
		_, err := env.ExecuteActivity(acts.WatchTarget, ChaosRef{ChaosID: "c"})
		check(t, b, err)
		<-time.After(2 * time.Minute)
	})
}

func (b *watchWorld) stored() []target.Sample { return must(chaos.Samples(b.parts)) }

func TestWatch(t *testing.T) {
	t.Parallel()
	home := target.Failed(target.CheckHome)
	sick := func(int) target.Failing { return home }
	sickFor := func(from, to int) func(n int) target.Failing {
		return func(n int) target.Failing { return map[bool]target.Failing{true: home}[n >= from && n < to] }
	}
	leased := func(b *watchWorld, injected *time.Time, until time.Time) {
		b.run.InjectedAt, b.run.LeaseUntil = injected, &until
	}
	for name, c := range map[string]struct {
		given  func(b *watchWorld)
		probes int // until 2 s after the lease if 0
		every  time.Duration
	}{
		"until 2 s after the lease":                {func(b *watchWorld) { b.failing = sick }, 0, target.ProbeEvery},
		"even when some could not be saved":        {func(b *watchWorld) { b.failing, b.full = sick, 10 }, 0, target.ProbeEvery},
		"even when the last could not be saved":    {func(b *watchWorld) { b.failing, b.full = sick, 40 }, 0, target.ProbeEvery},
		"a slow probe is followed at once by one":  {func(b *watchWorld) { b.failing, b.took = sick, 600*time.Millisecond }, 0, 600 * time.Millisecond},
		"until it was healthy four times in a row": {func(b *watchWorld) { b.failing = sickFor(0, 4) }, 7, target.ProbeEvery},
		"until the run has ended":                  {func(b *watchWorld) { b.run.Stage = chaos.Ended }, 1, target.ProbeEvery},
		"a fault that is being healed, though its worker was asked to stop": {func(b *watchWorld) {
			injected := time.Now().Add(59 * time.Second)
			leased(b, &injected, injected.Add(time.Minute))
			b.failing = sickFor(238, 250)
		}, 253, target.ProbeEvery},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWatchWorld(t, c.given, func(t *testing.T, b *watchWorld, err error) {
				require.NoError(t, err)
				samples := b.stored()
				require.Len(t, samples, len(b.probed))
				if c.probes > 0 {
					require.Len(t, samples, c.probes)
				} else {
					require.GreaterOrEqual(t, samples[len(samples)-1].At.Sub(*b.run.LeaseUntil), 2*time.Second-c.every)
				}
				for i := range b.probed[1:] {
					require.Equal(t, c.every, b.probed[i+1].Sub(b.probed[i]))
				}
			})
		})
	}
	// The probes are stored and another worker continues, shortly after this one was asked to stop.
	t.Run("leaves after its worker", func(t *testing.T) {
		t.Parallel()
		inWatchWorld(t, func(b *watchWorld) { leased(b, nil, time.Now().Add(time.Hour)) }, func(t *testing.T, b *watchWorld, err error) {
			require.ErrorContains(t, err, "another one continues")
			require.Len(t, b.stored(), len(b.probed))
			require.InDelta(t, 240+24, len(b.probed), 2)
		})
	})
	// A lost worker loses at most 2 s of unchanged probes.
	t.Run("stores a change at once", func(t *testing.T) {
		t.Parallel()
		inWatchWorld(t, func(b *watchWorld) { b.failing = sickFor(3, 4) }, func(t *testing.T, b *watchWorld, err error) {
			require.NoError(t, err)
			var lasts []int
			for _, p := range b.parts {
				samples := must(chaos.Samples([]chaos.Part{p}))
				lasts = append(lasts, int(samples[len(samples)-1].At.Sub(b.probed[0])/target.ProbeEvery))
			}
			require.Equal(t, []int{0, 2, 3, 6}, lasts, "the first, the unhealthy one, the healthy one, the rest")
		})
	})
}
