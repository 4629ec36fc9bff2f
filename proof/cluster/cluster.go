// Package cluster runs the topology of docker-compose.yml as processes of this machine, all on
// loopback: Postgres, a Temporal server that keeps its data there, sandboxes, two API servers, two
// workers, the chaos target, and the proxy in front. It is for people without containers, and for the
// tests of what only several replicas can get wrong.
package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// Options say what a cluster is made of.
type Options struct {
	Dir         string // of data and logs; kept
	Product     string // the program
	Temporald   string
	Caddy       string
	Caddyfile   string
	Postgres    string // a server on which we may make databases; empty: one of our own, in Dir
	Database    string // the product's own database, made and reachable; empty: one on Postgres
	Address     string // host:port of the proxy; empty: a free port
	CellAddress string // where the proxy shows the chaos target; empty: a free port
	APIs        int
	Workers     int
	Settings    []string // NAME=value, of every process of the product; they win over ours
	Out         io.Writer
}

// Cluster is the product as several processes.
type Cluster struct {
	URL             string // of the proxy
	CellURL         string
	CellControlURL  string
	SandboxURL      string // of X, Stripe, and the pages of all sandboxes
	SMTP            string // of the mail sandbox
	TemporalAddress string
	TemporalURL     string // of the console
	AdminKey        string

	Postgres *Process // nil: not ours
	Temporal *Process
	Sandbox  *Process
	APIs     []*Process
	Workers  []*Process
	Cell     *Process
	Proxy    *Process

	options   Options
	database  string // the product's
	server    string // Postgres
	env       []string
	sites     []*site        // what the proxy listens to
	notices   net.PacketConn // where it says that it serves
	ready     map[*Process]func(context.Context) error
	processes []*Process
	closers   []func()
	stopping  sync.Once
}

// Processes lists all, in the order of their start.
func (c *Cluster) Processes() []*Process { return c.processes }

// Environment is that of every process of the product.
func (c *Cluster) Environment() []string { return append([]string{}, c.env...) }

// DataDir is where the product keeps its files.
func (c *Cluster) DataDir() string { return c.options.Dir }

// TemporalDatabase is Temporal's on Postgres; lists of runs are in another, with _visibility.
func (c *Cluster) TemporalDatabase() string { return "temporal" + c.suffix() }

func (c *Cluster) later(f func()) { c.closers = append(c.closers, f) }

// Stop ends what Start began, last first.
func (c *Cluster) Stop() {
	c.stopping.Do(func() {
		for i := len(c.closers) - 1; i >= 0; i-- {
			c.closers[i]()
		}
	})
}

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
