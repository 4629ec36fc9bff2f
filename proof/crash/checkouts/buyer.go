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

const patience = 10 * time.Minute

// buyer is a simulated buyer with a cookie jar.
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
	return b
}

func (b *buyer) note(format string, args ...any) {
	b.Events.Note("buyer %d (%s) %s", b.number, b.habit, fmt.Sprintf(format, args...))
}

// insist repeats a call until its outcome is clear, and returns whether it succeeded. An impatient buyer waits twice as
// long each time: with a fixed timeout, a slow machine would never respond in time, and the rate limit would end the test.
func (b *buyer) insist(ctx context.Context, method, path string, body, reply any) bool {
	var a rig.Answer
	timeout := b.browser.HTTP.Timeout
	if b.impatient {
		timeout = 1500 * time.Millisecond
	}
	answered := cluster.Until(ctx, patience, func() bool {
		if a.Outcome == rig.Unclear {
			b.ledger.repeats.Add(1)
			cluster.Wait(ctx, 300*time.Millisecond)
		}
		call, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		a = b.browser.Call(call, method, path, body, reply)
		timeout = min(2*timeout, b.browser.HTTP.Timeout)
		return a.Outcome != rig.Unclear
	})
	if answered && a.Outcome == rig.Success || ctx.Err() != nil {
		return answered
	}
	b.ledger.unexpected.Add(fmt.Sprintf("buyer %d (%s): %s %s ended %s", b.number, b.habit, method, path, a))
	return false
}

func (b *buyer) openPricing(ctx context.Context) {
	b.insist(ctx, http.MethodPost, "/api/visits", checkoutapi.Visit{Page: "pricing"}, &checkoutapi.Counted{})
}

// requestQuote requests a price and a payment page. It returns nil if there is none.
func (b *buyer) requestQuote(ctx context.Context, fullPrice bool) *quote {
	b.Trap.ReachSoon(requesting)
	var started checkoutapi.PaymentStarted
	request := checkoutapi.NewPayment{Service: checkout.Service, FullPrice: fullPrice}
	if !b.insist(ctx, http.MethodPost, "/api/dynamic-payment", request, &started) || started.CheckoutID == "" {
		return nil
	}
	q := quote{buyer: b.number, checkoutID: started.CheckoutID, page: started.PaymentURL, ends: started.ExpiresAt, cents: pricing.ListCents}
	if started.PricingDetails != nil {
		q.cents, q.personal = started.PricingDetails.FinalPrice, started.PricingDetails.Personal
	}
	b.note("was quoted %s: %d cents, until %s", q.checkoutID, q.cents, q.ends.Format("15:04:05"))
	b.ledger.quotes.Add(q)
	return &q
}

// pay pays a page with a valid card and returns whether the payment was accepted.
func (b *buyer) pay(ctx context.Context, q quote) bool {
	switch status := rig.Pay(ctx, q.page, b.email, "4242"); status {
	case http.StatusSeeOther:
		b.note("paid %s", q.checkoutID)
		return true
	case http.StatusGone:
		b.note("came too late for %s", q.checkoutID)
		b.ledger.late.Add(1)
	case http.StatusPaymentRequired: // coupon and page expire at the same time; the coupon may be checked later
		b.note("came too late for the discount of %s", q.checkoutID)
		b.ledger.late.Add(1)
	default:
		b.ledger.unexpected.Add(fmt.Sprintf("buyer %d could not pay %s: %d", b.number, q.checkoutID, status))
	}
	return false
}

// await polls the success page until the checkout has one of the states.
func (b *buyer) await(ctx context.Context, q quote, states ...checkout.State) bool {
	came := cluster.Until(ctx, patience, func() bool {
		if b.refreshes {
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
		b.ledger.unexpected.Add(fmt.Sprintf("buyer %d (%s) never saw that %s is %v", b.number, b.habit, q.checkoutID, states))
	}
	return came
}

// awaitReceipt waits until the receipt is paid, or refunded as a duplicate payment.
func (b *buyer) awaitReceipt(ctx context.Context, q quote) bool {
	if !b.await(ctx, q, checkout.Paid, checkout.Refunded) {
		return false
	}
	b.note("saw that %s is paid", q.checkoutID)
	b.ledger.paid.Add(receipt{b.number, q.checkoutID})
	return true
}

func (w *world) walk(ctx context.Context, p plannedBuyer) {
	b := w.newBuyer(p)
	b.openPricing(ctx)
	cluster.Wait(ctx, b.pause)
	q := b.requestQuote(ctx, p.habit == full)
	if q == nil {
		return
	}
	cluster.Wait(ctx, b.pause)
	b.act(ctx, *q)
}

// act does what the buyer's habit does with a payment page.
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
			if next := b.requestQuote(ctx, false); next != nil {
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

// buyTwice pays a second page, at the full price, at the same time.
func (b *buyer) buyTwice(ctx context.Context, q quote) {
	second := b.requestQuote(ctx, true)
	if second == nil {
		return
	}
	b.both(func() { b.buy(ctx, q) }, func() { b.buy(ctx, *second) })
}

// getBack refunds the payment on Stripe's dashboard, every second time before the product has seen the
// payment. Some buyers buy again afterwards.
func (b *buyer) getBack(ctx context.Context, q quote) {
	if !b.pay(ctx, q) {
		return
	}
	if b.number%2 == 0 && !b.awaitReceipt(ctx, q) {
		return
	}
	b.note("is refunded %s: %d", q.checkoutID, rig.Refund(ctx, b.stripe.url, q.page))
	if b.habit == refunded || !b.await(ctx, q, checkout.Refunded) {
		return
	}
	if next := b.requestQuote(ctx, false); next != nil {
		b.buy(ctx, *next)
	}
}

// ledger records the responses to buyers and to forged webhooks.
type ledger struct {
	quotes     rig.Notes[quote]
	paid       rig.Notes[receipt]
	unexpected rig.Notes[string] // unexpected responses
	forged     rig.Notes[int]    // statuses of the responses to forged webhooks
	repeats    atomic.Int32      // repeated calls
	late       atomic.Int32      // payments after the page had expired
}

// quote is a price that a buyer was shown. For full-price requests it is the list price.
type quote struct {
	buyer      int
	checkoutID string
	page       string
	ends       time.Time
	cents      int
	personal   bool
}

// receipt records that a buyer was shown a paid receipt.
type receipt struct {
	buyer      int
	checkoutID string
}
