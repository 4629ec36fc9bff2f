package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
)

// members sponsor some of the posts; the founders write the others.
var members = []string{"ada", "grace", "edsger", "barbara"}

// plan is everything that will be done, and when, counted from the start of the chaos.
type plan struct {
	chaos     time.Duration
	posts     []plannedPost
	kills     []plannedKill
	cuts      []plannedCut
	decisions []plannedDecision
	faults    xsandbox.Faults
}

// plannedDecision is what somebody does about a failed or unknown post: retry or cancel.
type plannedDecision struct {
	at   time.Duration
	kind orderKind
}

type plannedPost struct {
	at     time.Duration
	text   string
	member string        // empty: the founders
	ahead  time.Duration // how far ahead it is scheduled; 0: for now
	orders []plannedOrder
}

type orderKind string

const (
	edit       orderKind = "edit"
	reschedule orderKind = "reschedule"
	cancelling orderKind = "cancel"
	retry      orderKind = "retry"
)

type plannedOrder struct {
	kind    orderKind
	after   time.Duration // since the post was written
	text    string        // edit
	ahead   time.Duration // reschedule: how far ahead of that moment
	version bool          // tell which version was seen
}

// victim is a process that is killed.
type victim string

const (
	theWorker victim = "worker"
	theAPI    victim = "api"
)

type plannedKill struct {
	who   victim
	at    time.Duration
	when  moment
	pause time.Duration // until it is started again
}

type plannedCut struct{ at, length time.Duration }

// newPlan makes the plan of a seed.
func newPlan(o options) plan {
	chance := rand.New(rand.NewPCG(o.seed, 0))
	p := plan{chaos: max(time.Duration(o.kills)*10*time.Second, time.Duration(o.posts)*600*time.Millisecond)}
	reach := min(40*time.Second, p.chaos/3) // how far ahead posts are scheduled
	for n := range o.posts {
		p.posts = append(p.posts, planPost(chance, n, o.seed, p.chaos-reach, reach))
	}
	p.kills = append(planKills(chance, theWorker, o.kills, p.chaos), planKills(chance, theAPI, max(1, o.kills/3), p.chaos)...)
	for i := range max(1, o.kills/2) {
		p.cuts = append(p.cuts, plannedCut{spread(chance, i, max(1, o.kills/2), p.chaos), between(chance, time.Second, 2*time.Second)})
	}
	for range o.posts / 10 {
		kind := []orderKind{retry, retry, cancelling}[chance.IntN(3)]
		p.decisions = append(p.decisions, plannedDecision{between(chance, p.chaos/4, p.chaos), kind})
	}
	p.faults = planFaults(chance, o.seed)
	return p
}

func planPost(chance *rand.Rand, n int, seed uint64, until, reach time.Duration) plannedPost {
	p := plannedPost{at: between(chance, 0, until), text: newText(chance, n, seed)}
	if i := chance.IntN(len(members) + 1); i < len(members) {
		p.member = members[i]
	}
	if chance.IntN(3) > 0 {
		p.ahead = between(chance, reach/4, reach)
	}
	for chance.IntN(4) == 0 && len(p.orders) < 3 {
		p.orders = append(p.orders, planOrder(chance, p, reach))
	}
	return p
}

// planOrder likes the moment at which the post goes out: that is where orders hurt.
func planOrder(chance *rand.Rand, p plannedPost, reach time.Duration) plannedOrder {
	kind := []orderKind{edit, edit, reschedule, reschedule, cancelling}[chance.IntN(5)]
	order := plannedOrder{kind: kind, after: between(chance, 0, p.ahead+time.Second), version: chance.IntN(2) == 0}
	if chance.IntN(2) == 0 {
		order.after = p.ahead + between(chance, 0, time.Second) - 500*time.Millisecond
	}
	switch kind {
	case edit:
		order.text = fmt.Sprintf("%s (edit %d)", p.text, len(p.orders)+1)
	case reschedule:
		order.ahead = between(chance, time.Second, reach/2)
	case cancelling, retry:
	}
	return order
}

// planKills spreads deaths over the chaos. Some leave the process dead for longer than
// its callers wait.
func planKills(chance *rand.Rand, who victim, n int, chaos time.Duration) []plannedKill {
	moments := map[victim][]moment{
		theWorker: {anyTime, sending, taken, answered, answered, looking, ordering, ordering},
		theAPI:    {anyTime, writing, writing, ordering},
	}[who]
	var kills []plannedKill
	for i := range n {
		kill := plannedKill{
			who: who, at: spread(chance, i, n, chaos), when: moments[chance.IntN(len(moments))],
			pause: between(chance, 100*time.Millisecond, 3*time.Second),
		}
		if chance.IntN(4) == 0 {
			kill.pause += 5 * time.Second
		}
		kills = append(kills, kill)
	}
	return kills
}

// spread gives the i-th of n moments, which do not come too close to each other.
func spread(chance *rand.Rand, i, n int, length time.Duration) time.Duration {
	part := length / time.Duration(n)
	return time.Duration(i)*part + between(chance, part/5, part)
}

func between(chance *rand.Rand, least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(chance.Int64N(int64(most-least))).Truncate(time.Millisecond)
}
