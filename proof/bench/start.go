package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// The targets are generous enough for a busy machine, and tight enough that a needless wait
// at the start, or a cache that nobody bounds, breaks them.
const (
	startTarget  = 2.0
	memoryTarget = 1.5
)

// startAndMemory compares the product with the Temporal server that it brings.
func (b *bench) startAndMemory(ctx context.Context) ([]figure, error) {
	r, err := b.inTurns(ctx)
	if err != nil {
		return nil, err
	}
	return r.figures(), nil
}

func (r results) figures() []figure {
	compare := func(what, unit string, of func(sample) float64, held target) figure {
		return figure{"Start and memory", what, unit, median(r.alone, of), "the Temporal server alone", median(r.up, of), held}
	}
	alone := func(what string, of func(sample) float64) figure {
		return figure{Subject: "Start and memory", What: what, Unit: "MB", Ours: median(r.up, of)}
	}
	return []figure{
		compare("start on existing data", "ms", func(s sample) float64 { return inMS(s.took) }, atMost(startTarget)),
		compare("memory at rest, RSS", "MB", func(s sample) float64 { return inMB(s.rss) }, atMost(memoryTarget)),
		compare("memory at rest, PSS", "MB", func(s sample) float64 { return inMB(s.pss) }, target{}),
		alone("the cell, beside the product and not in the lines above, RSS", func(s sample) float64 { return inMB(s.cellRSS) }),
		alone("the same, PSS", func(s sample) float64 { return inMB(s.cellPSS) }),
	}
}

// inMB is memory as figures tell it.
func inMB(kB int) float64 { return float64(kB) / 1024 }

func median(samples []sample, of func(sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}

func (b *bench) tell(round int, r results) {
	alone, up := r.alone[round], r.up[round]
	fmt.Fprintf(os.Stderr, "round %d of %d: Temporal alone %v and %d MB, up %v and %d MB\n", round+1, b.rounds,
		alone.took.Round(time.Millisecond), alone.rss/1024, up.took.Round(time.Millisecond), up.rss/1024)
}
