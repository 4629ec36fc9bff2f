package httpapi

import (
	"context"
	"slices"
	"sync"
	"time"

	"customerzero/internal/domain/account"
)

// Limits enforces rate limits. *store.Limits implements it.
type Limits interface {
	Consume(ctx context.Context, limit account.Limit, whom string, at time.Time) error
	ConsumeAll(ctx context.Context, uses []account.Use, at time.Time) error
	Check(ctx context.Context, limit account.Limit, subject string, at time.Time) error
}

// ConnLimiter bounds concurrent connections, overall and for each network. When all are taken, a caller whose network
// has fewer than another one's replaces that network's oldest.
type ConnLimiter struct {
	mu   sync.Mutex
	all  int
	each int
	open []*conn // oldest first
}

type conn struct {
	network string
	ended   chan struct{}
}

// NewConnLimiter returns a limiter for all connections overall and each for a network.
func NewConnLimiter(all, each int) *ConnLimiter { return &ConnLimiter{all: all, each: each} }

// Take reserves a connection, which must end when ended is closed. Call leave to release it.
func (p *ConnLimiter) Take(network string) (ended <-chan struct{}, leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[string]int{}
	for _, c := range p.open {
		counts[c.network]++
	}
	if counts[network] >= p.each || len(p.open) >= p.all && !p.replace(counts, network) {
		return nil, nil, false
	}
	taken := &conn{network, make(chan struct{})}
	p.open = append(p.open, taken)
	return taken.ended, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open = slices.DeleteFunc(p.open, func(c *conn) bool { return c == taken })
	}, true
}

// replace ends the oldest connection of the network that has the most, unless the caller would then have as many.
func (p *ConnLimiter) replace(counts map[string]int, network string) bool {
	oldest := -1
	for i, c := range p.open {
		if oldest < 0 || counts[c.network] > counts[p.open[oldest].network] {
			oldest = i
		}
	}
	if oldest < 0 || counts[p.open[oldest].network] <= counts[network]+1 {
		return false
	}
	close(p.open[oldest].ended)
	p.open = slices.Delete(p.open, oldest, oldest+1)
	return true
}
