// Package checkouts is the crash test of purchases: it sells memberships while it kills processes, cuts the
// database, and lets Stripe fail, lose responses, and send webhooks late, twice, out of order or never, with
// forged ones in between. Then it compares the database with Stripe, with what buyers were shown, and with
// their e-mails.
//
// It uses the product as a client: HTTP to the API and the payment pages, and read access to the tables.
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

type world struct {
	*rig.Stage
	plan   plan
	ledger *ledger
	stripe *stripeServer
	mail   *mailServer
	stuck  []string // what did not end after the faults were over
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), ledger: &ledger{}}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	stopRestarts := w.RollRestarts(ctx)
	w.chaos(ctx)
	stopRestarts()
	if err := w.calm(ctx); err != nil {
		return rig.Report{}, err
	}
	e, err := w.inspect(ctx)
	return rig.Report{Counts: w.counts(e), Verdicts: rig.Judge(invariants, e)}, err
}

// budgetCents is the monthly discount budget: less than all buyers' discounts.
const budgetCents = 15_000

func (w *world) begin(ctx context.Context) error {
	var err error
	if w.stripe, err = openStripe(w.Trap, w.URL); err != nil {
		return err
	}
	w.Later(w.stripe.close)
	if w.mail, err = openMailServer(); err != nil {
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

// chaos carries out the plan, and returns when all of it is done.
func (w *world) chaos(ctx context.Context) {
	_ = w.stripe.SetFaults(w.plan.faults) // the rules are constants: a test sets them
	w.mail.SetFaults(w.plan.mailFaults)
	w.Events.Note("chaos for %s", w.plan.chaos)
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
	w.Events.Note("the chaos is over")
}

// forge sends forged webhooks that claim that the newest page was paid.
func (w *world) forge(ctx context.Context) {
	for n := 0; cluster.Wait(ctx, 400*time.Millisecond); n++ {
		kind := stripe.Forgeries[n%len(stripe.Forgeries)]
		status, err := w.stripe.Forge(ctx, kind)
		if err != nil || status == http.StatusBadGateway {
			continue // no API is up: the reverse proxy answers 502, the webhook itself never does
		}
		w.ledger.forged.Add(status)
	}
}

// calm removes the faults and waits until everything has ended. A checkout that never ends is a violation, not an error.
func (w *world) calm(ctx context.Context) error {
	if err := w.stripe.SetFaults(stripe.Faults{}); err != nil {
		return err
	}
	w.mail.SetFaults(smtpsandbox.Faults{})
	var err error
	w.stuck, err = w.Settle(ctx, func() ([]string, error) { return w.unsettled(ctx) })
	return err
}

func (w *world) unsettled(ctx context.Context) ([]string, error) {
	var open []string
	for _, d := range w.stripe.Deliveries() {
		if d.Status == stripe.Pending {
			open = append(open, "webhook "+d.Event+" is pending")
		}
	}
	if len(open) > 0 {
		return open, nil
	}
	found, err := readFacts(ctx, w.DB.SQL())
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
		open = append(open, r.WorkflowID+" is open")
	}
	return open, err
}

func (f facts) open() []string {
	var open []string
	for _, c := range f.checkouts {
		if c.state.Live() {
			open = append(open, fmt.Sprintf("checkout %s is %s", c.id, c.state))
		}
	}
	for _, l := range f.emails {
		if l.state == "pending" {
			open = append(open, "e-mail "+l.fact+" is pending")
		}
	}
	return open
}

func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.SQL())
	e := evidence{
		facts: found, pages: w.stripe.money(), coupons: w.stripe.Coupons(), events: w.stripe.Events(), mail: w.mail.emails(), quotes: w.ledger.quotes.All(),
		receipts: w.ledger.paid.All(), unexpected: w.ledger.unexpected.All(), stuck: w.stuck, forged: w.ledger.forged.All(),
	}
	var errRuns, errFailures error
	e.runs, errRuns = rig.ReadRuns[workflows.CheckoutResult](ctx, w.Stage, "Checkout")
	e.failures, errFailures = w.readFailures(ctx)
	return e, errors.Join(err, errRuns, errFailures)
}

// emails lists the received e-mails by the ID in their Message-ID.
func (p *mailServer) emails() []message {
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
