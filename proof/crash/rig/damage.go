package rig

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/cluster"
)

const patience = 6 * time.Second

// Process is a group of processes that can be killed.
type Process string

const (
	TheWorker Process = "worker"
	TheAPI    Process = "api"
)

// Kill is a planned SIGKILL. Times count from the start of the chaos.
type Kill struct {
	Who   Process
	Which int // index in the group, modulo its size
	At    time.Duration
	When  Moment
	Pause time.Duration // until the process is restarted
}

// Cut disconnects the product from its database for a while.
type Cut struct{ At, Length time.Duration }

// Damage is everything that is done to the product's processes and database.
type Damage struct {
	Kills []Kill
	Cuts  []Cut
}

// PlanKills spreads kills over the chaos. Some keep the process down for longer than callers wait.
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

// PlanCuts spreads database cuts over the chaos.
func PlanCuts(chance *rand.Rand, n int, chaos time.Duration) []Cut {
	var cuts []Cut
	for i := range n {
		cuts = append(cuts, Cut{Spread(chance, i, n, chaos), Between(chance, time.Second, 2*time.Second)})
	}
	return cuts
}

// Spread returns the i-th of n random times within length, with a minimum distance between them.
func Spread(chance *rand.Rand, i, n int, length time.Duration) time.Duration {
	part := length / time.Duration(n)
	return time.Duration(i)*part + Between(chance, part/5, part)
}

// Between returns a random duration in [least, most).
func Between(chance *rand.Rand, least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(chance.Int64N(int64(most-least))).Truncate(time.Millisecond)
}

// Fewer returns kills/divisor, at least 1, or 0 without kills.
func Fewer(kills, divisor int) int {
	if kills == 0 {
		return 0
	}
	return max(1, kills/divisor)
}

// Inflict does the damage and returns when all of it is done.
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

// KillWorker kills a worker now and restarts it after the pause.
func (s *Stage) KillWorker(ctx context.Context, which int, pause time.Duration) {
	s.kill(ctx, Kill{Who: TheWorker, Which: which, When: AnyTime, Pause: pause})
}

// KillWorkers kills all workers now, so that no run advances during the pause.
func (s *Stage) KillWorkers(ctx context.Context, pause time.Duration) {
	var killing sync.WaitGroup
	for i := range s.Workers {
		killing.Go(func() { s.KillWorker(ctx, i, pause) })
	}
	killing.Wait()
}

// kill waits for the moment and kills the process. If it is down, kill waits until it runs again.
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
	s.Events.Note("killed the %s, for %s: %s", p.Program().Name, k.Pause, k.When)
}

func (s *Stage) cutAll(ctx context.Context, began time.Time, cuts []Cut) {
	for _, c := range cuts {
		if !cluster.Wait(ctx, time.Until(began.Add(c.At))) {
			return
		}
		s.Events.Note("the database is cut for %s", c.Length)
		from := time.Now()
		err := s.DB.Cut(ctx, c.Length)
		s.harms.Add(harm{from, time.Now().Add(afterCut)})
		if err != nil {
			s.Events.Note("it was not: %v", err)
			continue
		}
		s.cuts.Add(1)
	}
}

// Moment is a point in a call at which a kill is likely to do damage.
type Moment string

// AnyTime is a moment that is always now.
const AnyTime Moment = "at any time"

// Trap runs an action when a moment is reached the next time. The goroutine that reaches it blocks until the
// action is done.
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

// do waits for the moment, or until patience is over, and runs the action.
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

// Reach runs the actions that wait for the moment.
func (t *Trap) Reach(m Moment) {
	t.mu.Lock()
	set := t.sets[m]
	delete(t.sets, m)
	t.mu.Unlock()
	for _, s := range set {
		s.spring()
	}
}

// ReachSoon calls Reach after 0 to 30 ms, so that repeated calls hit different steps after the moment.
func (t *Trap) ReachSoon(m Moment) {
	time.AfterFunc(time.Duration(t.calls.Add(1)%16)*2*time.Millisecond, func() { t.Reach(m) })
}
