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
	"strings"
	"sync"
	"time"
)

// readyWithin is how long a process may take until it can do its work.
const readyWithin = 90 * time.Second

// Start starts everything, in the order in which one needs the other, and returns when the
// proxy has somebody to send requests to and flows are run. Everything ends with ctx, too.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	o.APIs, o.Workers = cmp.Or(o.APIs, 2), cmp.Or(o.Workers, 2)
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
		c.prepareDir, c.listen, c.startPostgres, c.makeDatabase, c.startTemporal, c.startSandbox,
		c.migrate, c.startProduct, c.startProxy, c.saveAddresses,
	} {
		if err := begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepareDir takes the directory, and makes the secrets of a new one.
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
	if err := os.MkdirAll(o.Dir, 0o711); err != nil { //nolint:gosec // Postgres may have to pass as another user; files are ours alone
		return fmt.Errorf("the directory %s cannot be made; choose another (%w)", o.Dir, err)
	}
	if err := c.lockDir(); err != nil {
		return err
	}
	return c.makeSecrets()
}

// keep keeps a program running, until Stop.
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

// together has the ends of all that some work began done at the same time.
func (c *Cluster) together(work func() error) error {
	before := c.closers
	c.closers = nil
	err := work()
	ends := c.closers
	c.closers = before
	c.later(func() {
		var ending sync.WaitGroup
		for _, end := range ends {
			ending.Go(end)
		}
		ending.Wait()
	})
	return err
}

// Ready says whether a process can do its work now.
func (c *Cluster) Ready(ctx context.Context, p *Process) bool { return c.ready[p](ctx) == nil }

// await returns when a process is ready. One that ends again and again will not be.
func (c *Cluster) await(ctx context.Context, p *Process) error {
	_, before := p.Deaths()
	err := errors.New("it was not asked")
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
		return fmt.Errorf("%s ends by itself: %s", p.Name(), p.lastWords())
	}
	return fmt.Errorf("%s is not ready after %s: %w (log: %s)", p.Name(), readyWithin, err, p.log.Name())
}

// once runs a program of the product to its end.
func (c *Cluster) once(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, c.options.Product, args...)
	command.Env, command.Dir = c.env, c.options.Dir
	said, err := command.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return fmt.Errorf("%s: %s (%w)", args[0], lines[len(lines)-1], err)
	}
	return nil
}
