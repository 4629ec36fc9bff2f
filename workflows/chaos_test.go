package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/workflows"
)

func TestChaosRunEnds(t *testing.T) {
	t.Parallel()
	const heals = 600 * time.Millisecond
	const switchedOff, byHand = "The founders have switched chaos testing off.", "The run was cancelled."
	for name, c := range map[string]struct {
		given    func(p *chaosWorld)
		verdict  chaos.Verdict
		reason   string
		restored bool
		broken   int
		healMS   int // at most
	}{
		"healed within its promise":             {func(p *chaosWorld) { p.heals = heals }, chaos.Healed, "", true, 1, 900},
		"healed late":                           {func(p *chaosWorld) { p.heals = 3 * time.Second }, chaos.HealedLate, "It was healthy after", true, 1, 3300},
		"reverted only at the end of its lease": {func(*chaosWorld) {}, chaos.Failed, "It was unhealthy when its lease of 5 s ended.", true, 1, 0},
		"not reverted at the end of its lease":  {func(p *chaosWorld) { p.deaf = true }, chaos.Failed, "unhealthy when its lease", false, 1, 0},
		"healed between two probes":             {func(p *chaosWorld) { p.breaks = 0 }, chaos.Aborted, "No probe failed", true, 1, 0},
		"unhealthy before the start": {
			func(p *chaosWorld) { p.failing = target.Failed(target.CheckWorker) }, chaos.Aborted,
			"The chaos target was unhealthy before the test, so nothing was broken. Failed checks: the worker.", false, 0, 0,
		},
		"healthy again shortly": {func(p *chaosWorld) { p.heals, p.sick = heals, func(n int) bool { return n == 2 || n == 3 } }, chaos.Healed, "", true, 1, 900},
		"alternating health": {
			func(p *chaosWorld) { p.sick = func(n int) bool { return n%2 == 0 } }, chaos.Aborted,
			"The chaos target was unhealthy before the test, so nothing was broken. Failed checks: the page /.", true, 0, 0,
		},
		"its health cannot be stored": {
			func(p *chaosWorld) {
				p.env.OnActivity("CheckTarget", mock.Anything, mock.Anything).Return(activities.CheckTargetResult{}, errors.New("no database"))
			}, chaos.Aborted, "The chaos target could not be checked, so no fault was injected.", true, 0, 0,
		},
		"refused by the supervisor": {
			func(p *chaosWorld) { p.refuses = problem.New(problem.TargetRefused, "The file is not there.") }, chaos.Aborted, "The file is not there.", true, 0, 0,
		},
		"switched off during the check": {
			func(p *chaosWorld) { p.onProbe = func(n int) { p.seen.ChaosOn = n < 2 } }, chaos.Aborted, switchedOff, true, 0, 0,
		},
		"switched off during the fault": {func(p *chaosWorld) { p.after(2*time.Second, p.switchOff) }, chaos.Aborted, switchedOff, true, 1, 0},
		"cancelled during the fault":    {func(p *chaosWorld) { p.after(2*time.Second, p.env.CancelWorkflow) }, chaos.Aborted, byHand, true, 1, 0},
		"cancelled before the fault":    {func(p *chaosWorld) { p.after(0, p.env.CancelWorkflow) }, chaos.Aborted, byHand, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
				c.given(p)
				result := p.breakIt(t)
				require.Equal(t, c.verdict, result.Verdict, p.run.Reason)
				require.Contains(t, p.run.Reason, c.reason)
				require.Equal(t, c.restored, p.run.Restored)
				require.Equal(t, c.broken, p.broken)
				require.Equal(t, c.healMS > 0, result.HealMS != nil)
				if result.HealMS != nil {
					require.LessOrEqual(t, *result.HealMS, c.healMS)
					require.LessOrEqual(t, *result.DetectMS, 260, "by the next probe")
				}
				if p.broken > 0 && !p.deaf {
					require.Positive(t, p.ended, "the fault is reverted in any case")
				}
			})
		})
	}
}

func TestSwitchOffRevertsTheFaultAtOnce(t *testing.T) {
	t.Parallel()
	inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
		p.run.LeaseMS = 60_000
		p.after(2*time.Second, p.switchOff)
		began := time.Now()
		p.breakIt(t)
		require.Less(t, time.Since(began), 4*time.Second)
	})
}

