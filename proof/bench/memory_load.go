package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/sdk/client"

	"customerzero/workflows"
)

// loadTarget bounds what is held after so many flows, against what was held at rest before them.
const loadTarget = 2.5

// Posts are written and taken back, so that the month does not run out of them. Canaries are the
// shortest flows there are: what the servers remember of a run, they remember of them, too.
const (
	loadPosts    = 1_000
	loadCanaries = 4_000
)

// underLoad says how much more memory the product holds after a thousand flows, and after
// five thousand, when it rests again.
func (b *bench) underLoad(ctx context.Context) (found []figure, err error) {
	err = b.onPosting(ctx, func(p *posting) error {
		idle, err := b.atRest(ctx, p.up)
		if err != nil {
			return err
		}
		var number atomic.Int64
		flows := 0
		for _, load := range []struct {
			n   int
			run carry
		}{
			{loadPosts, func(ctx context.Context) error { return p.regret(ctx, number.Add(1)) }},
			{loadCanaries, p.canary},
		} {
			if _, err := together(ctx, load.n, load.run); err != nil {
				return err
			}
			flows += load.n
			held, err := b.atRest(ctx, p.up)
			if err != nil {
				return err
			}
			found = append(found, figure{
				Subject: "Memory", What: fmt.Sprintf("after %d flows, at rest again, RSS", flows), Unit: "MB",
				Floor: idle, Beside: "before them", Ours: held, Target: atMost(loadTarget),
			})
		}
		return nil
	})
	return found, err
}

// atRest is what the product's processes hold when nothing has happened for a while, in MB.
func (b *bench) atRest(ctx context.Context, up *upProduct) (float64, error) {
	select {
	case <-time.After(b.rest):
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	own, _ := up.pids()
	rss, _, err := memory(own)
	return inMB(rss), err
}

// regret writes a post for tomorrow, and takes it back.
func (p *posting) regret(ctx context.Context, number int64) error {
	id, err := p.write(ctx, fmt.Sprintf("Post %d", number), time.Now().Add(24*time.Hour))
	if err != nil {
		return err
	}
	return p.takeBack(ctx, id)
}

// canary runs a flow that only sees the product's database.
func (p *posting) canary(ctx context.Context) error {
	run, err := p.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "canary:" + xid.New().String(), TaskQueue: workflows.QueueCore, WorkflowExecutionTimeout: time.Minute,
	}, workflows.Canary)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}
