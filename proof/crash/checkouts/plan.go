package checkouts

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	smtpsandbox "customerzero/internal/sandbox/smtp"
	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/crash/rig"
)

// plan is everything that will be done. Times count from the start of the chaos.
type plan struct {
	chaos      time.Duration
	offerLife  time.Duration // how long a page can be paid
	buyers     []plannedBuyer
	damage     rig.Damage
	faults     stripe.Faults
	mailFaults smtpsandbox.Faults
}

type habit string

const (
	pays      habit = "pays"
	late      habit = "pays at the last moment"
	declined  habit = "is declined, then pays"
	again     habit = "requests several prices, then pays"
	cancels   habit = "cancels"
	wavers    habit = "cancels and pays at the same time"
	leaves    habit = "never pays"
	full      habit = "requests the full price"
	uncounted habit = "sends Do Not Track"
	twice     habit = "pays twice in two tabs"
	refunded  habit = "is refunded"
	returns   habit = "is refunded, then buys again"
)

// habits is the distribution from which habits are drawn.
var habits = []habit{
	pays, pays, pays, late, late, late, declined, declined, again, again, cancels, cancels, wavers, wavers, leaves, leaves, leaves,
	full, uncounted, twice, twice, refunded, refunded, returns,
}

type plannedBuyer struct {
	at        time.Duration
	number    int
	habit     habit
	email     string
	address   netip.Addr
	pause     time.Duration // between two steps
	edge      time.Duration // late: time between the payment and the end of the page; may be negative
	impatient bool          // has a short timeout
	refreshes bool          // opens the success page, which refreshes the checkout from Stripe
}

// The moments of a kill.
const (
	requesting rig.Moment = "a price is requested"
	making     rig.Moment = "Stripe creates a coupon or a page"
	made       rig.Moment = "a coupon or a page is created, the response is not sent"
	returned   rig.Moment = "Stripe has just returned a page"
	paid       rig.Moment = "a buyer has just paid"
	givenUp    rig.Moment = "a buyer has just cancelled"
	sentBack   rig.Moment = "a payment was just refunded"
)

var (
	workerMoments = []rig.Moment{rig.AnyTime, requesting, making, made, made, returned, returned, paid, givenUp, sentBack}
	apiMoments    = []rig.Moment{rig.AnyTime, requesting, requesting, making, made, paid, paid, givenUp, sentBack}
)

// newPlan makes the plan of a seed. With few buyers, offers are short.
func newPlan(o rig.Options) plan {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	p := plan{
		chaos: max(time.Duration(o.Kills)*5*time.Second, time.Duration(o.Count)*500*time.Millisecond), offerLife: 30 * time.Second,
	}
	if o.Count < 100 {
		p.offerLife = 8 * time.Second
	}
	for n := range o.Count {
		p.buyers = append(p.buyers, planBuyer(chance, n, p.chaos))
	}
	p.damage.Kills = append(rig.PlanKills(chance, rig.TheWorker, o.Kills, p.chaos, workerMoments),
		rig.PlanKills(chance, rig.TheAPI, o.Kills, p.chaos, apiMoments)...)
	p.damage.Cuts = rig.PlanCuts(chance, rig.Fewer(o.Kills, 2), p.chaos)
	p.faults = planFaults(chance, o.Seed, p.offerLife)
	p.mailFaults = smtpsandbox.Faults{Times: o.Count / 10, Code: 451}
	return p
}

func planBuyer(chance *rand.Rand, n int, chaos time.Duration) plannedBuyer {
	return plannedBuyer{
		at: rig.Between(chance, 0, chaos), number: n + 1, habit: habits[chance.IntN(len(habits))],
		email:     fmt.Sprintf("buyer-%d@example.com", n+1),
		address:   netip.MustParseAddr(fmt.Sprintf("10.%d.%d.%d", n/250, n%250, 1+chance.IntN(250))),
		pause:     rig.Between(chance, 0, 1500*time.Millisecond),
		edge:      rig.Between(chance, 0, 1500*time.Millisecond) - 300*time.Millisecond,
		impatient: chance.IntN(4) == 0, refreshes: chance.IntN(2) == 0,
	}
}

// calls are the faults of Stripe's API, each with its share of calls.
var calls = []stripe.Rule{
	{Fault: stripe.Broken, Rate: 0.05},
	{Fault: stripe.BrokenAfter, Rate: 0.05},
	{Fault: stripe.DropBefore, Rate: 0.03},
	{Fault: stripe.DropAfter, Rate: 0.04},
	{Fault: stripe.HangBefore, Rate: 0.015},
	{Fault: stripe.HangAfter, Rate: 0.02},
	{Fault: stripe.RateLimit, Rate: 0.04, Delay: time.Second},
	{Fault: stripe.Conflict, Rate: 0.03},
	{Fault: stripe.Slow, Rate: 0.03, Delay: 1500 * time.Millisecond},
}

// hooks are the faults of its webhooks. Several may apply to one webhook.
var hooks = []stripe.Rule{
	{Fault: stripe.Lose, Rate: 0.2},
	{Fault: stripe.Duplicate, Rate: 0.1, Copies: 4},
	{Fault: stripe.Duplicate, Rate: 0.1, Copies: 2},
	{Fault: stripe.Duplicate, Rate: 0.15, Copies: 1},
	{Fault: stripe.Delay, Rate: 0.15, Delay: 5 * time.Second},
	{Fault: stripe.Reorder, Rate: 0.15, Delay: 4 * time.Second},
}

func planFaults(chance *rand.Rand, seed uint64, offerLife time.Duration) stripe.Faults {
	pastTheEnd := stripe.Rule{On: stripe.OnWebhook, Fault: stripe.Delay, Rate: 0.06, Delay: offerLife + 5*time.Second}
	faults := stripe.Faults{Seed: seed, Rules: []stripe.Rule{pastTheEnd}}
	for _, rule := range calls {
		rule.On = stripe.OnAny
		rule.Rate *= 0.5 + chance.Float64()
		faults.Rules = append(faults.Rules, rule)
	}
	for _, rule := range hooks {
		rule.On = stripe.OnWebhook
		faults.Rules = append(faults.Rules, rule)
	}
	return faults
}
