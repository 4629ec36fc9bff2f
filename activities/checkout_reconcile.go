package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/checkout"
)

const (
	eventsAtOnce = 500
	// overlap is looked through again: the service may list an event a little late.
	overlap = 10 * time.Minute
	// firstLook is how far back the first round looks: the service forgets events after that.
	firstLook = 30 * 24 * time.Hour
	// overdue is how long after its end a page is surely settled by its own run.
	overdue = 2 * time.Minute
)

type ReconcilePaymentsInput struct{}

// ReconcilePaymentsResult counts what had been missed.
type ReconcilePaymentsResult struct {
	Events int // that no webhook had brought, or that had not been acted on
	Woken  int // checkouts whose run was gone
}

// ReconcilePayments looks through the payment service's events for those whose webhook never
// came, and wakes the runs that they concern. Safe to repeat.
func (a *Checkout) ReconcilePayments(ctx context.Context, _ ReconcilePaymentsInput) (ReconcilePaymentsResult, error) {
	var result ReconcilePaymentsResult
	began := a.Now()
	since, err := a.Book.LookedUntil(ctx)
	if err != nil {
		return result, err
	}
	from := began.Add(-firstLook)
	if since != nil {
		from = since.Add(-overlap)
	}
	events, err := a.Payments.Events(ctx, from, eventsAtOnce)
	if err != nil {
		return result, asPaymentFailure(err)
	}
	until := began
	for _, e := range events {
		missed, err := a.heed(ctx, e)
		if err != nil {
			return result, err
		}
		if missed {
			result.Events++
		}
	}
	if len(events) == eventsAtOnce { // the oldest come first; the next round goes on from the last
		until = events[len(events)-1].CreatedAt.Add(overlap)
	}
	if result.Woken, err = a.wakeOverdue(ctx); err != nil {
		return result, err
	}
	return result, a.Book.SetLookedUntil(ctx, until)
}

// heed acts on an event, unless that was done. One that is not ours, or not yet, is left: the
// rounds overlap.
func (a *Checkout) heed(ctx context.Context, e checkout.Event) (missed bool, err error) {
	id, heeded, err := a.Book.NoteEvent(ctx, e, a.Now())
	if err != nil || heeded || id == "" {
		return false, err
	}
	if err := a.Runs.HeedPayment(ctx, id, e.Matter()); err != nil {
		return false, err
	}
	return true, a.Book.HeedEvent(ctx, e.ID, a.Now())
}

// wakeOverdue gives a run to checkouts that should have ended: theirs was ended by force.
func (a *Checkout) wakeOverdue(ctx context.Context) (int, error) {
	late, err := a.Book.OverdueCheckouts(ctx, a.Now().Add(-overdue))
	if err != nil {
		return 0, err
	}
	for _, c := range late {
		if err := a.Runs.StartCheckout(ctx, c.ID); err != nil {
			return 0, err
		}
	}
	return len(late), nil
}
