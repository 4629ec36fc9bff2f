package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The targets are generous enough for a busy machine, and tight enough that a needless wait
// at the start, or a cache that nobody bounds, breaks them.
const (
	firstTarget  = 4.0 // of the very first start, which makes databases, keys and the cell
	startTarget  = 2.0
	memoryTarget = 1.5
)

// program is one of the two that are compared: it starts, and says when it was ready.
type program interface {
	start(ctx context.Context) (took time.Duration, err error)
	pids() (own, cell []int)
	stop() error
}

// sample is one round of one program: its first start, and one on the data that this has made.
type sample struct {
	first, again     time.Duration
	rss, pss         int // kB
	cellRSS, cellPSS int
}

// results are the rounds of the Temporal server alone, and of the product that brings it.
type results struct{ alone, up []sample }

// startAndMemory compares the two, in turns. Who begins changes from round to round.
func (b *bench) startAndMemory(ctx context.Context) ([]figure, error) {
	var r results
	turns := []struct {
		fresh func(dir string) program
		found *[]sample
	}{
		{func(dir string) program { return &aloneServer{bin: b.server, file: filepath.Join(dir, "temporal.db")} }, &r.alone},
		{func(dir string) program { return &upProduct{bin: b.product, server: b.server, data: dir} }, &r.up},
	}
	for range b.rounds {
		for _, turn := range turns {
			s, err := b.startTwice(ctx, turn.fresh)
			if err != nil {
				return nil, err
			}
			*turn.found = append(*turn.found, s)
		}
		slices.Reverse(turns)
	}
	return r.figures(), nil
}

// startTwice runs a program on its own, until it has rested.
func (b *bench) startTwice(ctx context.Context, fresh func(dir string) program) (s sample, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := fresh(dir)
	if s.first, err = p.start(ctx); err != nil {
		return s, err
	}
	if err := p.stop(); err != nil {
		return s, err
	}
	if s.again, err = p.start(ctx); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if err := pass(ctx, b.rest); err != nil {
		return s, err
	}
	own, cell := p.pids()
	var errCell error
	s.rss, s.pss, err = memory(own)
	s.cellRSS, s.cellPSS, errCell = memory(cell)
	return s, errors.Join(err, errCell)
}

func (r results) figures() []figure {
	median := func(samples []sample, of func(sample) float64) float64 {
		var values []float64
		for _, s := range samples {
			values = append(values, of(s))
		}
		return at(values, 0.5)
	}
	compare := func(what, unit string, of func(sample) float64, held target) figure {
		return figure{"Start and memory", what, unit, median(r.alone, of), "the Temporal server alone", median(r.up, of), held}
	}
	alone := func(what string, of func(sample) float64) figure {
		return figure{Subject: "Start and memory", What: what, Unit: "MB", Ours: median(r.up, of)}
	}
	return []figure{
		compare("the very first start", "ms", func(s sample) float64 { return inMS(s.first) }, atMost(firstTarget)),
		compare("start on existing data", "ms", func(s sample) float64 { return inMS(s.again) }, atMost(startTarget)),
		compare("memory at rest, RSS", "MB", func(s sample) float64 { return inMB(s.rss) }, atMost(memoryTarget)),
		compare("memory at rest, PSS", "MB", func(s sample) float64 { return inMB(s.pss) }, target{}),
		alone("the cell, beside the product and not in the lines above, RSS", func(s sample) float64 { return inMB(s.cellRSS) }),
		alone("the same, PSS", func(s sample) float64 { return inMB(s.cellPSS) }),
	}
}
