package checkouts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/cluster"
)

// longest is how long it may take, when all is well again, until everything has ended: the
// last offer's life, and what Temporal believes of a worker that died last.
const longest = 15 * time.Minute

// calm makes Stripe and the mailbox well, and waits until everything has come to an end. What
// never does is a breach, and not a reason to stop looking.
func (w *world) calm(ctx context.Context) error {
	var err error
	if w.faults, err = w.stripe.fired(ctx); err != nil {
		return err
	}
	if err := w.stripe.SetFaults(stripe.Faults{}); err != nil {
		return err
	}
	w.mail.ClearFaults()
	cluster.Until(ctx, longest, func() bool {
		cluster.Wait(ctx, 200*time.Millisecond)
		w.stuck, err = w.unsettled(ctx)
		return err == nil && len(w.stuck) == 0
	})
	w.Diary.Note("settled, but for %d", len(w.stuck))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
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
	open = slices.Concat(found.open(), missed(found, w.stripe.money()), found.unheeded(w.stripe.events()))
	if len(open) > 0 {
		return open, nil
	}
	runs, err := w.ListRuns(ctx, "ExecutionStatus = 'Running' AND (WorkflowType = 'Checkout' OR WorkflowType = 'Refund' OR WorkflowType = 'Mail')")
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
	for _, l := range f.letters {
		if l.state == "pending" {
			open = append(open, "the letter "+l.fact+" waits")
		}
	}
	return open
}

// missed lists the money that the books do not know.
func missed(f facts, pages []page) []string {
	var open []string
	for _, p := range pages {
		c := f.bySession(p.id)
		switch {
		case !p.paid:
		case c == nil || !c.state.Settled():
			open = append(open, p.id+" is paid, and not booked")
		case c.refundedCents != p.refunded:
			open = append(open, fmt.Sprintf("%s: %d cents went back, %d are booked", p.id, p.refunded, c.refundedCents))
		case c.code != "" && !strings.EqualFold(string(c.state), "refunded"):
			open = append(open, c.id+" is to be given back: "+c.code)
		}
	}
	return open
}
