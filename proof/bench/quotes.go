package main

import (
	"context"
	"fmt"
	"time"
)

// quoteTarget is how long all but one in twenty buyers wait for a price at most.
const quoteTarget = 150 * time.Millisecond

// quotes is what buyers waited for prices, with what of it went where.
type quotes struct {
	atOnce     int
	waited     []time.Duration
	outOfSteps float64 // share of the API's time that no step of the flow took: Temporal's
}

// prices lets buyers buy from a fresh product.
func (b *bench) prices(ctx context.Context) ([]figure, error) {
	var q quotes
	err := b.onFresh(ctx, func(up *upProduct) (err error) {
		q, err = b.quote(ctx, up)
		return err
	})
	if err != nil {
		return nil, err
	}
	return q.figures(), nil
}

func (b *bench) quote(ctx context.Context, up *upProduct) (q quotes, err error) {
	warm := &buyers{site: up.site, atOnce: b.buyers, quotes: b.buyers}
	if err := warm.run(ctx); err != nil {
		return q, err
	}
	before, err := readSteps(ctx, up.site)
	if err != nil {
		return q, err
	}
	crowd := &buyers{site: up.site, atOnce: b.buyers, quotes: b.quotes, pause: b.pause}
	if err := crowd.run(ctx); err != nil {
		return q, err
	}
	after, err := readSteps(ctx, up.site)
	working, answering := after.working-before.working, after.answering-before.answering
	return quotes{b.buyers, crowd.waited, 1 - float64(working)/float64(answering)}, err
}

// figures tell how long buyers waited.
func (q quotes) figures() []figure {
	tell := func(what, unit string, ours float64, held target) figure {
		return figure{Subject: "Prices", What: what, Unit: unit, Ours: ours, Target: held}
	}
	crowd := fmt.Sprintf("wait for a price, %d buyers at once: ", q.atOnce)
	return []figure{
		tell(crowd+"median", "ms", inMS(at(q.waited, 0.5)), target{}),
		tell(crowd+"p95", "ms", inMS(at(q.waited, 0.95)), atMost(inMS(quoteTarget))),
		tell(crowd+"slowest", "ms", inMS(at(q.waited, 1)), target{}),
		tell("of that, between the steps of the flow: inside Temporal", "%", 100*q.outOfSteps, target{}),
	}
}
