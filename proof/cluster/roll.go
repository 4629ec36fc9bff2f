package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// noticedWithin is how long the proxy takes to see that a replica is there again: it looks every
// half second. Meanwhile all go to the others, which is why the next restart has to wait.
const noticedWithin = 1500 * time.Millisecond

// Roll restarts every process, one after the other: the next when the last is ready again. A
// Postgres that is not ours stays, and the sandbox: it plays others.
func (c *Cluster) Roll(ctx context.Context) error {
	order := slices.Concat(c.APIs, c.Workers, []*Process{c.Cell, c.Proxy, c.Temporal})
	if c.Postgres != nil {
		order = append(order, c.Postgres)
	}
	for _, p := range order {
		began := time.Now()
		if err := c.Restart(ctx, p); err != nil {
			return fmt.Errorf("restart %s: %w", p.Name(), err)
		}
		_, _ = fmt.Fprintf(c.options.Out, "restarted %s in %s\n", p.Name(), time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// Restart restarts a process, and returns when it is ready again.
func (c *Cluster) Restart(ctx context.Context, p *Process) error {
	restart := p.Restart
	if p == c.Proxy {
		restart = c.handOver
	}
	if err := restart(ctx); err != nil {
		return err
	}
	if err := c.await(ctx, p); err != nil {
		return err
	}
	switch {
	case p == c.Postgres: // everybody has to find it again
		for _, other := range c.processes {
			if err := c.await(ctx, other); err != nil {
				return err
			}
		}
	case slices.Contains(c.APIs, p):
		Wait(ctx, noticedWithin)
	}
	return ctx.Err()
}
