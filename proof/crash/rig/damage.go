package rig

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/cluster"
)

// patience is how long a killer waits for the moment it likes.
const patience = 6 * time.Second

// Process is a process that is killed.
type Process string

const (
	TheWorker Process = "worker"
	TheAPI    Process = "api"
)

// Kill is a death that is planned. Times count from the start of the chaos.
type Kill struct {
	Who   Process
	Which int // of a group, counted on when it is smaller
	At    time.Duration
	When  Moment
	Pause time.Duration // until it is started again
}

// Cut keeps the product from its database for a while.
type Cut struct{ At, Length time.Duration }

// Damage is all that is done to the product's processes and to its database.
type Damage struct {
	Kills []Kill
	Cuts  []Cut
}

// PlanKills spreads deaths over the chaos. Some leave the process dead for longer than its callers wait.
func PlanKills(chance *rand.Rand, who Process, n int, chaos time.Duration, moments []Moment) []Kill {
	var kills []Kill
	for i := range n {
		kill := Kill{
			Who: who, At: Spread(chance, i, n, chaos), When: moments[chance.IntN(len(moments))],
			Pause: Between(chance, 100*time.Millisecond, 3*time.Second),
		}
		if chance.IntN(4) == 0 {
			kill.Pause += 5 * time.Second
		}
		kill.Which = chance.IntN(1000)
		kills = append(kills, kill)
	}
	return kills
}

// PlanCuts spreads cuts of the database over the chaos.
func PlanCuts(chance *rand.Rand, n int, chaos time.Duration) []Cut {
	var cuts []Cut
	for i := range n {
		cuts = append(cuts, Cut{Spread(chance, i, n, chaos), Between(chance, time.Second, 2*time.Second)})
	}
	return cuts
}

// Spread gives the i-th of n moments, which do not come too close to each other.
func Spread(chance *rand.Rand, i, n int, length time.Duration) time.Duration {
	part := length / time.Duration(n)
	return time.Duration(i)*part + Between(chance, part/5, part)
}

// Between gives a time from least on, and before most.
func Between(chance *rand.Rand, least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(chance.Int64N(int64(most-least))).Truncate(time.Millisecond)
}

// Fewer is how many lesser harms come with so many: none with none, at least one otherwise.
func Fewer(kills, divisor int) int {
	if kills == 0 {
		return 0
	}
	return max(1, kills/divisor)
}

// Inflict does the damage, and returns when all of it was done.
func (s *Stage) Inflict(ctx context.Context, began time.Time, d Damage) {
	var doing sync.WaitGroup
	for _, k := range d.Kills {
		doing.Go(func() {
			if cluster.Wait(ctx, time.Until(began.Add(k.At))) {
				s.kill(ctx, k)
			}
		})
	}
	doing.Go(func() { s.cutAll(ctx, began, d.Cuts) })
	doing.Wait()
}

// KillWorker kills a worker now, and leaves it dead for a while.
func (s *Stage) KillWorker(ctx context.Context, which int, pause time.Duration) {
	s.kill(ctx, Kill{Who: TheWorker, Which: which, When: AnyTime, Pause: pause})
}

// KillWorkers kills every worker now: for a while nobody carries a run.
func (s *Stage) KillWorkers(ctx context.Context, pause time.Duration) {
	var killing sync.WaitGroup
	for i := range s.Workers {
		killing.Go(func() { s.KillWorker(ctx, i, pause) })
	}
	killing.Wait()
}

// kill waits for the moment, and kills; a victim that is dead just then has to live first.
func (s *Stage) kill(ctx context.Context, k Kill) {
	group := s.Workers
	if k.Who == TheAPI {
		group = s.APIs
	}
	p, dead := group[k.Which%len(group)], false
	strike := func() bool {
		dead = dead || p.Kill(k.Pause)
		return dead
	}
	s.Trap.do(ctx, k.When, patience, func() { strike() })
	cluster.Until(ctx, 5*time.Minute, strike)
	if k.Who == TheAPI {
		s.harms.Add(harm{time.Now().Add(-p.Unharmed()), time.Now().Add(afterKill)})
	}
	s.Diary.Note("killed the %s, for %s: %s", p.Program().Name, k.Pause, k.When)
}

func (s *Stage) cutAll(ctx context.Context, began time.Time, cuts []Cut) {
	for _, c := range cuts {
		if !cluster.Wait(ctx, time.Until(began.Add(c.At))) {
			return
		}
		s.Diary.Note("the database is cut for %s", c.Length)
		from := time.Now()
		err := s.DB.Cut(ctx, c.Length)
		s.harms.Add(harm{from, time.Now().Add(afterCut)})
		if err != nil {
			s.Diary.Note("it was not: %v", err)
			continue
		}
		s.cuts.Add(1)
	}
}

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
