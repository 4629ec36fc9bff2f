package httpapi

import (
	"context"
	"sync"
	"time"

	"customerzero/internal/domain/account"
)

// Limits enforces rate limits. *store.Limits implements it.
type Limits interface {
	Consume(ctx context.Context, limit account.Limit, whom string, at time.Time) error
	Check(ctx context.Context, limit account.Limit, whom string, at time.Time) error
}

// ConnLimiter bounds concurrent connections, overall and per address.
type ConnLimiter struct {
	mu      sync.Mutex
	all     int
	each    int
	taken   int
	takenBy map[string]int
}

// NewConnLimiter returns a limiter for all connections overall and each per address.
func NewConnLimiter(all, each int) *ConnLimiter {
	return &ConnLimiter{all: all, each: each, takenBy: map[string]int{}}
}

// Take reserves a connection. Call leave to release it.
func (p *ConnLimiter) Take(address string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.takenBy[address] >= p.each {
		return nil, false
	}
	p.taken++
	p.takenBy[address]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
		if p.takenBy[address]--; p.takenBy[address] == 0 {
			delete(p.takenBy, address)
		}
	}, true
}
