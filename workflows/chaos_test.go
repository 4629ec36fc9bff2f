package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"customerzero/activities"
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

// Proves: F34
func TestChaosSweepEndsWhatNobodyCarries(t *testing.T) {
	t.Parallel()
	sick := target.Failed(target.CheckOGImage)
	for name, tt := range map[string]struct {
		given   func(t *testing.T, p *pit)
		verdict chaos.Verdict
		reason  string
		carrier string // what became of it
	}{
		"never begun": {
			given:   func(*testing.T, *pit) {},
			verdict: chaos.Aborted, reason: "Nobody was there to begin it.",
		},
		"ended by force before anything was broken": {
			given:   func(_ *testing.T, p *pit) { p.run.RunID = "r1" },
			verdict: chaos.Aborted, reason: "Nothing was broken.", carrier: "ended r1",
		},
		"its watch was lost while it was sick": {
			given:   func(t *testing.T, p *pit) { p.saw(t, sick) },
			verdict: chaos.Aborted, reason: "Nobody watched it until its end.", carrier: "ended r1",
		},
		"its watch saw it sick when its lease was over": {
			given: func(t *testing.T, p *pit) {
				p.saw(t, repeat(sick, 21)...)
			},
			verdict: chaos.Failed, reason: "It was not well when its lease of 5 s ended.", carrier: "ended r1",
		},
		"its watch came back when it was well": {
			given: func(t *testing.T, p *pit) {
				p.saw(t)
				p.missed(t, 20*time.Second)
			},
			verdict: chaos.Aborted, reason: "Nobody watched when it was broken.", carrier: "ended r1",
		},
		"its watch saw it heal": {
			given:   func(t *testing.T, p *pit) { p.saw(t, sick, 0, 0, 0, 0) },
			verdict: chaos.Healed, carrier: "ended r1",
		},
		"it ends itself meanwhile": {
			given: func(_ *testing.T, p *pit) {
				p.run.RunID = "r1"
				time.AfterFunc(2*time.Second, func() {
					_, _ = p.EndChaos(t.Context(), "c1", chaos.Outcome{Verdict: chaos.Healed}, time.Now())
				})
			},
			verdict: chaos.Healed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
				tt.given(t, p)
				env.ExecuteWorkflow(workflows.ChaosSweep, workflows.ChaosInput{ChaosID: p.run.ID})
				require.NoError(t, env.GetWorkflowError())
				require.Equal(t, chaos.Ended, p.run.Stage)
				require.Equal(t, tt.verdict, p.run.Verdict, p.run.Reason)
				require.Equal(t, tt.reason, p.run.Reason)
				require.Equal(t, tt.carrier, p.run.WorkflowID)
				require.Equal(t, 1, p.ended, "the fault is taken back in any case")
			})
		})
	}
}

// missed is a watch whose first probe came that long after the fault, and found the chaos target well.
func (p *pit) missed(t *testing.T, d time.Duration) {
	t.Helper()
	samples := []target.Sample{{At: p.run.InjectedAt.Add(d)}}
	require.NoError(t, p.SaveProbes(t.Context(), chaos.Part{RunID: "c1", Part: 2000, Data: chaos.Encode(samples[0].At, samples)}))
}

func repeat(failing target.Failing, n int) []target.Failing {
	all := make([]target.Failing, n)
	for i := range all {
		all[i] = failing
	}
	return all
}

// saw is a run whose watch stored these probes, one every 250 ms from the fault on, long ago.
func (p *pit) saw(t *testing.T, failing ...target.Failing) {
	t.Helper()
	injected := time.Now().Add(-time.Minute)
	until := injected.Add(time.Duration(p.run.LeaseMS) * time.Millisecond)
	p.run.Stage, p.run.RunID, p.run.InjectedAt, p.run.LeaseUntil = chaos.Watching, "r1", &injected, &until
	var samples []target.Sample
	for i, f := range failing {
		samples = append(samples, target.Sample{At: injected.Add(time.Duration(i) * target.ProbeEvery), Failing: f})
	}
	require.NoError(t, p.SaveProbes(t.Context(), chaos.Part{RunID: "c1", Part: 1000, Data: chaos.Encode(injected, samples)}))
}

