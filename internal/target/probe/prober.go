// Package probe checks the chaos target from outside and sends commands to its supervisor. A check that
// cannot be made counts as failed, except those that only the supervisor can make.
package probe

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/telemetry"
)

// Prober checks one chaos target. Use New.
type Prober struct {
	targetURL     string
	supervisorURL string
	key           string
	client        *http.Client
	// Timeout limits each check of a probe. New sets it to target.ProbeTimeout.
	Timeout time.Duration
	within  func(context.Context) (context.Context, context.CancelFunc) // applies Timeout to a check

	picture atomic.Pointer[string] // the preview image's hash in the last manifest
}

// New returns a prober of the chaos target at targetURL, whose supervisor is at supervisorURL and expects the
// key.
func New(targetURL, supervisorURL, key string) *Prober {
	p := &Prober{
		targetURL: strings.TrimRight(targetURL, "/"), supervisorURL: strings.TrimRight(supervisorURL, "/"), key: key,
		client: &http.Client{
			// A reused connection may belong to a dead process.
			Transport: telemetry.Transport(&http.Transport{DisableKeepAlives: true, DisableCompression: true}),
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a chaos target has no redirects
			},
		},
		Timeout: target.ProbeTimeout,
	}
	p.within = func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, p.Timeout)
	}
	return p
}

// Probe makes all checks concurrently and returns the result.
func (p *Prober) Probe(ctx context.Context) target.Sample {
	sample := target.Sample{At: time.Now().UTC()}
	checking, stop := context.WithCancel(ctx)
	defer stop()

	var mu sync.Mutex
	var checks sync.WaitGroup
	start := func(check func(context.Context) target.Failing) {
		checks.Go(func() {
			within, cancel := p.within(checking)
			defer cancel()
			failing := check(within)
			mu.Lock()
			defer mu.Unlock()
			sample.Failing |= failing
		})
	}
	start(func(ctx context.Context) target.Failing {
		process, failing := p.checkSupervisor(ctx)
		sample.Process = process // only this goroutine writes it
		if failing.Has(target.CheckProcess) {
			stop() // without a process, the other checks would only time out
		}
		return failing
	})
	start(p.checkWorker)
	for _, page := range pages {
		start(func(ctx context.Context) target.Failing { return p.checkPage(ctx, page) })
	}
	checks.Wait()
	sample.Took = time.Since(sample.At)
	return sample
}

// checkSupervisor makes the checks that are only possible from inside.
func (p *Prober) checkSupervisor(ctx context.Context) (process int, failing target.Failing) {
	seen, err := p.Inspect(ctx)
	if err != nil {
		return 0, target.Failed(target.CheckSupervisor)
	}
	for _, name := range seen.Files {
		failing |= target.Failed(target.FileCheck(name))
	}
	if seen.Process.ID == 0 {
		failing |= target.Failed(target.CheckProcess)
	}
	if seen.Database != "" {
		failing |= target.Failed(target.CheckDatabase)
	}
	return seen.Process.ID, failing
}
