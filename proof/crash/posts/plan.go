package posts

import (
	"fmt"
	"math/rand/v2"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// members sponsor some of the posts; the founders write the others.
var members = []string{"ada", "grace", "edsger", "barbara"}

// plan is everything that will be done, and when, counted from the start of the chaos.
type plan struct {
	chaos     time.Duration
	posts     []plannedPost
	damage    rig.Damage
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

// When a death hurts.
const (
	sending  rig.Moment = "X has been called"
	taken    rig.Moment = "X has decided, its answer is not out"
	answered rig.Moment = "X has just answered"
	looking  rig.Moment = "X is asked for the timeline"
	writing  rig.Moment = "a post is being written"
	ordering rig.Moment = "an order is under way"
)

var (
	workerMoments = []rig.Moment{rig.AnyTime, sending, taken, answered, answered, looking, ordering, ordering}
	apiMoments    = []rig.Moment{rig.AnyTime, writing, writing, ordering}
)

// newPlan makes the plan of a seed.
func newPlan(o rig.Options) plan {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	p := plan{chaos: max(time.Duration(o.Kills)*10*time.Second, time.Duration(o.Count)*600*time.Millisecond)}
	reach := min(40*time.Second, p.chaos/3) // how far ahead posts are scheduled
	for n := range o.Count {
		p.posts = append(p.posts, planPost(chance, n, o.Seed, p.chaos-reach, reach))
	}
	p.damage.Kills = append(rig.PlanKills(chance, rig.TheWorker, o.Kills, p.chaos, workerMoments),
		rig.PlanKills(chance, rig.TheAPI, rig.Fewer(o.Kills, 3), p.chaos, apiMoments)...)
	p.damage.Cuts = rig.PlanCuts(chance, rig.Fewer(o.Kills, 2), p.chaos)
	for range o.Count / 10 {
		kind := []orderKind{retry, retry, cancelling}[chance.IntN(3)]
		p.decisions = append(p.decisions, plannedDecision{rig.Between(chance, p.chaos/4, p.chaos), kind})
	}
	p.faults = planFaults(chance, o.Seed)
	return p
}

func planPost(chance *rand.Rand, n int, seed uint64, until, reach time.Duration) plannedPost {
	p := plannedPost{at: rig.Between(chance, 0, until), text: newText(chance, n, seed)}
	if i := chance.IntN(len(members) + 1); i < len(members) {
		p.member = members[i]
	}
	if chance.IntN(3) > 0 {
		p.ahead = rig.Between(chance, reach/4, reach)
	}
	for chance.IntN(4) == 0 && len(p.orders) < 3 {
		p.orders = append(p.orders, planOrder(chance, p, reach))
	}
	return p
}

// planOrder likes the moment at which the post goes out: that is where orders hurt.
func planOrder(chance *rand.Rand, p plannedPost, reach time.Duration) plannedOrder {
	kind := []orderKind{edit, edit, reschedule, reschedule, cancelling}[chance.IntN(5)]
	order := plannedOrder{kind: kind, after: rig.Between(chance, 0, p.ahead+time.Second), version: chance.IntN(2) == 0}
	if chance.IntN(2) == 0 {
		order.after = p.ahead + rig.Between(chance, 0, time.Second) - 500*time.Millisecond
	}
	switch kind {
	case edit:
		order.text = fmt.Sprintf("%s (edit %d)", p.text, len(p.orders)+1)
	case reschedule:
		order.ahead = rig.Between(chance, time.Second, reach/2)
	case cancelling, retry:
	}
	return order
}
