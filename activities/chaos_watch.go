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
	// saveEvery is how much of a watch is lost at most with its worker, turns from well to sick and
	// back excepted.
	saveEvery = 2 * time.Second
	// afterLease is how long it is looked on when a lease is over: the supervisor mends then.
	afterLease = 2 * time.Second
	// partsOfATry keeps the parts of a watch's tries apart: a worker that was given up, and
	// lives, must not write over what its successor saw. The check's part comes before them.
	partsOfATry = 1000
	// seesThrough is how long a watch goes on when its worker is asked to stop: most faults are healed
	// within that time, and one that is healed while nobody looks proves nothing.
	seesThrough = 6 * time.Second
	// saveWithin is how long a watch that must go may take to save what it saw.
	saveWithin = 3 * time.Second
)

// WatchTarget probes the chaos target until it is well again, or its lease is over. A successor of a lost
// worker goes on with what is stored; the gap stays, and can be seen.
func (a *Chaos) WatchTarget(ctx context.Context, in ChaosRef) (Done, error) {
	parts, err := a.Store.ChaosParts(ctx, in.ChaosID)
	if err != nil {
		return Done{}, err
	}
	seen, err := chaos.Samples(parts)
	if err != nil {
		return Done{}, err
	}
	w := &watch{Chaos: a, run: chaos.Run{ID: in.ChaosID}, seen: seen, next: int(activity.GetInfo(ctx).Attempt) * partsOfATry}
	watching, leave := context.WithCancel(ctx)
	defer leave()
	leaving := lingering(watching, seesThrough)
	ended := eachUntil(ctx, leaving, target.ProbeEvery, func() (bool, error) { return w.look(ctx), nil })
	if ended == nil {
		ended = eachUntil(ctx, leaving, target.ProbeEvery, func() (bool, error) {
			activity.RecordHeartbeat(ctx)
			return w.save(ctx), nil
		})
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
	defer cancel()
	w.save(saving)
	return Done{}, ended
}

// watch is one try of a run's watch.
type watch struct {
	*Chaos
	run     chaos.Run
	seen    []target.Sample // all, those of earlier tries as well
	unsaved []target.Sample
	next    int       // part
	savedAt time.Time // zero: nothing yet
}

// look makes one probe, and says whether it was the last.
func (w *watch) look(ctx context.Context) (last bool) {
	sample := w.Target.Probe(ctx)
	if ctx.Err() != nil {
		return false // nobody waited for the answer: it is no sign of trouble
	}
	activity.RecordHeartbeat(ctx)
	turned := len(w.seen) > 0 && w.seen[len(w.seen)-1].Healthy() != sample.Healthy()
	w.seen, w.unsaved = append(w.seen, sample), append(w.unsaved, sample)
	if turned || w.Now().Sub(w.savedAt) >= saveEvery { // a turn is what a lost worker must not take along
		w.save(ctx)
	}
	run, err := w.Store.ChaosRun(ctx, w.run.ID)
	if err != nil {
		slog.WarnContext(ctx, "a chaos run could not be read; the watch goes on", "chaos_id", w.run.ID, "error", err)
		return false
	}
	w.run = run
	return w.over()
}

// over says whether there is nothing more to see: it is well, the lease is over, or somebody
// else has ended the run.
func (w *watch) over() bool {
	injected, until := w.run.InjectedAt, w.run.LeaseUntil
	return w.run.Stage == chaos.Ended ||
		injected != nil && chaos.Recovered(*injected, w.seen) ||
		until != nil && !w.Now().Before(until.Add(afterLease))
}

// save stores what was seen since, as a part of its own. What is not stored is kept for the
// next time.
func (w *watch) save(ctx context.Context) (saved bool) {
	if len(w.unsaved) == 0 {
		return true
	}
	part := chaos.Part{RunID: w.run.ID, Part: w.next, Data: chaos.Encode(w.unsaved[0].At, w.unsaved)}
	if err := w.Store.SaveProbes(ctx, part); err != nil {
		slog.WarnContext(ctx, "probes could not be saved; the next round tries again", "chaos_id", w.run.ID, "error", err)
		return false
	}
	w.unsaved, w.savedAt = nil, w.Now()
	w.next++
	return true
}

const (
	// baseline is how many probes in a row must be well before something is broken.
	baseline = 3
	// getsFit is how long that may take: a chaos target that is being restarted is back in a moment.
	getsFit = 3 * time.Second
)

// CheckTargetResult says why the chaos target is not to be broken now; empty: it may be.
type CheckTargetResult struct{ Unfit string }

// CheckTarget looks whether the chaos target is well enough to be broken, or gets so in a moment. What it sees is kept: it is the
// first part of the run's probes.
func (a *Chaos) CheckTarget(ctx context.Context, in ChaosRef) (CheckTargetResult, error) {
	var samples []target.Sample
	well, until := 0, a.Now().Add(getsFit)
	err := each(ctx, target.ProbeEvery, func() (bool, error) {
		sample := a.Target.Probe(ctx)
		if samples, well = append(samples, sample), well+1; !sample.Healthy() {
			well = 0
		}
		return well == baseline || well == 0 && !a.Now().Before(until), nil // slow probes that are healthy count
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
	if well < baseline {
		return CheckTargetResult{Unfit: fmt.Sprintf("The chaos target was not well before the start. These failed their checks: %s.", failed(samples).InWords())}, nil
	}
	return CheckTargetResult{}, nil
}

// failed are the checks that any of the last probes failed which could have been the baseline.
func failed(samples []target.Sample) (failing target.Failing) {
	for _, sample := range samples[max(0, len(samples)-baseline):] {
		failing |= sample.Failing
	}
	return failing
}
