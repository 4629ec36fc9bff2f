package workflows_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/worker"
	"customerzero/workflows"
)

// chaosWorld is a chaos target, its supervisor and its rows in memory. Time is that of a synctest bubble.
type chaosWorld struct {
	activities.ChaosStore // other methods are not called
	env                   *testsuite.TestWorkflowEnvironment
	acts                  *activities.Chaos
	mu                    sync.Mutex
	run                   chaos.Run
	parts                 []chaos.Part
	seen                  heal.TargetState
	failing               target.Failing // current

	breaks  target.Failing // checks that the fault breaks
	heals   time.Duration  // repair time after the fault; never if 0
	refuses error          // the supervisor's answer to a fault
	deaf    bool           // the end of a lease fails
	probes  int
	onProbe func(n int)      // before the n-th probe
	sick    func(n int) bool // further failures of the n-th probe

	brokenAt time.Time
	broken   int
	unseen   bool // a fault was injected before a watch had stored a probe
	ended    int  // ended leases
}

func newChaosWorld() *chaosWorld {
	open := chaos.TargetKey
	return &chaosWorld{
		env: newTargetEnv(),
		run: chaos.Run{
			ID: "c1", Fault: "delete-og-image", Stage: chaos.Requested, OpenKey: &open, PromiseMS: 2000, LeaseMS: 5000, RequestedAt: time.Now(),
		},
		seen:   heal.TargetState{ChaosOn: true},
		breaks: target.Failed(target.FileCheck(target.FileOGImage), target.CheckOGImage), onProbe: func(int) {}, sick: func(int) bool { return false },
	}
}

func (p *chaosWorld) Probe(context.Context) target.Sample {
	p.mu.Lock()
	p.probes++
	n, told := p.probes, p.onProbe
	p.mu.Unlock()
	told(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
	failing := p.failing
	if p.sick(n) {
		failing |= target.Failed(target.CheckHome)
	}
	return target.Sample{At: time.Now(), Took: time.Millisecond, Failing: failing, Process: 42}
}

// pass applies what the healer and the supervisor have done by now.
func (p *chaosWorld) pass() {
	gone, lease := time.Since(p.brokenAt), time.Duration(p.run.LeaseMS)*time.Millisecond
	if !p.brokenAt.IsZero() && (p.heals > 0 && gone >= p.heals || gone > lease && !p.deaf) {
		p.failing, p.brokenAt = 0, time.Time{}
	}
}

func (p *chaosWorld) Break(_ context.Context, _ string, order target.Break) (target.Broken, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses != nil {
		return target.Broken{}, p.refuses
	}
	p.broken++
	p.unseen = p.unseen || !slices.ContainsFunc(p.parts, func(part chaos.Part) bool { return part.Part > 0 })
	p.failing, p.brokenAt = p.breaks, time.Now()
	return target.Broken{At: time.Now(), Until: time.Now().Add(time.Duration(order.LeaseMS) * time.Millisecond)}, nil
}

func (p *chaosWorld) EndLease(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf {
		return errors.New("connection refused")
	}
	p.ended++
	p.failing, p.brokenAt = 0, time.Time{}
	return nil
}

func (p *chaosWorld) ChaosRun(context.Context, string) (chaos.Run, error) { return p.change(func() {}) }

func (p *chaosWorld) BeginChaos(_ context.Context, _, workflowID, runID string) (chaos.Run, error) {
	return p.change(func() { p.run.Stage, p.run.WorkflowID, p.run.RunID = chaos.Checking, workflowID, runID })
}

func (p *chaosWorld) LeaseChaos(_ context.Context, _ string, until time.Time) error {
	_, err := p.change(func() { p.run.Stage, p.run.LeaseUntil = chaos.Breaking, &until })
	return err
}

func (p *chaosWorld) InjectedChaos(_ context.Context, _ string, at, until time.Time) error {
	_, err := p.change(func() { p.run.Stage, p.run.InjectedAt, p.run.LeaseUntil = chaos.Watching, &at, &until })
	return err
}

func (p *chaosWorld) EndChaos(_ context.Context, _ string, o chaos.Outcome, at time.Time) (chaos.Run, error) {
	return p.change(func() {
		p.run.Stage, p.run.OpenKey, p.run.EndedAt = chaos.Ended, nil, &at
		p.run.Verdict, p.run.Reason, p.run.Restored, p.run.DetectMS, p.run.HealMS = o.Verdict, o.Reason, o.Restored, o.DetectMS, o.HealMS
	})
}

// change refuses to start a run again that has ended, as the store does.
func (p *chaosWorld) change(alter func()) (chaos.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.run
	alter()
	if was.Stage == chaos.Ended && p.run.Stage != chaos.Ended {
		p.run = was
		return was, problem.New(problem.Conflict, "This chaos run has already ended, so nothing was changed.")
	}
	return p.run, nil
}

func (p *chaosWorld) SaveProbes(_ context.Context, part chaos.Part) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = slices.DeleteFunc(p.parts, func(known chaos.Part) bool { return known.Part == part.Part })
	p.parts = append(p.parts, part)
	slices.SortFunc(p.parts, func(a, b chaos.Part) int { return a.Part - b.Part })
	return nil
}

func (p *chaosWorld) ChaosParts(context.Context, string) ([]chaos.Part, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.parts), nil
}

func (p *chaosWorld) TargetState(context.Context) (heal.TargetState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen, nil
}

// newTargetEnv is the environment of chaos workflows inside a bubble.
func newTargetEnv() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(optionsWith(worker.Problems()))
	env.SetTestTimeout(time.Hour)
	env.SetStartTime(time.Now())
	return env
}

// inChaosWorld runs play in a synctest bubble, and lets what the workflow left running end.
func inChaosWorld(t *testing.T, play func(t *testing.T, p *chaosWorld)) {
	synctest.Test(t, func(t *testing.T) {
		p := newChaosWorld()
		p.acts = &activities.Chaos{Store: p, Target: p, Runs: p, Now: time.Now}
		p.env.RegisterActivity(p.acts)
		play(t, p)
		<-time.After(20 * time.Minute)
	})
}

func (p *chaosWorld) TerminateChaos(_ context.Context, runID string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.WorkflowID = "ended " + runID
	return nil
}

func (p *chaosWorld) after(d time.Duration, do func()) { p.env.RegisterDelayedCallback(do, d) }

func (p *chaosWorld) switchOff() { p.env.SignalWorkflow(workflows.SignalSwitchedOff, nil) }

func (p *chaosWorld) breakIt(t *testing.T) workflows.ChaosRunResult {
	t.Helper()
	result := run[workflows.ChaosRunResult](t, p.env, workflows.ChaosRun, workflows.ChaosRunInput{ChaosID: p.run.ID})
	require.Equal(t, p.run.Verdict, result.Verdict, "the row and the run tell the same")
	require.Equal(t, chaos.Ended, p.run.Stage)
	require.False(t, p.unseen, "no fault is injected before the watch")
	return result
}
