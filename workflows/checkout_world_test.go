package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// fakeModel is a fake model with one answer, or a script of failures.
type fakeModel struct {
	says   string
	fails  []error
	always error // overrides the script
	asked  []model.Prompt
	left   time.Duration // until the deadline of the last call
	hangs  chan struct{} // it does not answer until this is closed
	during func()        // runs during a call
}

func (o *fakeModel) Ask(ctx context.Context, q model.Prompt, _ string) (json.RawMessage, model.Call, error) {
	o.asked = append(o.asked, q)
	if o.hangs != nil {
		<-o.hangs
	}
	if o.during != nil {
		o.during()
	}
	deadline, _ := ctx.Deadline()
	o.left = time.Until(deadline)
	call := model.Call{ID: xid.New().String(), Task: q.Task, Prompt: q.Version, Model: "oracle-1", Outcome: model.Answered, CreatedAt: opening}
	err := o.always
	if err == nil && len(o.asked) <= len(o.fails) {
		err = o.fails[len(o.asked)-1]
	}
	if err != nil {
		call.Outcome = model.Failed
		return nil, call, err
	}
	return json.RawMessage(o.says), call, nil
}

// opening is when every checkout here starts. It is far in the future, because the deadline of a retried
// local activity is compared with the real clock.
var opening = time.Date(2126, time.November, 20, 12, 0, 0, 0, time.UTC)

// checkoutWorld is a checkout and its surroundings.
type checkoutWorld struct {
	*stage
	bank, demo *bank
	fakeModel  *fakeModel // nil: there is no model
	row        checkout.Receipt
	joined     bool // the buyer is already a member
}

const fifteen = `{"discount_percent":15,"reason":"You came back."}`

// knownVisitor is a known visitor who requests a personal price.
func knownVisitor() checkout.Request {
	id := "a digest"
	return checkout.Request{
		ID: checkout.NewID(), Visitor: &id, Personal: true,
		Behaviour: pricing.Behaviour{Visits: 2, TimeOnSite: 95, ViewedPricing: true, UserType: pricing.ReturningVisitor},
	}
}

func newCheckoutWorld(t *testing.T) *checkoutWorld { return newCheckoutWorldFor(t, knownVisitor()) }

func newCheckoutWorldFor(t *testing.T, a checkout.Request) *checkoutWorld {
	s := &checkoutWorld{stage: stageFor(storetest.New(t, "sqlite"), opening), fakeModel: &fakeModel{says: fifteen}}
	s.bank, s.demo = newBank(func() time.Time { return s.env.Now() }), newBank(func() time.Time { return s.env.Now() })
	if a.Visitor != nil {
		must(s.db.Visitors.RecordVisit(t.Context(), *a.Visitor, pricing.PricingViewed, opening))
	}
	s.row = must(s.db.Checkouts.BeginCheckout(t.Context(), a, opening))
	s.open()
	return s
}

func (s *checkoutWorld) open() {
	checkouts := &activities.Checkout{
		Store: s.db.Checkouts, Limits: s.db.Limits, ModelCalls: s.db.ModelCalls, Payments: s.bank, DemoPayments: s.demo, Site: "https://customerzero.test",
		Budget: checkout.Budget{FloorCents: 600, MonthCents: 10_000}, Now: s.env.Now,
	}
	if s.fakeModel != nil {
		checkouts.Models = s.fakeModel
	}
	s.env.RegisterActivity(checkouts)
}

// again prepares another run on the same database.
func (s *checkoutWorld) again(at time.Time) {
	s.stage = stageFor(s.db, at)
	s.open()
}