// TestWatchSurvivesALostWorker loses the worker during a watch: another one continues with the stored
// probes.
// Proves: F34
func TestWatchSurvivesALostWorker(t *testing.T) {
	t.Parallel()
	inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
		p.heals, p.run.PromiseMS = 1800*time.Millisecond, 4000 // the gap counts too
		p.onProbe = func(n int) {
			if n == 3+5 { // three before the fault
				panic("killed")
			}
		}
		result := p.breakIt(t)
		require.Equal(t, chaos.Healed, result.Verdict, p.run.Reason)
		require.Equal(t, 1, p.broken)
		require.Less(t, len(must(chaos.Samples(p.parts))), p.probes, "no probe is stored twice, and one was never answered")
		require.GreaterOrEqual(t, p.parts[len(p.parts)-1].Part, 2000, "the second try has parts of its own")
	})
}

func TestEndedChaosRunIsNotRepeated(t *testing.T) {
	t.Parallel()
	inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
		p.run.Stage, p.run.Verdict = chaos.Ended, chaos.Healed
		p.env.ExecuteWorkflow(workflows.ChaosRun, workflows.ChaosRunInput{ChaosID: p.run.ID})
		require.Error(t, p.env.GetWorkflowError())
		require.Zero(t, p.broken+p.probes)
	})
}

// Proves: F34
func TestChaosSweep(t *testing.T) {
	t.Parallel()
	sick := target.Failed(target.CheckOGImage)
	began := func(p *chaosWorld) { p.run.RunID = "r1" }
	for name, c := range map[string]struct {
		given   func(p *chaosWorld)
		verdict chaos.Verdict
		reason  string
		carrier string // how the workflow run ended
	}{
		"never started":                                              {func(*chaosWorld) {}, chaos.Aborted, "No worker started the test in time.", ""},
		"terminated before the fault":                                {began, chaos.Aborted, "No fault was injected.", "ended r1"},
		"its watch was lost while the target was unhealthy":          {func(p *chaosWorld) { p.saw(sick) }, chaos.Aborted, "The probes stopped before the test ended.", "ended r1"},
		"its watch saw the target unhealthy at the end of the lease": {func(p *chaosWorld) { p.saw(slices.Repeat([]target.Failing{sick}, 21)...) }, chaos.Failed, "It was unhealthy when its lease of 5 s ended.", "ended r1"},
		"its watch resumed when the target was healthy": {func(p *chaosWorld) {
			p.saw()
			p.stores(2000, *p.run.InjectedAt, target.Sample{At: p.run.InjectedAt.Add(20 * time.Second)})
		}, chaos.Aborted, "No probe ran when the fault was injected.", "ended r1"},
		"its watch saw the repair": {func(p *chaosWorld) { p.saw(sick, 0, 0, 0, 0) }, chaos.Healed, "", "ended r1"},
		"it ends by itself": {func(p *chaosWorld) {
			began(p)
			time.AfterFunc(2*time.Second, func() {
				must(p.EndChaos(context.Background(), "c1", chaos.Outcome{Verdict: chaos.Healed}, time.Now()))
			})
		}, chaos.Healed, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
				c.given(p)
				p.env.ExecuteWorkflow(workflows.ChaosSweep, workflows.ChaosRunInput{ChaosID: p.run.ID})
				require.NoError(t, p.env.GetWorkflowError())
				require.Equal(t, []any{chaos.Ended, c.verdict, c.reason, c.carrier}, []any{p.run.Stage, p.run.Verdict, p.run.Reason, p.run.WorkflowID})
				require.Equal(t, 1, p.ended, "the fault is taken back in any case")
			})
		})
	}
}

// saw stores probes, one every 250 ms from the fault on, of a run long ago.
func (p *chaosWorld) saw(failing ...target.Failing) {
	injected := time.Now().Add(-time.Minute)
	until := injected.Add(time.Duration(p.run.LeaseMS) * time.Millisecond)
	p.run.Stage, p.run.RunID, p.run.InjectedAt, p.run.LeaseUntil = chaos.Watching, "r1", &injected, &until
	var samples []target.Sample
	for i, f := range failing {
		samples = append(samples, target.Sample{At: injected.Add(time.Duration(i) * target.ProbeEvery), Failing: f})
	}
	p.stores(1000, injected, samples...)
}

