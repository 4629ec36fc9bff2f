package posts

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
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
	kind  orderKind
	after time.Duration // since the post was written
	text  string        // edit
	ahead time.Duration // reschedule: how far ahead of that moment
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
	p := plannedPost{at: rig.Between(chance, 0, until), text: fmt.Sprintf(texts[chance.IntN(len(texts))], n+1, seed%1_000_000)}
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
	order := plannedOrder{kind: kind, after: rig.Between(chance, 0, p.ahead+time.Second)}
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

// watched tells the trap how far a call has got.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/2/tweets":
			trap.Reach(sending)
			w = &rig.LateAnswer{ResponseWriter: w, Trap: trap, Moment: taken}
			defer trap.ReachSoon(answered)
		case strings.HasSuffix(r.URL.Path, "/tweets"):
			defer trap.ReachSoon(looking)
		}
		next.ServeHTTP(w, r)
	})
}

// sendTimeout is how long X may take to answer. All of the product's waits follow from it.
const sendTimeout = 500 * time.Millisecond

// texts hold what X shows in another form than it was written in.
var texts = []string{
	"Release %d is out. Notes at https://example.com/notes/%d?a=1&b=2 as always.",
	"No. %d: 1 < 2 && 3 > 2, says example.com/Path/%d/",
	"Straße %d, naïve café, 東京 🎉 %d",
	"Plain words, number %d of recurring posts %d.",
}

// shares say how many calls each fault hits. A late tweet stays within the time that the
// product waits before it looks; beyond it, nobody can tell a late tweet from none.
var shares = []xsandbox.Rule{
	{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Rate: 0.06}, // a clear no: these fail, and give everything back
	{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Rate: 0.07},
	{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.UnavailableAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnPost, Fault: xsandbox.Late, Rate: 0.04, Delay: sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.Unavailable, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.DropBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.HangBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Rate: 0.08, Delay: 2 * time.Second},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.05, Delay: sendTimeout / 2},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.04, Delay: 2 * sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.NoCredits, Rate: 0.07},
	{On: xsandbox.OnRead, Fault: xsandbox.Unavailable, Rate: 0.08},
	{On: xsandbox.OnRead, Fault: xsandbox.DropBefore, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.HangAfter, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.RateLimit, Rate: 0.06, Delay: time.Second},
	{On: xsandbox.OnRead, Fault: xsandbox.NoCredits, Rate: 0.05}, // the timeline cannot be read: unknown
}

func planFaults(chance *rand.Rand, seed uint64) xsandbox.Faults {
	faults := xsandbox.Faults{Seed: seed}
	for _, rule := range shares {
		rule.Rate *= 0.5 + chance.Float64()
		faults.Rules = append(faults.Rules, rule)
	}
	return faults
}
