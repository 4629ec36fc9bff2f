// Package probe checks the chaos target from outside, and sends commands to its supervisor. A check
// that cannot be made counts as failing; it does not guess what only the supervisor knows.
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

// Prober looks at one chaos target. The zero value is of no use: see New.
type Prober struct {
	targetURL     string
	supervisorURL string
	key           string
	client        *http.Client
	// Timeout bounds each part of a probe. New sets target.ProbeTimeout.
	Timeout time.Duration
	within  func(context.Context) (context.Context, context.CancelFunc) // gives a look its time

	picture atomic.Pointer[string] // its hash, as the supervisor's manifest said last
}

// New makes the prober of the chaos target whose pages are at targetURL, and whose supervisor is at
// supervisorURL and expects the key.
func New(targetURL, supervisorURL, key string) *Prober {
	p := &Prober{
		targetURL: strings.TrimRight(targetURL, "/"), supervisorURL: strings.TrimRight(supervisorURL, "/"), key: key,
		client: &http.Client{
			// A connection that was kept would belong to a process that may be dead.
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

// Probe looks at everything at once. It describes what it saw, and never that it could not look.
func (p *Prober) Probe(ctx context.Context) target.Sample {
	sample := target.Sample{At: time.Now().UTC()}
	looking, stop := context.WithCancel(ctx)
	defer stop()

	var mu sync.Mutex
	var looks sync.WaitGroup
	look := func(see func(context.Context) target.Failing) {
		looks.Go(func() {
			within, cancel := p.within(looking)
			defer cancel()
			failing := see(within)
			mu.Lock()
			defer mu.Unlock()
			sample.Failing |= failing
		})
	}
	look(func(ctx context.Context) target.Failing {
		process, failing := p.checkSupervisor(ctx)
		sample.Process = process // only this goroutine writes it
		if failing.Has(target.CheckProcess) {
			stop() // the others cannot be answered
		}
		return failing
	})
	look(p.checkWorker)
	for _, page := range pages {
		look(func(ctx context.Context) target.Failing { return p.checkPage(ctx, page) })
	}
	looks.Wait()
	sample.Took = time.Since(sample.At)
	return sample
}

// checkSupervisor asks what can be seen from inside only.
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
