package rig

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Moment is when a death hurts.
type Moment string

// AnyTime needs no waiting for.
const AnyTime Moment = "at any time"

// Trap does something at the next moment of a kind. Whoever reaches the moment waits for it.
type Trap struct {
	calls atomic.Uint32
	mu    sync.Mutex
	sets  map[Moment][]*snare
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
func (t *Trap) do(ctx context.Context, m Moment, patience time.Duration, act func()) {
	s := &snare{act: act, sprung: make(chan struct{})}
	if m == AnyTime {
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

func (t *Trap) set(m Moment, s *snare) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sets == nil {
		t.sets = map[Moment][]*snare{}
	}
	t.sets[m] = append(t.sets[m], s)
}

// Reach says that such a Moment is now.
func (t *Trap) Reach(m Moment) {
	t.mu.Lock()
	set := t.sets[m]
	delete(t.sets, m)
	t.mu.Unlock()
	for _, s := range set {
		s.spring()
	}
}

// ReachSoon reaches a Moment that begins now: not always at the same point of it, so that
// each step that follows is hit some time.
func (t *Trap) ReachSoon(m Moment) {
	time.AfterFunc(time.Duration(t.calls.Add(1)%16)*2*time.Millisecond, func() { t.Reach(m) })
}
