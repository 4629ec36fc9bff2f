package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var sweeper *activities.ChaosSweep // nil: only names activities

// ChaosSweepID is the workflow ID of what ends a run that does not end itself.
func ChaosSweepID(chaosID string) string { return "chaos-sweep:" + chaosID }

// ChaosSweep ends a run that nobody carries any more, or whose lease is long over: its fault is
// taken back, and it comes to what its stored probes say.
func ChaosSweep(ctx workflow.Context, in ChaosInput) (ChaosResult, error) {
	ref := activities.ChaosRef(in)
	// Most often the keeper has done so by its own clock.
	_, _ = call(atCell(ctx, oneEnd, endWithin), breaker.EndLease, ref)
	left, err := call(remote(ctx, 20*time.Second, 0), sweeper.ReleaseChaos, ref)
	if err != nil {
		return ChaosResult{}, err
	}
	end := activities.FinishChaosInput{ChaosID: in.ChaosID}
	if !left.Begun {
		end.Aborted = "Nobody was there to begin it."
	}
	result, err := call(atCell(ctx, oneFinish, 0), breaker.FinishChaos, end)
	return ChaosResult(result), err
}