// run runs the checkout to its end, and checks that row, result and members agree.
func (s *checkoutWorld) run(t *testing.T) workflows.CheckoutResult {
	t.Helper()
	result := run[workflows.CheckoutResult](t, s.env, workflows.Checkout, workflows.CheckoutInput{CheckoutID: s.row.ID})
	s.read()
	require.Equal(t, workflows.CheckoutResult{State: s.row.State, Code: s.row.Code}, result)
	require.Equal(t, s.row.State.Settled(), s.row.PaidAt != nil)
	if !s.row.State.Settled() {
		require.Empty(t, s.bank.coupons, "no discount is left to be used")
		require.NotEmpty(t, s.row.Reason, "the receipt has a reason")
	}
	for _, page := range s.bank.pages {
		require.False(t, s.row.SessionID != nil && page.ID == *s.row.SessionID && page.Status == checkout.SessionOpen, "no page is left to be paid")
	}
	seats, credits := s.members(t)
	require.Equal(t, s.row.State == checkout.Paid && !s.row.Demo || s.joined, seats == 1, "one membership for each buyer")
	require.Equal(t, seats*member.FoundingCredits, credits)
	return result
}

func (s *checkoutWorld) execute() {
	s.env.ExecuteWorkflow(workflows.Checkout, workflows.CheckoutInput{CheckoutID: s.row.ID})
	s.read()
}

func (s *checkoutWorld) read() checkout.Receipt {
	s.row = must(s.db.Checkouts.Receipt(context.Background(), s.row.ID))
	return s.row
}

// page is the stored payment page.
func (s *checkoutWorld) page() *checkout.Session { return s.bank.pages[*s.read().SessionID] }

// buys pays the page without an event.
func (s *checkoutWorld) buys(t *testing.T, address string) {
	t.Helper()
	page := s.page()
	require.Equal(t, checkout.SessionOpen, page.Status)
	page.Status, page.Paid, page.Email, page.PaymentIntent, page.URL = checkout.SessionComplete, true, address, "pi_"+page.ID, ""
	page.FeeCents = 52
}

func (s *checkoutWorld) tells() { s.env.SignalWorkflow(workflows.SignalPaymentSettled, nil) }

func (s *checkoutWorld) emails(t *testing.T) []string {
	t.Helper()
	var kinds []string
	for _, l := range must(s.db.Emails.WaitingEmails(t.Context(), true)) {
		_, content, err := s.db.Emails.Email(t.Context(), l.ID)
		require.NoError(t, err)
		kinds = append(kinds, string(l.Kind)+" to "+content.To)
	}
	slices.Sort(kinds)
	return kinds
}

// members counts active members and their credits.
func (s *checkoutWorld) members(t *testing.T) (active, credits int) {
	for _, m := range must(s.db.Members.Members(t.Context(), "2126-11")) {
		if m.Status == "active" {
			active++
		}
		credits += m.Credits
	}
	return active, credits
}

func welcomed(address string) checkout.Buyer {
	return checkout.Buyer{
		MemberID: xid.New().String(), Username: checkout.NewUsername(), Receipt: map[string]string{},
		Welcome: &account.Welcome{Email: address, Token: account.NewToken()},
	}
}

func (s *checkoutWorld) receiptFacts(t *testing.T) map[string]string {
	t.Helper()
	for _, l := range must(s.db.Emails.WaitingEmails(t.Context(), true)) {
		if l.IdempotencyKey == "receipt:"+s.row.ID {
			_, content, err := s.db.Emails.Email(t.Context(), l.ID)
			require.NoError(t, err)
			return content.Facts
		}
	}
	return nil
}

var errStorm = errors.New("a storm")

// bank is a fake payment service: it stores coupons and pages, repeats its answer for the same key, and
// takes a script of failures.
type bank struct {
	activities.Payments // other methods are not called
	sync.Mutex
	fails  map[string][]error // next errors by kind of call
	always map[string]error   // overrides fails
	late   bool               // failed calls are completed anyway

	coupons map[string]int // percent
	pages   map[string]*checkout.Session
	kept    map[string]error // failures that it repeats, by key
	asked   map[string]any   // requests by key
	calls   []string
	during  map[string]func() // runs during a kind of call
	stays   bool              // pages do not expire
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

// under repeats a failure for the same key. A key is for one request.
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
	if err == bankBroken { //nolint:errorlint // the same value
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
	if err := b.answer("delete coupon"); err != nil {
		return err
	}
	delete(b.coupons, couponID)
	return nil
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

func (b *bank) count(call string) int {
	return len(slices.DeleteFunc(slices.Clone(b.calls), func(made string) bool { return made != call }))
}
