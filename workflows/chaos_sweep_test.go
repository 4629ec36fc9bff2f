package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
	"customerzero/workflows"
)

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