// calendar is where a game day asks for its run.
type calendar struct {
	*pit
	refuses error
	loses   int // answers
	asked   []chaos.Run
}

func (c *calendar) RequestChaos(_ context.Context, r chaos.Run, visitor string) error {
	if c.refuses != nil {
		return c.refuses
	}
	if visitor != "" {
		return errors.New("a game day counts for nobody")
	}
	c.asked = append(c.asked, r)
	if len(c.asked) > 1 {
		return problem.New(problem.ChaosRunning, "A chaos run is under way.")
	}
	c.run.ID, c.run.Fault, c.run.RequestedBy, c.run.PromiseMS = r.ID, r.Fault, r.RequestedBy, r.PromiseMS
	if c.loses > 0 {
		c.loses--
		return errors.New("the answer is lost")
	}
	return nil
}

func (c *calendar) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	if id != c.run.ID {
		return chaos.Run{}, problem.New(problem.NotFound, "There is no such chaos run.")
	}
	return c.pit.ChaosRun(ctx, id)
}

func TestGameDay(t *testing.T) {
	t.Parallel()
	faults := []chaos.Fault{{Name: "a", Promise: 2 * time.Second}, {Name: "b", Promise: 2 * time.Second}}
	for name, tt := range map[string]struct {
		refuses error
		loses   int
		verdict chaos.Verdict
		refused string
	}{
		"a fault is chosen, broken and healed":           {verdict: chaos.Healed},
		"an answer that was lost asks for no second one": {loses: 1, verdict: chaos.Healed},
		"a refusal is its result": {
			refuses: problem.New(problem.ChaosOff, "The founders have switched chaos off."), refused: "The founders have switched chaos off.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
				c := &calendar{pit: p, refuses: tt.refuses, loses: tt.loses}
				p.heals = 600 * time.Millisecond
				env.RegisterActivity(&activities.GameDay{Store: c, Faults: faults, Now: time.Now})
				env.RegisterWorkflow(workflows.ChaosRun)
				env.ExecuteWorkflow(workflows.GameDay)
				require.NoError(t, env.GetWorkflowError())
				var result workflows.GameDayResult
				require.NoError(t, env.GetWorkflowResult(&result))
				require.Equal(t, tt.refused, result.Refused)
				require.Equal(t, tt.verdict, result.Run.Verdict)
				if tt.verdict != "" {
					require.Equal(t, p.run.ID, result.ChaosID)
					require.Equal(t, chaos.Schedule, p.run.RequestedBy)
					require.Equal(t, workflows.ChaosID, p.run.WorkflowID, "there is one run at a time, whoever asks")
					require.Equal(t, 2000, p.run.PromiseMS)
					require.Contains(t, []string{"a", "b"}, p.run.Fault)
				}
			})
		})
	}
}

// archive replays nothing, and notes what it was asked.
type archive struct {
	err   error
	saved []chaos.HistoryCheck
}

func (a *archive) Replay(_ context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	return chaos.HistoryCheck{WorkflowID: workflowID, RunID: runID, Message: "another way"}, a.err
}

func (a *archive) SaveHistoryCheck(_ context.Context, c chaos.HistoryCheck) error {
	a.saved = append(a.saved, c)
	return nil
}

func TestHistoryCheckKeepsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	env, stored := newCellEnv(), &archive{}
	env.RegisterActivity(&activities.HistoryCheck{Store: stored, Replayer: stored})
	env.ExecuteWorkflow(workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:cell", RunID: "r"})
	var check chaos.HistoryCheck
	require.NoError(t, env.GetWorkflowResult(&check))
	require.False(t, check.Passed)
	require.Equal(t, []chaos.HistoryCheck{check}, stored.saved)
}

func TestHistoryThatIsGoneIsAProblemForPeople(t *testing.T) {
	t.Parallel()
	env, stored := newCellEnv(), &archive{err: problem.New(problem.NotFound, "It is gone.")}
	env.RegisterActivity(&activities.HistoryCheck{Store: stored, Replayer: stored})
	env.ExecuteWorkflow(workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:cell", RunID: "r"})
	gone, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, string(problem.NotFound), gone.Type())
	require.Empty(t, stored.saved)
}
