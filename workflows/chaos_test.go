package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/workflows"
)

func TestChaosRunEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given    func(p *pit, env *testsuite.TestWorkflowEnvironment)
		verdict  chaos.Verdict
		reason   string
		restored bool
		broken   int
		healMS   int // at most
	}{
		"healed within its promise": {
			given:   func(p *pit, _ *testsuite.TestWorkflowEnvironment) { p.heals = 600 * time.Millisecond },
			verdict: chaos.Healed, restored: true, broken: 1, healMS: 900,
		},
		"healed late": {
			given:   func(p *pit, _ *testsuite.TestWorkflowEnvironment) { p.heals = 3 * time.Second },
			verdict: chaos.HealedLate, reason: "It was well after", restored: true, broken: 1, healMS: 3300,
		},
		"mended by the end of its lease only": {
			given:   func(*pit, *testsuite.TestWorkflowEnvironment) {},
			verdict: chaos.Failed, reason: "It was not well when its lease of 5 s ended.", restored: true, broken: 1,
		},
		"not even mended then": {
			given:   func(p *pit, _ *testsuite.TestWorkflowEnvironment) { p.deaf = true },
			verdict: chaos.Failed, reason: "not well when its lease", broken: 1,
		},
		"healed between two probes": {
			given:   func(p *pit, _ *testsuite.TestWorkflowEnvironment) { p.breaks = 0 },
			verdict: chaos.Aborted, reason: "No probe saw it broken", restored: true, broken: 1,
		},
		"not well before the start": {
			given:   func(p *pit, _ *testsuite.TestWorkflowEnvironment) { p.failing = target.Failed(target.CheckWorker) },
			verdict: chaos.Aborted, reason: "The cell was not well before the start. These failed their checks: the worker.",
		},
		"refused by the keeper": {
			given: func(p *pit, _ *testsuite.TestWorkflowEnvironment) {
				p.refuses = problem.New(problem.CellRefused, "The file is not there.")
			},
			verdict: chaos.Aborted, reason: "The file is not there.", restored: true,
		},
		"switched off while it was checked": {
			given: func(p *pit, _ *testsuite.TestWorkflowEnvironment) {
				p.onProbe = func(n int) { p.seen.ChaosOn = n < 2 }
			},
			verdict: chaos.Aborted, reason: "The founders have switched chaos off.", restored: true,
		},
		"switched off while it is broken": {
			given: func(p *pit, env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalSwitchedOff, nil) }, 2*time.Second)
			},
			verdict: chaos.Aborted, reason: "The founders have switched chaos off.", restored: true, broken: 1,
		},
		"cancelled by hand": {
			given: func(p *pit, env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(env.CancelWorkflow, 2*time.Second)
			},
			verdict: chaos.Aborted, reason: "The run was cancelled by hand.", restored: true, broken: 1,
		},
		"cancelled before anything is broken": {
			given: func(p *pit, env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(env.CancelWorkflow, 0)
			},
			verdict: chaos.Aborted, reason: "The run was cancelled by hand.", restored: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
				tt.given(p, env)
				result := p.breakIt(t, env)
				require.Equal(t, tt.verdict, result.Verdict, p.run.Reason)
				require.Contains(t, p.run.Reason, tt.reason)
				require.Equal(t, tt.restored, p.run.Restored)
				require.Equal(t, tt.broken, p.broken)
				require.Equal(t, tt.healMS > 0, result.HealMS != nil)
				if result.HealMS != nil {
					require.LessOrEqual(t, *result.HealMS, tt.healMS)
					require.LessOrEqual(t, *result.DetectMS, 260, "by the next probe")
				}
				if p.broken > 0 && !p.deaf {
					require.Positive(t, p.ended, "the fault is taken back, whatever happened")
				}
			})
		})
	}
}

// Founders who throw the switch expect the fault to go at once.
func TestSwitchTakesTheFaultBackAtOnce(t *testing.T) {
	t.Parallel()
	inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
		p.run.LeaseMS = 60_000
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalSwitchedOff, nil) }, 2*time.Second)
		began := time.Now()
		p.breakIt(t, env)
		require.Less(t, time.Since(began), 4*time.Second)
	})
}

// The worker dies in the middle of a watch: another one goes on with what is stored.
// Proves: F34
func TestWatchGoesOnAfterItsWorkersDeath(t *testing.T) {
	t.Parallel()
	inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
		p.heals, p.run.PromiseMS = 1800*time.Millisecond, 4000 // the gap counts, too
		p.onProbe = func(n int) {
			if n == 3+5 { // three before the start
				panic("killed")
			}
		}
		result := p.breakIt(t, env)
		require.Equal(t, chaos.Healed, result.Verdict, p.run.Reason)
		require.Equal(t, 1, p.broken)
		samples := p.samples(t)
		require.Less(t, len(samples), p.probes, "no probe is stored twice, and one was never answered")
		require.GreaterOrEqual(t, p.parts[len(p.parts)-1].Part, 2000, "the second try has parts of its own")
	})
}

func TestRunThatHasEndedIsNotPlayedAgain(t *testing.T) {
	t.Parallel()
	inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
		p.run.Stage, p.run.Verdict = chaos.Ended, chaos.Healed
		env.ExecuteWorkflow(workflows.ChaosRun, workflows.ChaosInput{ChaosID: p.run.ID})
		require.Error(t, env.GetWorkflowError())
		require.Zero(t, p.broken)
		require.Zero(t, p.probes)
	})
}
