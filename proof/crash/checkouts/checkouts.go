// Package checkouts sells memberships through real processes while it kills them, cuts their
// database off, and lets Stripe fail, lose answers, and send its webhooks late, twice, in any
// order or never; forgers send theirs in between. Then it holds the books against Stripe's,
// against what buyers were told, and against their letters.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API and to the
// payment pages, reads the tables, and may not write to them. The product may not import it.
package checkouts

import (
	"context"
	"strconv"
	"sync"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
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
	faults map[string]int // those that hit a call or a webhook, by kind
	stuck  []string       // what did not come to an end when all was well
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), ledger: &ledger{forged: map[int]int{}}}
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
	return w.report(e), err
}

// budgetCents is what a month's discounts may come to: less than all buyers would get.
const budgetCents = 15_000

// begin starts Stripe, the mailbox and the product.
func (w *world) begin(ctx context.Context) error {
	var err error
	if w.stripe, err = openTill(w.Trap, w.URL); err != nil {
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
	_ = w.mail.SetFaults(w.plan.mailFaults)
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
