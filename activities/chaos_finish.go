package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

// lastLook is how long the last look waits for the cell to be well: its process may be starting.
const lastLook = 5 * time.Second

// FinishChaosInput names a run that is over.
type FinishChaosInput struct {
	ChaosID string
	Aborted string // why it was given up; a sentence
}

// FinishChaosResult is what the run came to.
type FinishChaosResult struct {
	Verdict          chaos.Verdict
	DetectMS, HealMS *int
}

// FinishChaos looks a last time and ends the run. What it came to, its stored probes say. Safe
// to repeat: the first end stays.
func (a *Chaos) FinishChaos(ctx context.Context, in FinishChaosInput) (FinishChaosResult, error) {
	run, err := a.Book.ChaosRun(ctx, in.ChaosID)
	if err != nil || run.Stage == chaos.Ended {
		return finished(run), err
	}
	parts, err := a.Book.ChaosParts(ctx, in.ChaosID)
	if err != nil {
		return FinishChaosResult{}, err
	}
	samples, err := chaos.Samples(parts)
	if err != nil {
		return FinishChaosResult{}, err
	}
	end := ending(run, samples)
	end.Aborted = in.Aborted
	if end.Last, err = a.lastLook(ctx); err != nil {
		return FinishChaosResult{}, err
	}
	run, err = a.Book.EndChaos(ctx, in.ChaosID, chaos.Judge(run, samples, end), a.Now())
	return finished(run), err
}

func finished(r chaos.Run) FinishChaosResult {
	return FinishChaosResult{Verdict: r.Verdict, DetectMS: r.DetectMS, HealMS: r.HealMS}
}

// ending says what can be told of a run's end from its probes. A watch that ended before the
// cell was well and before the lease was over has missed what came.
func ending(r chaos.Run, samples []target.Sample) (e chaos.Ending) {
	if r.InjectedAt == nil {
		return e
	}
	if chaos.Recovered(*r.InjectedAt, samples) {
		if unwatched(*r.InjectedAt, samples) {
			e.Lost = "Nobody watched when it was broken."
		}
		return e
	}
	last := latest(samples)
	e.LeaseOver = r.LeaseUntil != nil && !last.At.Before(*r.LeaseUntil) && !last.Healthy()
	e.Lost = "Nobody watched it until its end."
	return e
}

// unwatched says whether nothing failed since, but nobody looked for so long that it might have.
func unwatched(injected time.Time, samples []target.Sample) bool {
	first := injected.Add(chaos.Unseen)
	for _, s := range samples {
		if s.At.Before(injected) {
			continue
		}
		if !s.Healthy() || s.At.Before(first) {
			return false
		}
	}
	return true
}

func latest(samples []target.Sample) (last target.Sample) {
	for _, s := range samples {
		if s.At.After(last.At) {
			last = s
		}
	}
	return last
}

// lastLook gives the first probe that is well, or the last that is not.
func (a *Chaos) lastLook(ctx context.Context) (last target.Sample, err error) {
	until := a.Now().Add(lastLook)
	err = each(ctx, target.ProbeEvery, func() bool {
		last = a.Cell.Probe(ctx)
		return ctx.Err() == nil && (last.Healthy() || !a.Now().Before(until))
	})
	return last, err
}
