package workflows_test

import (
	"context"
	"strconv"
	"sync"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
)

// bank is a small payment service: it keeps coupons and pages, answers the same to the same
// key, and takes a script of failures.
type bank struct {
	sync.Mutex
	fails  map[string][]error // of each kind of call: the next answers
	always map[string]error   // in place of that
	late   bool               // what it fails to answer is done all the same

	coupons map[string]int // percent
	pages   map[string]*checkout.Session
	kept    map[string]error // by key: a failure that it repeats
	asked   map[string]any   // by key: what the answer was to
	calls   []string
	during  map[string]func() // what happens while it is called so
	stays   bool              // a page does not end, whoever wants it to
	now     func() time.Time
}

func newBank(now func() time.Time) *bank {
	return &bank{
		fails: map[string][]error{}, always: map[string]error{}, coupons: map[string]int{},
		pages: map[string]*checkout.Session{}, kept: map[string]error{}, asked: map[string]any{}, during: map[string]func(){}, now: now,
	}
}

var (
	bankBroken  = &checkout.PaymentError{Class: checkout.PaymentBroken, Code: "stripe_broken", Message: "Stripe has trouble of its own."}
	bankMixedUp = &checkout.PaymentError{Class: checkout.PaymentBroken, Code: "stripe_idempotency_error", Message: "Stripe was asked this before with other details."}
	bankAway    = &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: "stripe_unreachable", Message: "Stripe cannot be reached."}
	bankBusy    = &checkout.PaymentError{Class: checkout.PaymentLimited, Code: "stripe_limited", Message: "Stripe takes no more requests."}
	bankRefuses = &checkout.PaymentError{Class: checkout.PaymentRefused, Code: "stripe_refused", Message: "Stripe refused this."}
	bankForbids = &checkout.PaymentError{Class: checkout.PaymentForbidden, Code: "stripe_forbidden", Message: "Stripe does not accept our key."}
	bankLost    = &checkout.PaymentError{Class: checkout.PaymentGone, Code: "stripe_gone", Message: "Stripe has no such thing."}
)

// answer is what a call meets before it is done.
func (b *bank) answer(call string) error {
	b.calls = append(b.calls, call)
	if happens := b.during[call]; happens != nil {
		happens()
	}
	if err := b.always[call]; err != nil {
		return err
	}
	if script := b.fails[call]; len(script) > 0 {
		b.fails[call] = script[1:]
		return script[0]
	}
	return nil
}

// under is an answer that the service repeats under the same key, where it failed. A key is
// for one question.
func (b *bank) under(key, call string, question any) error {
	b.calls = append(b.calls, key)
	if before := b.asked[key]; before != nil && before != question {
		return bankMixedUp
	}
	b.asked[key] = question
	if err := b.kept[key]; err != nil {
		b.calls = append(b.calls, call)
		return err
	}
	err := b.answer(call)
	if err == bankBroken { //nolint:errorlint // this one alone
		b.kept[key] = err
	}
	return err
}

func (b *bank) CreateCoupon(_ context.Context, o checkout.Offer) (string, error) {
	b.Lock()
	defer b.Unlock()
	err := b.under("coupon "+strconv.Itoa(o.Attempt), "coupon", o)
	if err == nil || b.late {
		b.coupons[checkout.CouponID(o.CheckoutID)] = o.DiscountPercent
	}
	return checkout.CouponID(o.CheckoutID), err
}

func (b *bank) DeleteCoupon(_ context.Context, couponID string) error {
	b.Lock()
	defer b.Unlock()
	err := b.answer("delete coupon")
	if err == nil {
		delete(b.coupons, couponID)
	}
	return err
}

func (b *bank) OpenSession(_ context.Context, o checkout.Offer, couponID string) (checkout.Session, error) {
	b.Lock()
	defer b.Unlock()
	if err := b.under("page "+strconv.Itoa(o.Attempt), "page", o); err != nil {
		return checkout.Session{}, err
	}
	id := "cs_" + o.CheckoutID + strconv.Itoa(o.Attempt)
	if b.pages[id] == nil {
		b.pages[id] = &checkout.Session{
			ID: id, CheckoutID: o.CheckoutID, URL: "https://checkout.stripe.com/" + id, Status: checkout.SessionOpen, Currency: "usd",
			TotalCents: pricing.Cents(o.ListCents, b.coupons[couponID]), ExpiresAt: o.ExpiresAt,
		}
	}
	return *b.pages[id], nil
}

func (b *bank) Session(_ context.Context, id string) (checkout.Session, error) {
	b.Lock()
	defer b.Unlock()
	if err := b.answer("look"); err != nil {
		return checkout.Session{}, err
	}
	return b.page(id)
}

func (b *bank) ExpireSession(_ context.Context, id string) (checkout.Session, error) {
	b.Lock()
	defer b.Unlock()
	if err := b.answer("expire"); err != nil {
		return checkout.Session{}, err
	}
	if page := b.pages[id]; page != nil && page.Status == checkout.SessionOpen && !b.stays {
		page.Status, page.URL = checkout.SessionExpired, ""
	}
	return b.page(id)
}

func (b *bank) page(id string) (checkout.Session, error) {
	page := b.pages[id]
	if page == nil {
		return checkout.Session{}, bankLost
	}
	if page.Status == checkout.SessionOpen && !b.stays && b.now().After(page.ExpiresAt) {
		page.Status, page.URL = checkout.SessionExpired, ""
	}
	return *page, nil
}

func (b *bank) Refund(_ context.Context, intent, key string) error {
	b.Lock()
	defer b.Unlock()
	if err := b.under(key, "refund", intent); err != nil {
		return err
	}
	for _, page := range b.pages {
		if page.PaymentIntent == intent {
			page.RefundedCents = page.TotalCents
		}
	}
	return nil
}

func (*bank) Events(context.Context, time.Time, int) ([]checkout.Event, error) { return nil, nil }

// count says how often it was called so.
func (b *bank) count(call string) int {
	n := 0
	for _, made := range b.calls {
		if made == call {
			n++
		}
	}
	return n
}
