package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// firstTarget bounds the very first start, which makes databases, keys and the cell, against
// that of the server alone, which makes its database.
const firstTarget = 4.0

// firstStarts starts both without any data, in turns.
func (b *bench) firstStarts(ctx context.Context) ([]figure, error) {
	var alone, up []time.Duration
	turns := []struct {
		fresh func(dir string) program
		found *[]time.Duration
	}{
		{func(dir string) program { return &aloneServer{bin: b.server, file: filepath.Join(dir, "temporal.db")} }, &alone},
		{func(dir string) program { return &upProduct{bin: b.product, server: b.server, data: dir} }, &up},
	}
	for range b.rounds {
		for _, turn := range turns {
			took, err := firstStart(ctx, turn.fresh)
			if err != nil {
				return nil, err
			}
			*turn.found = append(*turn.found, took)
		}
		slices.Reverse(turns)
	}
	return []figure{{
		Subject: "Start and memory", What: "the very first start, median", Unit: "ms", Beside: "the Temporal server alone",
		Floor: inMS(at(alone, 0.5)), Ours: inMS(at(up, 0.5)), Target: atMost(firstTarget),
	}}, nil
}

func firstStart(ctx context.Context, fresh func(dir string) program) (took time.Duration, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := fresh(dir)
	if took, err = p.start(ctx); err != nil {
		return 0, err
	}
	return took, p.stop()
}
