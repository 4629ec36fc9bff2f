package rig

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"customerzero/internal/cluster"
)

// patience is how long a killer waits for the moment it likes.
const patience = 6 * time.Second

// Victim is a process that is killed.
type Victim string

const (
	TheWorker Victim = "worker"
	TheAPI    Victim = "api"
)

// Kill is a death that is planned. Times count from the start of the chaos.
type Kill struct {
	Who   Victim
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

// PlanKills spreads deaths over the chaos. Some leave the process dead for longer than
// its callers wait.
func PlanKills(chance *rand.Rand, who Victim, n int, chaos time.Duration, moments []Moment) []Kill {
	var kills []Kill
	for i := range n {
		kill := Kill{
			Who: who, At: Spread(chance, i, n, chaos), When: moments[chance.IntN(len(moments))],
			Pause: Between(chance, 100*time.Millisecond, 3*time.Second),
		}
		if chance.IntN(4) == 0 {
			kill.Pause += 5 * time.Second
		}
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

// Inflict does the damage, and returns when all of it was done.
func (s *Stage) Inflict(ctx context.Context, began time.Time, d Damage) {
	var doing sync.WaitGroup
	doing.Go(func() { s.killAll(ctx, began, s.Worker, TheWorker, d.Kills) })
	doing.Go(func() { s.killAll(ctx, began, s.API, TheAPI, d.Kills) })
	doing.Go(func() { s.cutAll(ctx, began, d.Cuts) })
	doing.Wait()
}

func (s *Stage) killAll(ctx context.Context, began time.Time, p *cluster.Process, who Victim, kills []Kill) {
	for _, k := range kills {
		if k.Who == who && cluster.Wait(ctx, time.Until(began.Add(k.At))) {
			s.kill(ctx, p, k)
		}
	}
}

// KillWorker kills the worker now, and leaves it dead for a while.
func (s *Stage) KillWorker(ctx context.Context, pause time.Duration) {
	s.kill(ctx, s.Worker, Kill{Who: TheWorker, When: AnyTime, Pause: pause})
}

// kill waits for the moment, and kills; a victim that is dead just then has to live first.
func (s *Stage) kill(ctx context.Context, p *cluster.Process, k Kill) {
	dead := false
	s.Trap.do(ctx, k.When, patience, func() { dead = p.Kill(k.Pause) })
	if !dead {
		cluster.Until(ctx, time.Minute, func() bool { return p.Kill(k.Pause) })
	}
	s.Diary.Note("killed the %s, for %s: %s", k.Who, k.Pause, k.When)
}

func (s *Stage) cutAll(ctx context.Context, began time.Time, cuts []Cut) {
	for _, c := range cuts {
		if !cluster.Wait(ctx, time.Until(began.Add(c.At))) {
			return
		}
		s.Diary.Note("the database is cut for %s", c.Length)
		if err := s.DB.cut(ctx, c.Length); err != nil {
			s.Diary.Note("it was not: %v", err)
			continue
		}
		s.mu.Lock()
		s.cuts++
		s.mu.Unlock()
	}
}
