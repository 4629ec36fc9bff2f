package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"
)

// environment sets the environment of the product's processes. They inherit nothing else from this process.
func (c *Cluster) environment(x, smtp, control string) {
	c.SandboxURL, c.SMTP, c.TargetControlURL = "http://"+x, "smtp://"+smtp+"?tls=none", "http://"+control
	c.env = slices.Concat([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.options.Dir, "DATA_DIR=" + c.options.Dir, "PUBLIC_URL=" + c.URL,
		"DATABASE_URL=" + c.database, "TEMPORAL_ADDRESS=" + c.TemporalAddress, "TEMPORAL_UI_URL=" + c.TemporalURL,
		"TRUSTED_PROXIES=127.0.0.1", "DRAIN_DELAY=2s", "WORKER_DEPLOYMENT=customerzero",
		"X_SANDBOX_ADDR=" + x, "SMTP_SANDBOX_ADDR=" + smtp, "STRIPE_SANDBOX_HOOK=" + c.URL + "/webhooks/stripe",
		"CHAOS_TARGET_URL=" + c.TargetURL, "CHAOS_TARGET_CONTROL_ADDR=" + control, "CHAOS_TARGET_CONTROL_URL=" + c.TargetControlURL,
	}, c.options.Settings)
}

func (c *Cluster) startSandbox(ctx context.Context) error {
	free, err := freeAddresses(3)
	if err != nil {
		return err
	}
	c.environment(free[0], free[1], free[2])
	c.Sandbox, err = c.begin(ctx, Program{Name: "sandbox", Path: c.options.Product, Args: []string{"sandbox"}, Env: c.env},
		answers("http://"+free[0]+"/sandbox/x"))
	return err
}

func (c *Cluster) migrate(ctx context.Context) error { return c.once(ctx, "migrate") }

// startProduct starts all instances and waits for them, workers first: no API is ready without a worker.
func (c *Cluster) startProduct(ctx context.Context) (err error) {
	c.Target, err = c.replica(ctx, "target", "target", "CHAOS_TARGET_ADDR", func(addr, _ string) string { return addr + "/healthz" })
	if err == nil {
		c.Workers, err = c.replicas(ctx, "worker", func(_, ops string) string { return ops + "/readyz" })
	}
	for _, p := range append(slices.Clone(c.Workers), c.Target) {
		if err == nil {
			err = c.await(ctx, p)
		}
	}
	if err == nil {
		err = c.once(ctx, "promote") // the directory may be of an older build
	}
	if err == nil {
		c.APIs, err = c.replicas(ctx, "api", func(addr, _ string) string { return addr + "/readyz" })
	}
	for _, p := range c.APIs {
		if err == nil {
			err = c.await(ctx, p)
		}
	}
	return err
}

func (c *Cluster) replicas(ctx context.Context, command string, page func(addr, ops string) string) (all []*Process, err error) {
	for i := range replicas {
		p, err := c.replica(ctx, fmt.Sprintf("%s-%d", command, i+1), command, "ADDR", page)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, nil
}

// replica starts an instance of a command; setting is the name of its listen address.
func (c *Cluster) replica(ctx context.Context, name, command, setting string, page func(addr, ops string) string) (*Process, error) {
	free, err := freeAddresses(2)
	if err != nil {
		return nil, err
	}
	return c.keep(ctx, Program{
		Name: name, Path: c.options.Product, Args: []string{command}, Env: append(c.Environment(), setting+"="+free[0], "OPS_ADDR="+free[1]),
	}, answers("http://"+page(free[0], free[1])))
}

// answers returns a check that a page answers 200.
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
