package checkouts

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	checkoutapi "customerzero/api/checkout"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// patience is how long a buyer tries to get what they want.
const patience = 10 * time.Minute

// buyer is somebody with a browser.
type buyer struct {
	*world
	plannedBuyer
	browser *rig.Caller
}

func (w *world) newBuyer(p plannedBuyer) *buyer {
	header := http.Header{}
	if p.habit == uncounted {
		header.Set("Dnt", "1")
	}
	b := &buyer{w, p, w.CallerFrom(p.address, header)}
	b.browser.HTTP.Jar, _ = cookiejar.New(nil) // it has no options that could be wrong
	b.browser.HTTP.Timeout = 3 * time.Minute
	if p.hasty {
		b.browser.HTTP.Timeout = 1500 * time.Millisecond
	}
	return b
}

// note writes the diary.
func (b *buyer) note(format string, args ...any) {
	b.Diary.Note("buyer %d (%s) %s", b.number, b.habit, fmt.Sprintf(format, args...))
}

// insist repeats a call until it is answered.
func (b *buyer) insist(ctx context.Context, method, path string, body, reply any) bool {
	var a rig.Answer
	answered := cluster.Until(ctx, patience, func() bool {
		if a.Outcome == rig.Unclear {
			b.ledger.repeats.Add(1)
			cluster.Wait(ctx, 300*time.Millisecond)
		}
		a = b.browser.Call(ctx, method, path, body, reply)
		return a.Outcome != rig.Unclear
	})
	if answered && a.Outcome == rig.Success || ctx.Err() != nil {
		return answered
	}
	b.ledger.strange.Add(fmt.Sprintf("buyer %d (%s): %s %s ended %s", b.number, b.habit, method, path, a))
	return false
}

// look opens the page with the prices.
func (b *buyer) look(ctx context.Context) {
	b.insist(ctx, http.MethodPost, "/api/visits", checkoutapi.Visit{Page: "pricing"}, &checkoutapi.Counted{})
}

// ask asks for a price and a page, until there is one; nil: there never was.
func (b *buyer) ask(ctx context.Context, fullPrice bool) *quote {
	b.Trap.ReachSoon(asking)
	var told checkoutapi.PaymentStarted
	wish := checkoutapi.NewPayment{Service: checkout.Service, FullPrice: fullPrice}
	if !b.insist(ctx, http.MethodPost, "/api/dynamic-payment", wish, &told) || told.CheckoutID == "" {
		return nil
	}
	q := quote{buyer: b.number, checkoutID: told.CheckoutID, page: told.PaymentURL, ends: told.ExpiresAt, cents: pricing.ListCents}
	if told.PricingDetails != nil {
		q.cents, q.personal = told.PricingDetails.FinalPrice, told.PricingDetails.Personal
	}
	b.note("was told %s: %d cents, until %s", q.checkoutID, q.cents, q.ends.Format("15:04:05"))
	b.ledger.quotes.Add(q)
	return &q
}

// pay pays a page with a good card, and says whether it could be paid.
func (b *buyer) pay(ctx context.Context, q quote) bool {
	switch status := rig.Pay(ctx, q.page, b.email, "4242"); status {
	case http.StatusSeeOther:
		b.note("paid %s", q.checkoutID)
		return true
	case http.StatusGone:
		b.note("came too late for %s", q.checkoutID)
		b.ledger.late.Add(1)
	case http.StatusPaymentRequired: // the coupon's end is the page's end, and clocks move between two looks
		b.note("came too late for the discount of %s", q.checkoutID)
		b.ledger.late.Add(1)
	default:
		b.ledger.strange.Add(fmt.Sprintf("buyer %d could not pay %s: %d", b.number, q.checkoutID, status))
	}
	return false
}

// await waits on the page that one comes to after paying, until the checkout stands so.
func (b *buyer) await(ctx context.Context, q quote, states ...checkout.State) bool {
	came := cluster.Until(ctx, patience, func() bool {
		if b.looks {
			b.browser.Call(ctx, http.MethodPost, "/api/checkouts/"+q.checkoutID+"/refresh", nil, &httpapi.Done{})
		}
		var r checkoutapi.Receipt
		a := b.browser.Call(ctx, http.MethodGet, "/api/receipts/"+q.checkoutID, nil, &r)
		if a.Outcome == rig.Success && r.ID == q.checkoutID && slices.Contains(states, checkout.State(r.State)) {
			return true
		}
		cluster.Wait(ctx, 500*time.Millisecond)
		return false
	})
	if !came && ctx.Err() == nil {
		b.ledger.strange.Add(fmt.Sprintf("buyer %d (%s) was never told that %s is %v", b.number, b.habit, q.checkoutID, states))
	}
	return came
}

// awaitReceipt waits for the word that it is paid. Who paid twice gets the money back at once.
func (b *buyer) awaitReceipt(ctx context.Context, q quote) bool {
	if !b.await(ctx, q, checkout.Paid, checkout.Refunded) {
		return false
	}
	b.note("was told that %s is paid", q.checkoutID)
	b.ledger.paid.Add(receipt{b.number, q.checkoutID})
	return true
}

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
		if rig.Pay(ctx, q.page, b.email, "0002") == http.StatusPaymentRequired {
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
	b.insist(ctx, http.MethodPost, "/api/checkouts/"+q.checkoutID+"/cancel", nil, &httpapi.Done{})
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
	b.note("gets the money of %s back: %d", q.checkoutID, rig.Refund(ctx, b.stripe.url, q.page))
	if b.habit == refunded || !b.await(ctx, q, checkout.Refunded) {
		return
	}
	if next := b.ask(ctx, false); next != nil {
		b.buy(ctx, *next)
	}
}

// ledger is what buyers and forgers were told.
type ledger struct {
	quotes  rig.Notes[quote]
	paid    rig.Notes[receipt]
	strange rig.Notes[string] // answers that nobody should get
	forged  rig.Notes[int]    // statuses that forged webhooks were answered with
	repeats atomic.Int32      // calls that were made again
	late    atomic.Int32      // who came after the end of the page
}

// quote is a price that a buyer was told. Whoever asks for the full price is told no price.
type quote struct {
	buyer      int
	checkoutID string
	page       string
	ends       time.Time
	cents      int
	personal   bool
}

// receipt says that a buyer was told that they had paid.
type receipt struct {
	buyer      int
	checkoutID string
}
