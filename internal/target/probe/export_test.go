package probe

import (
	"context"
	"sync"
)

// Within applies the time limit of a check.
func (p *Prober) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return p.within(ctx)
}

// EndLast ends the last hanging checks once all others have ended and hung has received as many unanswered
// requests, independently of the clock.
func (p *Prober) EndLast(hanging int, hung <-chan struct{}) {
	var mu sync.Mutex
	running, left := map[context.Context]context.CancelFunc{}, len(pages)+2 // including those of the supervisor and the worker
	p.within = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		mu.Lock()
		defer mu.Unlock()
		running[ctx] = cancel
		return ctx, func() {
			cancel()
			mu.Lock()
			defer mu.Unlock()
			delete(running, ctx)
			if left--; left == hanging {
				go func() {
					for range hanging {
						<-hung
					}
					mu.Lock()
					defer mu.Unlock()
					for _, end := range running {
						end()
					}
				}()
			}
		}
	}
}
