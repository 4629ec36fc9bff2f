// Package checkouts sells memberships through real processes while it kills them, cuts their database off, and lets
// Stripe fail, lose answers, and send its webhooks late, twice, in any order or never; forgers send theirs in between.
// Then it holds the database against Stripe's, against what buyers were told, and against their e-mails.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API and to the
// payment pages, reads the tables, and may not write to them. The product may not import it.
package checkouts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	smtpsandbox "customerzero/internal/sandbox/smtp"
	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

// CrashTest sells memberships.
var CrashTest = rig.CrashTest{Things: "checkouts", On: crash}

// world is everything that one run of the plan needs.
type world struct {
	*rig.Stage
	plan   plan
	ledger *ledger
	stripe *till
	mail   *postbox
	stuck  []string // what did not come to an end when all was well
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), ledger: &ledger{}}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	endUnrest := w.Unrest(ctx)
	w.chaos(ctx)
	endUnrest()
	if err := w.calm(ctx); err != nil {
		return rig.Report{}, err
	}
	e, err := w.inspect(ctx)
	return rig.Report{Counts: w.counts(e), Verdicts: rig.Judge(invariants, e)}, err
}

// budgetCents is what a month's discounts may come to: less than all buyers would get.
const budgetCents = 15_000

// begin starts Stripe, the mailbox and the product.
func (w *world) begin(ctx context.Context) error {
	var err error
	if w.stripe, err = openCheckoutConfig(w.Trap, w.URL); err != nil {
		return err
	}
	w.Later(w.stripe.close)
	if w.mail, err = openPostbox(); err != nil {
		return err
	}
	w.Later(w.mail.close)
	settings := append(w.stripe.settings(), "SMTP_URL="+w.mail.url, "TRUSTED_PROXIES=127.0.0.1", "RECONCILE_EVERY=2s",
		"OFFER_LIFE="+w.plan.offerLife.String(), "DISCOUNT_BUDGET_CENTS="+strconv.Itoa(budgetCents), "X_BASE_URL="+w.stripe.url)
	if err := w.StartProduct(ctx, settings...); err != nil {
		return err
	}
	return w.AwaitReady(ctx)
}

// chaos carries out the plan. It returns when everything in it was done.
func (w *world) chaos(ctx context.Context) {
	_ = w.stripe.SetFaults(w.plan.faults) // the rules are constants: a test sets them
	w.mail.SetFaults(w.plan.mailFaults)
	w.Diary.Note("chaos for %s", w.plan.chaos)
	began := time.Now()
	forging, stop := context.WithCancel(ctx)
	var forgers, doing sync.WaitGroup
	forgers.Go(func() { w.forge(forging) })
	for _, p := range w.plan.buyers {
		doing.Go(func() {
			if cluster.Wait(ctx, time.Until(began.Add(p.at))) {
				w.walk(ctx, p)
			}
		})
	}
	doing.Go(func() { w.Inflict(ctx, began, w.plan.damage) })
	doing.Wait()
	stop()
	forgers.Wait()
	w.Diary.Note("the chaos is over")
}

// forge sends webhooks that Stripe did not send, each about the newest page: it was paid, they say.
func (w *world) forge(ctx context.Context) {
	for n := 0; cluster.Wait(ctx, 400*time.Millisecond); n++ {
		kind := stripe.Forgeries[n%len(stripe.Forgeries)]
		status, err := w.stripe.Forge(ctx, kind)
		if err != nil || status == http.StatusBadGateway {
			continue // the API is dead: the reverse proxy answers 502; the webhook itself never does
		}
		w.ledger.forged.Add(status)
	}
}

// calm makes Stripe and the mailbox well, and waits until everything has come to an end. What
// never does is a breach, and not a reason to stop looking.
func (w *world) calm(ctx context.Context) error {
	if err := w.stripe.SetFaults(stripe.Faults{}); err != nil {
		return err
	}
	w.mail.SetFaults(smtpsandbox.Faults{})
	var err error
	w.stuck, err = w.Settle(ctx, func() ([]string, error) { return w.unsettled(ctx) })
	return err
}

// unsettled lists what goes on.
func (w *world) unsettled(ctx context.Context) ([]string, error) {
	var open []string
	for _, d := range w.stripe.Deliveries() {
		if d.Status == stripe.Pending {
			open = append(open, "webhook "+d.Event+" is on its way")
		}
	}
	if len(open) > 0 {
		return open, nil
	}
	found, err := readFacts(ctx, w.DB.Books())
	if err != nil {
		return nil, err
	}
	money, unbooked := evidence{facts: found, pages: w.stripe.money()}, rig.Breaches{}
	misbooked(money, &unbooked)
	misreturned(money, &unbooked)
	open = slices.Concat(found.open(), unbooked, found.unheeded(w.stripe.Events()))
	if len(open) > 0 {
		return open, nil
	}
	runs, err := w.ListRuns(ctx, "ExecutionStatus = 'Running' AND (WorkflowType = 'Checkout' OR WorkflowType = 'Refund' OR WorkflowType = 'Email')")
	for _, r := range runs {
		open = append(open, r.WorkflowID+" goes on")
	}
	return open, err
}

// open lists the rows that have not ended.
func (f facts) open() []string {
	var open []string
	for _, c := range f.checkouts {
		if c.state.Live() {
			open = append(open, fmt.Sprintf("checkout %s is %s", c.id, c.state))
		}
	}
	for _, l := range f.emails {
		if l.state == "pending" {
			open = append(open, "the email "+l.fact+" waits")
		}
	}
	return open
}

// inspect gathers all evidence, when everything is quiet.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.Books())
	e := evidence{
		facts: found, pages: w.stripe.money(), coupons: w.stripe.Coupons(), events: w.stripe.Events(), mail: w.mail.emails(), quotes: w.ledger.quotes.All(),
		receipts: w.ledger.paid.All(), strange: w.ledger.strange.All(), stuck: w.stuck, forged: w.ledger.forged.All(),
	}
	var errRuns, errFailures error
	e.runs, errRuns = rig.ReadRuns[workflows.CheckoutResult](ctx, w.Stage, "Checkout")
	e.failures, errFailures = w.readFailures(ctx)
	return e, errors.Join(err, errRuns, errFailures)
}

// e-mails lists what came, by the e-mail that its Message-ID names.
func (p *postbox) emails() []message {
	var came []message
	for _, m := range p.Messages() {
		id, _, _ := strings.Cut(strings.Trim(m.Headers["Message-ID"], "<>"), "@")
		came = append(came, message{id, strings.Join(m.To, " ")})
	}
	return came
}

func (w *world) counts(e evidence) rig.Counts {
	counts := rig.Counts{
		"calls repeated": int(w.ledger.repeats.Load()), "pages paid too late": int(w.ledger.late.Load()), "members": len(e.members),
		"emails": len(e.mail), "events at Stripe": len(e.events), "events forged": len(e.forged),
	}
	for _, c := range e.checkouts {
		counts["checkouts "+string(c.state)]++
	}
	return counts
}
