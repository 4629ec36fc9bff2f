package probe

import (
	"context"
	"sync"
)

// Within returns a look its time.
func (p *Prober) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return p.within(ctx)
}

// EndLast lets the time of so many looks be over when all others have ended and hung has told of as many
// requests that are not answered, whatever the clock says.
func (p *Prober) EndLast(hanging int, hung <-chan struct{}) {
	var mu sync.Mutex
	running, left := map[context.Context]context.CancelFunc{}, len(pages)+2 // the supervisor and the worker are looked at, too
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
