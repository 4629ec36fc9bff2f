package main

import (
	"context"
	"fmt"
	"io"
	"slices"
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

// runQuotes lets buyers buy from a fresh product.
func (b *bench) runQuotes(ctx context.Context) (q quotes, err error) {
	err = b.onFresh(ctx, func(up *upProduct) error {
		q, err = b.quote(ctx, up)
		return err
	})
	return q, err
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

// report prints how long buyers waited, and says whether the target was met.
func (q quotes) report(out io.Writer) bool {
	slices.Sort(q.waited)
	p95 := q.at(0.95)
	verdict := "met"
	if p95 > quoteTarget {
		verdict = "MISSED"
	}
	_, _ = fmt.Fprintf(out, "\n%d prices, %d buyers at once: median %v, p95 %v (target ≤ %v: %s), slowest %v\n",
		len(q.waited), q.atOnce, q.at(0.5), p95, quoteTarget, verdict, q.at(1))
	_, _ = fmt.Fprintf(out, "of the time of an answer, %.0f %% passed between the steps of the flow: inside Temporal\n", 100*q.outOfSteps)
	return p95 <= quoteTarget
}

// at is the wait that so large a share of the buyers did not exceed.
func (q quotes) at(share float64) time.Duration {
	if len(q.waited) == 0 {
		return 0
	}
	i := int(share*float64(len(q.waited))+0.5) - 1
	return q.waited[max(0, min(i, len(q.waited)-1))].Round(100 * time.Microsecond)
}