// stores adds a part of a watch's probes.
func (p *chaosWorld) stores(part int, from time.Time, samples ...target.Sample) {
	_ = p.SaveProbes(context.Background(), chaos.Part{RunID: "c1", Part: part, Data: chaos.Encode(from, samples)})
}

// gameDayStore is the store of game days.
type gameDayStore struct {
	*chaosWorld
	refuses error
	loses   int // lost answers
	asked   []chaos.Run
}

func (c *gameDayStore) RequestChaos(_ context.Context, r chaos.Run, _ account.Asker) error {
	if c.refuses != nil {
		return c.refuses
	}
	if r.RequestedBy != chaos.Schedule {
		return errors.New("a game day must not count against a limit")
	}
	c.asked = append(c.asked, r)
	if len(c.asked) > 1 {
		return problem.New(problem.ChaosRunning, "Another chaos test is running.")
	}
	c.run.ID, c.run.Fault, c.run.RequestedBy, c.run.PromiseMS = r.ID, r.Fault, r.RequestedBy, r.PromiseMS
	if c.loses > 0 {
		c.loses--
		return errors.New("the answer is lost")
	}
	return nil
}

func (c *gameDayStore) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	if id != c.run.ID {
		return chaos.Run{}, problem.New(problem.NotFound, "There is no such chaos run.")
	}
	return c.chaosWorld.ChaosRun(ctx, id)
}

func TestGameDay(t *testing.T) {
	t.Parallel()
	faults := []chaos.Fault{{Name: "a", Promise: 2 * time.Second}, {Name: "b", Promise: 2 * time.Second}}
	off := problem.New(problem.ChaosOff, "The founders have switched chaos testing off.")
	for name, c := range map[string]struct {
		refuses error
		loses   int
		verdict chaos.Verdict
		refused string
	}{
		"a fault is chosen, injected and healed": {verdict: chaos.Healed},
		"a lost answer requests no second run":   {loses: 1, verdict: chaos.Healed},
		"a refusal is its result":                {refuses: off, refused: "The founders have switched chaos testing off."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
				p.heals = 600 * time.Millisecond
				p.acts.Store, p.acts.Faults = &gameDayStore{chaosWorld: p, refuses: c.refuses, loses: c.loses}, faults
				p.env.RegisterWorkflow(workflows.ChaosRun)
				result := run[workflows.GameDayResult](t, p.env, workflows.GameDay)
				require.Equal(t, c.refused, result.Refused)
				require.Equal(t, c.verdict, result.Run.Verdict)
				if c.verdict != "" {
					require.Equal(t, p.run.ID, result.ChaosID)
					require.Equal(t, chaos.Schedule, p.run.RequestedBy)
					require.Equal(t, workflows.ChaosRunID, p.run.WorkflowID, "there is one run at a time")
					require.Equal(t, 2000, p.run.PromiseMS)
					require.Contains(t, []string{"a", "b"}, p.run.Fault)
				}
			})
		})
	}
}

// fakeReplayer replays nothing, and records its calls.
type fakeReplayer struct {
	activities.ChaosStore
	err   error
	saved []chaos.HistoryCheck
}

func (a *fakeReplayer) Replay(_ context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	return chaos.HistoryCheck{WorkflowID: workflowID, RunID: runID, Message: "another way"}, a.err
}

func (a *fakeReplayer) SaveHistoryCheck(_ context.Context, c chaos.HistoryCheck) error {
	a.saved = append(a.saved, c)
	return nil
}

func TestHistoryCheck(t *testing.T) {
	t.Parallel()
	env, stored := newTargetEnv(), &fakeReplayer{}
	env.RegisterActivity(&activities.Chaos{Store: stored, Replayer: stored})
	check := run[chaos.HistoryCheck](t, env, workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:chaos-target", RunID: "r"})
	require.False(t, check.Passed)
	require.Equal(t, []chaos.HistoryCheck{check}, stored.saved)

	env, stored = newTargetEnv(), &fakeReplayer{err: problem.New(problem.NotFound, "It is gone.")}
	env.RegisterActivity(&activities.Chaos{Store: stored, Replayer: stored})
	env.ExecuteWorkflow(workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:chaos-target", RunID: "r"})
	require.Equal(t, string(problem.NotFound), typeOf(env.GetWorkflowError()), "for people")
	require.Empty(t, stored.saved)
}
