// Package cluster runs the topology of docker-compose.yml as local processes on loopback: Postgres, Temporal on a
// file, sandboxes, two APIs, two workers, the chaos target and the proxy. It serves users without containers and
// tests of several instances.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"customerzero/internal/platform/ports"
)

// Options are the programs, addresses and settings of a cluster.
type Options struct {
	Dir           string // of data and logs; it is kept
	Product       string // path of customerzero
	Temporald     string
	Caddy         string
	Caddyfile     string
	Postgres      string   // URL of a server on which databases can be created; default: a new server in Dir
	Database      string   // URL of the product's existing database; default: a new one on Postgres
	Address       string   // host:port of the proxy; default: a free port
	TargetAddress string   // host:port at which the proxy serves the chaos target; default: a free port
	Settings      []string // NAME=value for every process of the product; they override the cluster's settings
	Out           io.Writer
}

// Cluster is the product as several processes.
type Cluster struct {
	URL              string // of the proxy
	TargetURL        string
	TargetControlURL string
	SandboxURL       string // of X, Stripe, and the pages of all sandboxes
	SMTP             string // of the mail sandbox
	TemporalAddress  string
	TemporalURL      string // of the console
	AdminKey         string

	Postgres *Process // nil if a server was given
	Temporal *Process
	Sandbox  *Process
	APIs     []*Process
	Workers  []*Process
	Target   *Process
	Proxy    *Process

	options   Options
	database  string // the product's
	server    string // Postgres
	env       []string
	ready     map[*Process]func(context.Context) error
	processes []*Process
	closers   []func()
	stopping  sync.Once
}

// Processes lists all processes in the order of their start.
func (c *Cluster) Processes() []*Process { return c.processes }

// Environment is the environment of every process of the product.
func (c *Cluster) Environment() []string { return append([]string{}, c.env...) }

func (c *Cluster) later(f func()) { c.closers = append(c.closers, f) }

// Stop stops all processes in reverse order of their start.
func (c *Cluster) Stop() {
	c.stopping.Do(func() {
		for i := len(c.closers) - 1; i >= 0; i-- {
			c.closers[i]()
		}
	})
}

// noticedWithin is how long the proxy, which checks health every 500 ms, takes to notice that an API is back. Until
// then the other API gets all requests, so the next restart has to wait.
const noticedWithin = 1500 * time.Millisecond

// Roll restarts the APIs, workers, chaos target, Temporal and the cluster's own Postgres, each once the previous one
// is ready. It returns the duration of each restart by name.
func (c *Cluster) Roll(ctx context.Context) (took map[string]time.Duration, err error) {
	took = map[string]time.Duration{}
	order := slices.Concat(c.APIs, c.Workers, []*Process{c.Target, c.Temporal})
	if c.Postgres != nil {
		order = append(order, c.Postgres)
	}
	for _, p := range order {
		began := time.Now()
		if err := c.Restart(ctx, p); err != nil {
			return took, fmt.Errorf("restart %s: %w", p.Name(), err)
		}
		took[p.Name()] = time.Since(began).Round(time.Millisecond)
		_, _ = fmt.Fprintf(c.options.Out, "restarted %s in %s\n", p.Name(), took[p.Name()])
	}
	return took, nil
}

// Restart restarts a process and returns when it is ready.
func (c *Cluster) Restart(ctx context.Context, p *Process) error {
	if err := p.Restart(ctx); err != nil {
		return err
	}
	if err := c.await(ctx, p); err != nil {
		return err
	}
	switch {
	case p == c.Postgres: // every process has to reconnect
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

const readyWithin = 5 * time.Minute

// replicas is the number of APIs and of workers, as in docker-compose.yml.
const replicas = 2

// Start starts all processes in the order of their dependencies and returns when the proxy has a ready API and
// workflows run. All processes end with ctx.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	c := &Cluster{options: o, ready: map[*Process]func(context.Context) error{}}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	ended := context.AfterFunc(ctx, c.Stop)
	c.later(func() { ended() })
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	for _, begin := range []func(context.Context) error{
		c.prepareDir, c.chooseAddresses, c.startPostgres, c.makeDatabase, c.startTemporal, c.startSandbox,
		c.migrate, c.startProduct, c.startProxy, c.saveAddresses,
	} {
		if err := begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepareDir locks the directory and creates missing secrets.
func (c *Cluster) prepareDir(context.Context) (err error) {
	o := &c.options
	for _, path := range []*string{&o.Dir, &o.Product, &o.Temporald, &o.Caddy, &o.Caddyfile} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	for _, path := range []string{o.Product, o.Temporald, o.Caddy, o.Caddyfile} {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%s is not there; run make build bin/caddy", path)
		}
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("the directory %s cannot be created; choose another (%w)", o.Dir, err)
	}
	if err := c.lockDir(); err != nil {
		return err
	}
	return c.makeSecrets()
}

func (c *Cluster) keep(ctx context.Context, program Program, ready func(context.Context) error) (*Process, error) {
	keeping, end := context.WithCancel(context.WithoutCancel(ctx)) // Stop ends them in order
	program.Dir = cmp.Or(program.Dir, c.options.Dir)
	p, err := Keep(keeping, program)
	if err != nil {
		end()
		return nil, err
	}
	c.later(func() { end(); p.Ended() })
	c.ready[p] = ready
	c.processes = append(c.processes, p)
	return p, nil
}

func (c *Cluster) begin(ctx context.Context, program Program, ready func(context.Context) error) (*Process, error) {
	p, err := c.keep(ctx, program, ready)
	if err == nil {
		err = c.await(ctx, p)
	}
	return p, err
}

func freeAddresses(n int) (all []string, err error) {
	for range n {
		free, err := ports.Address()
		if err != nil {
			return nil, err
		}
		all = append(all, free)
	}
	return all, nil
}

// Ready reports whether a process is ready.
func (c *Cluster) Ready(ctx context.Context, p *Process) bool { return c.ready[p](ctx) == nil }

// await returns when a process is ready. It fails if the process exits three times.
func (c *Cluster) await(ctx context.Context, p *Process) error {
	_, before := p.Deaths()
	err := errors.New("it was not checked")
	came := Until(ctx, readyWithin, func() bool {
		err = c.ready[p](ctx)
		_, falls := p.Deaths()
		return err == nil || falls-before >= 3
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case came:
		return fmt.Errorf("%s exits by itself (log: %s)", p.Name(), p.log.Name())
	}
	return fmt.Errorf("%s is not ready after %s: %w (log: %s)", p.Name(), readyWithin, err, p.log.Name())
}

func (c *Cluster) once(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, c.options.Product, args...)
	command.Env, command.Dir = c.env, c.options.Dir
	output, err := command.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		return fmt.Errorf("%s: %s (%w)", args[0], lines[len(lines)-1], err)
	}
	return nil
}
