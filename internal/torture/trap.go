package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// moment is when a death hurts.
type moment string

const (
	anyTime  moment = "at any time"
	sending  moment = "X has been called"
	taken    moment = "X has decided, its answer is not out"
	answered moment = "X has just answered"
	looking  moment = "X is asked for the timeline"
	writing  moment = "a post is being written"
	ordering moment = "an order is under way"
)

// trap does something at the next moment of a kind. Whoever reaches the moment waits for it.
type trap struct {
	calls atomic.Uint32
	mu    sync.Mutex
	sets  map[moment][]*snare
}

type snare struct {
	act    func()
	once   sync.Once
	sprung chan struct{}
}

func (s *snare) spring() {
	s.once.Do(func() {
		s.act()
		close(s.sprung)
	})
}

// do waits for the moment, for as long as patience lasts, and acts.
func (t *trap) do(ctx context.Context, m moment, patience time.Duration, act func()) {
	s := &snare{act: act, sprung: make(chan struct{})}
	if m == anyTime {
		patience = 0
	} else {
		t.set(m, s)
	}
	select {
	case <-s.sprung:
	case <-time.After(patience):
	case <-ctx.Done():
	}
	s.spring()
}

func (t *trap) set(m moment, s *snare) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sets == nil {
		t.sets = map[moment][]*snare{}
	}
	t.sets[m] = append(t.sets[m], s)
}

// reach says that such a moment is now.
func (t *trap) reach(m moment) {
	t.mu.Lock()
	set := t.sets[m]
	delete(t.sets, m)
	t.mu.Unlock()
	for _, s := range set {
		s.spring()
	}
}

// reachSoon reaches a moment that begins now: not always at the same point of it, so that
// each step that follows is hit some time.
func (t *trap) reachSoon(m moment) {
	time.AfterFunc(time.Duration(t.calls.Add(1)%16)*2*time.Millisecond, func() { t.reach(m) })
}
