package checkouts

import (
	"context"
	"net/http"
	"sync"
	"time"

	"customerzero/api"
	"customerzero/internal/domain/checkout"
	"customerzero/proof/cluster"
)

// walk is all that a buyer does.
func (w *world) walk(ctx context.Context, p plannedBuyer) {
	b := w.newBuyer(p)
	b.look(ctx)
	cluster.Wait(ctx, b.pause)
	q := b.ask(ctx, p.habit == full)
	if q == nil {
		return
	}
	cluster.Wait(ctx, b.pause)
	b.act(ctx, *q)
}

// act is what a buyer does with a page.
func (b *buyer) act(ctx context.Context, q quote) {
	switch b.habit {
	case pays, full, uncounted:
		b.buy(ctx, q)
	case late:
		cluster.Wait(ctx, time.Until(q.ends.Add(-b.edge)))
		b.buy(ctx, q)
	case declined:
		if b.stripe.pay(ctx, q.page, b.email, "0002") == http.StatusPaymentRequired {
			cluster.Wait(ctx, b.pause)
			b.buy(ctx, q)
		}
	case again:
		for range 3 {
			if next := b.ask(ctx, false); next != nil {
				q = *next
			}
		}
		b.buy(ctx, q)
	case cancels:
		b.cancel(ctx, q)
	case wavers:
		b.both(func() { b.cancel(ctx, q) }, func() { b.buy(ctx, q) })
	case leaves:
	case twice:
		b.buyTwice(ctx, q)
	case refunded, returns:
		b.getBack(ctx, q)
	}
}

func (b *buyer) buy(ctx context.Context, q quote) {
	if b.pay(ctx, q) {
		b.awaitReceipt(ctx, q)
	}
}

func (b *buyer) cancel(ctx context.Context, q quote) {
	b.Trap.ReachSoon(givenUp)
	b.insist(ctx, http.MethodPost, "/api/checkouts/"+q.checkoutID+"/cancel", nil, &api.Done{})
	b.note("cancelled %s", q.checkoutID)
}

func (b *buyer) both(one, other func()) {
	var doing sync.WaitGroup
	doing.Go(one)
	doing.Go(other)
	doing.Wait()
}

// buyTwice has the page at the full price in a second tab.
func (b *buyer) buyTwice(ctx context.Context, q quote) {
	second := b.ask(ctx, true)
	if second == nil {
		return
	}
	b.both(func() { b.buy(ctx, q) }, func() { b.buy(ctx, *second) })
}

// getBack has the money sent back at the dashboard: every other time before anybody here
// knows that it was paid. Some buy again after it.
func (b *buyer) getBack(ctx context.Context, q quote) {
	if !b.pay(ctx, q) {
		return
	}
	if b.number%2 == 0 && !b.awaitReceipt(ctx, q) {
		return
	}
	b.note("gets the money of %s back: %d", q.checkoutID, b.stripe.refund(ctx, q.page))
	if b.habit == refunded || !b.await(ctx, q, checkout.Refunded) {
		return
	}
	if next := b.ask(ctx, false); next != nil {
		b.buy(ctx, *next)
	}
}
