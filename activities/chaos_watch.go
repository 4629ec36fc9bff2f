package activities

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

const (
	// saveEvery is how much of a watch can be lost with its worker, except changes of health.
	saveEvery = 2 * time.Second
	// afterLease is how long the watch continues after the lease, when the supervisor reverts the fault.
	afterLease = 2 * time.Second
	// partsPerAttempt separates the part numbers of a watch's attempts: a worker that was presumed dead must
	// not overwrite its successor's probes. The part of CheckTarget comes before them.
	partsPerAttempt = 1000
	// stopDelay is how long a watch continues after its worker was asked to stop: most faults are healed
	// within that time, and a repair that no probe observes proves nothing.
	stopDelay = 6 * time.Second
	// saveWithin is how long an interrupted watch may take to save its probes.
	saveWithin = 3 * time.Second
)

// WatchTarget probes the chaos target until it is healthy again or its lease is over. After a lost
// worker, the next attempt continues with the stored probes; the gap stays visible.
func (a *Chaos) WatchTarget(ctx context.Context, in ChaosRef) (Done, error) {
	parts, err := a.Store.ChaosParts(ctx, in.ChaosID)
	if err != nil {
		return Done{}, err
	}
	seen, err := chaos.Samples(parts)
	if err != nil {
		return Done{}, err
	}
	w := &watch{Chaos: a, run: chaos.Run{ID: in.ChaosID}, seen: seen, next: int(activity.GetInfo(ctx).Attempt) * partsPerAttempt}
	watchCtx, cancelWatch := context.WithCancel(ctx)
	defer cancelWatch()
	stop := delayedStop(watchCtx, stopDelay)
	ended := pollUntil(ctx, stop, target.ProbeEvery, func() (bool, error) { return w.probeOnce(ctx), nil })
	if ended == nil {
		ended = pollUntil(ctx, stop, target.ProbeEvery, func() (bool, error) {
			activity.RecordHeartbeat(ctx)
			return w.save(ctx), nil
		})
	}
	saveCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	w.save(saveCtx)
	return Done{}, ended
}

// watch is one attempt to watch a run.
type watch struct {
	*Chaos
	run     chaos.Run
	seen    []target.Sample // including earlier attempts
	unsaved []target.Sample
	next    int       // next part number
	savedAt time.Time // zero if nothing was saved yet
}

// probeOnce makes one probe, and reports whether it was the last.
func (w *watch) probeOnce(ctx context.Context) (last bool) {
	sample := w.Target.Probe(ctx)
	if ctx.Err() != nil {
		return false // an interrupted probe proves nothing
	}
	activity.RecordHeartbeat(ctx)
	changed := len(w.seen) > 0 && w.seen[len(w.seen)-1].Healthy() != sample.Healthy()
	w.seen, w.unsaved = append(w.seen, sample), append(w.unsaved, sample)
	if changed || w.Now().Sub(w.savedAt) >= saveEvery { // a change must not be lost with the worker
		w.save(ctx)
	}
	run, err := w.Store.ChaosRun(ctx, w.run.ID)
	if err != nil {
		slog.WarnContext(ctx, "could not read a chaos run; the watch continues", "chaos_id", w.run.ID, "error", err)
		return false
	}
	w.run = run
	return w.over()
}

// over reports whether the watch is done: the target is healthy, the lease is over, or the run has
// ended.
func (w *watch) over() bool {
	injected, until := w.run.InjectedAt, w.run.LeaseUntil
	return w.run.Stage == chaos.Ended ||
		injected != nil && chaos.Recovered(*injected, w.seen) ||
		until != nil && !w.Now().Before(until.Add(afterLease))
}

// save stores the unsaved probes as a new part. On failure they are kept for the next call.
func (w *watch) save(ctx context.Context) (saved bool) {
	if len(w.unsaved) == 0 {
		return true
	}
	part := chaos.Part{RunID: w.run.ID, Part: w.next, Data: chaos.Encode(w.unsaved[0].At, w.unsaved)}
	if err := w.Store.SaveProbes(ctx, part); err != nil {
		slog.WarnContext(ctx, "could not save probes; the next round retries", "chaos_id", w.run.ID, "error", err)
		return false
	}
	w.unsaved, w.savedAt = nil, w.Now()
	w.next++
	return true
}

const (
	// baseline is how many consecutive probes must be healthy before a fault is injected.
	baseline = 3
	// healthyWithin is how long that may take: the chaos target may be restarting.
	healthyWithin = 3 * time.Second
)

// CheckTargetResult holds why the chaos target must not be broken now; empty if it may.
type CheckTargetResult struct{ Unfit string }

// CheckTarget checks that the chaos target is healthy, or becomes so shortly. Its probes are stored as
// the first part of the run.
func (a *Chaos) CheckTarget(ctx context.Context, in ChaosRef) (CheckTargetResult, error) {
	var samples []target.Sample
	healthy, until := 0, a.Now().Add(healthyWithin)
	err := poll(ctx, target.ProbeEvery, func() (bool, error) {
		sample := a.Target.Probe(ctx)
		if samples, healthy = append(samples, sample), healthy+1; !sample.Healthy() {
			healthy = 0
		}
		return healthy == baseline || healthy == 0 && !a.Now().Before(until), nil // slow probes that are healthy count
	})
	if err == nil {
		err = ctx.Err() // the last probe may have been cut short
	}
	if err != nil {
		return CheckTargetResult{}, err
	}
	part := chaos.Part{RunID: in.ChaosID, Data: chaos.Encode(samples[0].At, samples)}
	if err := a.Store.SaveProbes(ctx, part); err != nil {
		return CheckTargetResult{}, err
	}
	if healthy < baseline {
		return CheckTargetResult{Unfit: fmt.Sprintf("The chaos target was unhealthy before the test, so nothing was broken. Failed checks: %s.", failed(samples).InWords())}, nil
	}
	return CheckTargetResult{}, nil
}

// failed returns the checks that failed in the last probes.
func failed(samples []target.Sample) (failing target.Failing) {
	for _, sample := range samples[max(0, len(samples)-baseline):] {
		failing |= sample.Failing
	}
	return failing
}
