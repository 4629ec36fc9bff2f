package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

type bench struct {
	product, server string
	rounds          int
	rest, turn      time.Duration
	buyers, quotes  int
	heals, looks    int
	pause           time.Duration
}

// program is one of the two that are compared: it starts, and says when it was ready.
type program interface {
	start(ctx context.Context) (took time.Duration, err error)
	pids() (own, cell []int)
	stop() error
}

// sample is one round of one program.
type sample struct {
	took             time.Duration
	rss, pss         int // kB
	cellRSS, cellPSS int
}

type results struct{ alone, up []sample }

// inTurns makes data directories, which each program fills in a round that does not count: from
// then on, both start on existing data and from a warm page cache. Who begins changes from
// round to round.
func (b *bench) inTurns(ctx context.Context) (results, error) {
	var r results
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	alone := &aloneServer{bin: b.server, file: filepath.Join(dir, "alone", "temporal.db")}
	up := &upProduct{bin: b.product, server: b.server, data: filepath.Join(dir, "up")}
	for _, p := range []program{alone, up} {
		if _, err := tryOnce(ctx, p, 0); err != nil {
			return r, err
		}
	}
	turns := []turn{{alone, &r.alone}, {up, &r.up}}
	for round := range b.rounds {
		for _, t := range turns {
			s, err := tryOnce(ctx, t.program, b.rest)
			if err != nil {
				return r, err
			}
			*t.samples = append(*t.samples, s)
		}
		b.tell(round, r)
		slices.Reverse(turns)
	}
	return r, nil
}

// turn is a program, and where its samples go.
type turn struct {
	program
	samples *[]sample
}

// tryOnce runs a program on its own, until it has rested.
func tryOnce(ctx context.Context, p program, rest time.Duration) (s sample, err error) {
	if s.took, err = p.start(ctx); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	select {
	case <-ctx.Done():
		return s, context.Cause(ctx)
	case <-time.After(rest):
	}
	own, cell := p.pids()
	s.rss, s.pss, err = memory(own)
	var errCell error
	s.cellRSS, s.cellPSS, errCell = memory(cell)
	return s, errors.Join(err, errCell)
}
