package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"customerzero/internal/platform/ports"
)

// environment is what every process of the product is told, and nothing of ours beside it.
func (c *Cluster) environment(x, smtp, control string) error {
	build, err := buildOf(c.options.Product)
	if err != nil {
		return err
	}
	c.SandboxURL, c.SMTP, c.TargetControlURL = "http://"+x, "smtp://"+smtp+"?tls=none", "http://"+control
	c.env = slices.Concat([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.options.Dir, "DATA_DIR=" + c.options.Dir, "PUBLIC_URL=" + c.URL,
		"DATABASE_URL=" + c.database, "TEMPORAL_ADDRESS=" + c.TemporalAddress, "TEMPORAL_UI_URL=" + c.TemporalURL,
		"TRUSTED_PROXIES=127.0.0.1", "DRAIN_DELAY=2s", "WORKER_DEPLOYMENT=customerzero", "WORKER_BUILD=" + build,
		"X_SANDBOX_ADDR=" + x, "SMTP_SANDBOX_ADDR=" + smtp, "STRIPE_SANDBOX_HOOK=" + c.URL + "/webhooks/stripe",
		"CHAOS_TARGET_URL=" + c.TargetURL, "CHAOS_TARGET_CONTROL_ADDR=" + control, "CHAOS_TARGET_CONTROL_URL=" + c.TargetControlURL,
	}, c.options.Settings)
	return nil
}

// buildOf names a program by what is in it, so that Temporal sees the same build after a restart.
func buildOf(program string) (string, error) {
	file, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// startSandbox plays everybody outside: X, Stripe, and the mail server.
func (c *Cluster) startSandbox(ctx context.Context) error {
	var free [3]string
	for i := range free {
		var err error
		if free[i], err = ports.Address(); err != nil {
			return err
		}
	}
	if err := c.environment(free[0], free[1], free[2]); err != nil {
		return err
	}
	var err error
	c.Sandbox, err = c.keep(ctx, Program{Name: "sandbox", Path: c.options.Product, Args: []string{"sandbox"}, Env: c.env},
		answers("http://"+free[0]+"/sandbox/x"))
	if err != nil {
		return err
	}
	return c.await(ctx, c.Sandbox)
}

func (c *Cluster) migrate(ctx context.Context) error { return c.once(ctx, "migrate") }

// startProduct starts all replicas, and waits for them: no API is ready without a worker.
func (c *Cluster) startProduct(ctx context.Context) error {
	err := c.together(func() error {
		var err error
		c.Target, err = c.replica(ctx, "target", "target", "CHAOS_TARGET_ADDR", func(addr, _ string) string { return "http://" + addr + "/healthz" })
		if err != nil {
			return err
		}
		for i := range replicas {
			worker, err := c.replica(ctx, fmt.Sprintf("worker-%d", i+1), "worker", "ADDR", func(_, ops string) string { return "http://" + ops + "/readyz" })
			if err != nil {
				return err
			}
			c.Workers = append(c.Workers, worker)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range append(slices.Clone(c.Workers), c.Target) {
		if err := c.await(ctx, p); err != nil {
			return err
		}
	}
	if err := c.once(ctx, "promote"); err != nil { // of a program that was built anew, too
		return err
	}
	return c.startAPIs(ctx)
}

func (c *Cluster) startAPIs(ctx context.Context) error {
	err := c.together(func() error {
		for i := range replicas {
			api, err := c.replica(ctx, fmt.Sprintf("api-%d", i+1), "api", "ADDR", func(addr, _ string) string { return "http://" + addr + "/readyz" })
			if err != nil {
				return err
			}
			c.APIs = append(c.APIs, api)
		}
		return nil
	})
	for _, p := range c.APIs {
		if err == nil {
			err = c.await(ctx, p)
		}
	}
	return err
}

// replica is a process of the product; its setting names the address at which it serves.
func (c *Cluster) replica(ctx context.Context, name, command, setting string, page func(addr, ops string) string) (*Process, error) {
	addr, err := ports.Address()
	if err != nil {
		return nil, err
	}
	ops, err := ports.Address()
	if err != nil {
		return nil, err
	}
	return c.keep(ctx, Program{
		Name: name, Path: c.options.Product, Args: []string{command}, Env: append(c.Environment(), setting+"="+addr, "OPS_ADDR="+ops),
	}, answers(page(addr, ops)))
}

// answers asks a page until it is well.
func answers(page string) func(context.Context) error {
	asking := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return err
		}
		reply, err := asking.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = reply.Body.Close() }()
		if reply.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(reply.Body, 500))
			return fmt.Errorf("%s answers %s %s", page, reply.Status, text)
		}
		return nil
	}
}
