package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// httpRounds is how often the floor and the product take turns.
const httpRounds = 3

// contest is one question to two servers, in turns.
type contest struct {
	subject, what, beside string

	floor, ours side
	atOnce      int
	turn        time.Duration
	rate, wait  target // of answers a second, and of the wait of all but one in a hundred
}

// side is one of the two, and what it did.
type side struct {
	load
	pid int

	rates  []float64
	waited []time.Duration
	cpu    time.Duration
}

var asked atomic.Int64 // everything that is asked has a number of its own

func (s *side) take(ctx context.Context, while time.Duration) error {
	before, err := cpuTime(s.pid)
	if err != nil {
		return err
	}
	got, err := s.run(ctx, while, &asked)
	if err != nil {
		return err
	}
	if len(got.others) > 0 {
		return fmt.Errorf("%s answered %v, %d was wanted", s.address, got.others, s.want)
	}
	after, err := cpuTime(s.pid)
	s.rates, s.waited, s.cpu = append(s.rates, got.rate()), append(s.waited, got.waited...), s.cpu+after-before
	return err
}

// hold lets both sides warm up, and then takes turns; who begins changes from round to round.
func (c contest) hold(ctx context.Context) ([]figure, error) {
	sides := []*side{&c.floor, &c.ours}
	for _, s := range sides {
		s.atOnce = c.atOnce
		if _, err := s.run(ctx, c.turn/4, &asked); err != nil {
			return nil, err
		}
	}
	for range httpRounds {
		for _, s := range sides {
			if err := s.take(ctx, c.turn); err != nil {
				return nil, err
			}
		}
		slices.Reverse(sides)
	}
	return c.figures(), nil
}

func (c contest) figures() []figure {
	what := fmt.Sprintf("%s, %d at once", c.what, c.atOnce)
	if c.atOnce == 1 {
		what = c.what + ", one after the other"
	}
	compare := func(tail, unit string, of func(s side) float64, held target) figure {
		return figure{c.subject, what + tail, unit, of(c.floor), c.beside, of(c.ours), held}
	}
	return []figure{
		compare("", "req/s", func(s side) float64 { return at(s.rates, 0.5) }, c.rate),
		compare(": p50", "ms", func(s side) float64 { return inMS(at(s.waited, 0.5)) }, target{}),
		compare(": p99", "ms", func(s side) float64 { return inMS(at(s.waited, 0.99)) }, c.wait),
		compare(": CPU of the server", "ms", func(s side) float64 { return inMS(s.cpu) / float64(len(s.waited)) }, target{}),
	}
}
