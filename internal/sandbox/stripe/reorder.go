package stripe

import "time"

// later is what a reordered event waits for: that a later one was tried, but not for ever.
type later struct {
	tried chan struct{} // nil: it does not wait
	most  time.Duration
}

// number gives the next event its number, and what it waits for.
func (c *courier) number() (int, later) {
	rule, reordered := c.hits(Reorder)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	if !reordered {
		return c.sent, later{}
	}
	c.held[c.sent] = make(chan struct{})
	return c.sent, later{tried: c.held[c.sent], most: rule.Delay}
}

// tried lets go of the events that waited for this one.
func (c *courier) tried(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for earlier, waits := range c.held {
		if earlier < number {
			close(waits)
			delete(c.held, earlier)
		}
	}
}

// awaitLater says whether the sandbox is still open when the event may go.
func (c *courier) awaitLater(l later) bool {
	if l.tried == nil {
		return true
	}
	timer := time.NewTimer(l.most)
	defer timer.Stop()
	select {
	case <-l.tried:
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return c.ctx.Err() == nil
}
