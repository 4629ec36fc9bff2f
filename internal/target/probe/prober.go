// Package probe looks at the chaos target from outside, and gives its supervisor orders. What it cannot
// see it calls failing; what only the supervisor could know it does not guess.
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
	cellURL   string
	keeperURL string
	key       string
	client    *http.Client
	// Timeout bounds each part of a probe. New sets cell.ProbeTimeout.
	Timeout time.Duration
	within  func(context.Context) (context.Context, context.CancelFunc) // gives a look its time

	picture atomic.Pointer[string] // its hash, as the supervisor's manifest said last
}

// New makes the prober of the chaos target whose pages are at cellURL, and whose supervisor takes orders at
// keeperURL from whoever has the key.
func New(cellURL, keeperURL, key string) *Prober {
	p := &Prober{
		cellURL: strings.TrimRight(cellURL, "/"), keeperURL: strings.TrimRight(keeperURL, "/"), key: key,
		client: &http.Client{
			// A connection that was kept would belong to a process that may be dead.
			Transport: telemetry.Transport(&http.Transport{DisableKeepAlives: true, DisableCompression: true}),
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a chaos target sends nobody elsewhere
			},
		},
		Timeout: target.ProbeTimeout,
	}
	p.within = func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, p.Timeout)
	}
	return p
}

// Probe looks at everything at once. It says what it saw, and never that it could not look.
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
		process, failing := p.seeKeeper(ctx)
		sample.Process = process // nobody else writes it
		if failing.Has(target.CheckProcess) {
			stop() // nobody is there to answer the others
		}
		return failing
	})
	look(p.seeWorker)
	for _, page := range pages {
		look(func(ctx context.Context) target.Failing { return p.seePage(ctx, page) })
	}
	looks.Wait()
	sample.Took = time.Since(sample.At)
	return sample
}

// seeKeeper asks what can be seen from inside only.
func (p *Prober) seeKeeper(ctx context.Context) (process int, failing target.Failing) {
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
