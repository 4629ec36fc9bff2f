package workflows_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

// sale is the course of a checkout and its expected outcome.
type sale struct {
	before func(t *testing.T, s *checkoutWorld)
	at     time.Duration // when this happens after the start; 5 minutes if 0
	during func(t *testing.T, s *checkoutWorld)
	state  checkout.State
	code   string
	after  time.Duration // when it ends after the start; unchecked if 0
	check  func(t *testing.T, s *checkoutWorld)
}

const soon = 5 * time.Minute

func (c sale) play(t *testing.T) {
	s := newCheckoutWorld(t)
	if c.before != nil {
		c.before(t, s)
	}
	began := s.env.Now()
	if c.during != nil {
		s.after(cmp.Or(c.at, soon), func() { c.during(t, s) })
	}
	require.Equal(t, workflows.CheckoutResult{State: c.state, Code: c.code}, s.run(t))
	if c.after != 0 {
		require.InDelta(t, c.after, s.env.Now().Sub(began), float64(5*time.Second))
	}
	if c.check != nil {
		c.check(t, s)
	}
}

// Proves: F14, F15, F17, F18
func TestCheckoutEndings(t *testing.T) {
	t.Parallel()
	ends := checkout.OfferLife + checkout.Grace
	play(t, map[string]sale{
		"paid, with an event: a member":                 {during: paidAndTold, state: checkout.Paid, after: soon},
		"an event while open: it waits":                 {during: andThen(nothingDue, notified), state: checkout.Expired, after: ends},
		"complete, payment pending: it waits":           {during: andThen(paymentPending, notified), state: checkout.Paid, after: 2 * soon},
		"paid without an event: found at its expiry":    {during: paidInSilence, state: checkout.Paid, after: ends},
		"20 events: one membership":                     {during: andThen(paidInSilence, toldOften), state: checkout.Paid, after: soon},
		"event before the payment: found at its expiry": {during: toldTooEarly, state: checkout.Paid, after: ends},
		"unpaid: expired":                               {state: checkout.Expired, after: ends},
		"event of its expiry: expired at once":          {during: andThen(ended, notified), state: checkout.Expired, after: soon},
		"the buyer cancels: cancelled":                  {during: givenUp, state: checkout.Cancelled, after: soon},
		"the buyer cancels after payment: a member":     {during: andThen(paidInSilence, givenUp), state: checkout.Paid, after: soon},
		"workflow cancelled: cancelled":                 {during: cancelled, state: checkout.Cancelled, after: soon},
		"workflow cancelled after payment: a member":    {during: andThen(paidInSilence, cancelled), state: checkout.Paid, after: soon},
		"the page is gone: expired, with the reason":    {during: pagesGone, state: checkout.Expired, code: "payment_page_gone", after: ends},
		"no email address: a member":                    {during: paidBy(""), state: checkout.Paid, code: checkout.CodeNoAddress, after: soon},
		"invalid email address: a member":               {during: paidBy("ada@localhost"), state: checkout.Paid, code: checkout.CodeNoAddress, after: soon},
		"a member pays again: refunded": {
			during: andThen(joined, paidAndTold), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: soon,
		},
		"a member pays again, workflow cancelled: refunded": {
			during: andThen(joined, paidInSilence, cancelled), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: soon,
		},
		"paid and refunded before the check: no membership": {during: andThen(paidInSilence, sentBack(765), notified), state: checkout.Refunded, after: soon},
		"paid and partly refunded: a member":                {during: andThen(paidInSilence, sentBack(100), notified), state: checkout.Paid, after: soon},
		"a page that does not expire in time is rechecked at intervals": {
			before: pagesStay, at: ends + 150*time.Second, during: func(t *testing.T, s *checkoutWorld) {
				require.Equal(t, checkout.Open, s.read().State, "it may still be paid")
				require.Equal(t, 3, s.bank.count("expire"), "at its end, and each minute from then on")
				s.bank.stays = false
			}, state: checkout.Expired, after: ends + 3*time.Minute, check: counts("expire", 4),
		},
		"a page that does not expire is paid late": {
			before: pagesStay, at: checkout.OfferLife + 10*time.Minute, during: paidAndTold, state: checkout.Paid,
			check: func(t *testing.T, s *checkoutWorld) { require.Less(t, s.bank.count("expire"), 12) },
		},
		"endless events do not keep a page from expiring": {
			before: func(_ *testing.T, s *checkoutWorld) {
				for minute := range 31 {
					s.after(time.Duration(minute+1)*time.Minute-time.Second, s.tells)
				}
			}, state: checkout.Expired, check: func(t *testing.T, s *checkoutWorld) {
				require.LessOrEqual(t, s.bank.count("look"), 31)
				require.InDelta(t, ends, s.env.Now().Sub(opening), float64(2*time.Minute))
			},
		},
	})
}

const buyerAda = "Ada@Example.com"

func paidInSilence(t *testing.T, s *checkoutWorld) { s.buys(t, buyerAda) }

func nothingDue(_ *testing.T, s *checkoutWorld) { s.page().Paid = true }

// paymentPending completes the page, whose payment arrives later.
func paymentPending(t *testing.T, s *checkoutWorld) {
	s.buys(t, buyerAda)
	s.page().Paid = false
	s.after(soon, func() {
		s.page().Paid = true
		s.tells()
	})
}

func notified(_ *testing.T, s *checkoutWorld) { s.tells() }

func toldOften(_ *testing.T, s *checkoutWorld) {
	for range 20 {
		s.tells()
	}
}

func paidBy(address string) func(*testing.T, *checkoutWorld) {
	return andThen(func(t *testing.T, s *checkoutWorld) { s.buys(t, address) }, notified)
}

func paidAndTold(t *testing.T, s *checkoutWorld) { paidBy(buyerAda)(t, s) }

func toldTooEarly(t *testing.T, s *checkoutWorld) {
	s.tells()
	s.after(time.Minute, func() { s.buys(t, buyerAda) })
}

func ended(_ *testing.T, s *checkoutWorld) {
	page := s.page()
	page.Status, page.URL = checkout.SessionExpired, ""
}

func givenUp(_ *testing.T, s *checkoutWorld) { s.env.SignalWorkflow(workflows.SignalCancelled, nil) }

func cancelled(_ *testing.T, s *checkoutWorld) { s.env.CancelWorkflow() }

func pagesGone(_ *testing.T, s *checkoutWorld) { clear(s.bank.pages) }

func pagesStay(_ *testing.T, s *checkoutWorld) { s.bank.stays = true }

// sentBack sets how much of the payment was refunded.
func sentBack(cents int) func(*testing.T, *checkoutWorld) {
	return func(_ *testing.T, s *checkoutWorld) { s.page().RefundedCents = cents }
}

// chargedBack is a dispute of the payment.
func chargedBack(_ *testing.T, s *checkoutWorld) {
	s.page().Dispute, s.page().DisputedCents, s.page().DisputeFeeCents = checkout.DisputeOpen, 765, 1500
}

func disputeWon(_ *testing.T, s *checkoutWorld) {
	s.page().Dispute, s.page().DisputedCents, s.page().DisputeFeeCents = checkout.DisputeWon, 0, 0
}

// refundFails refunds the payment, and then the bank returns the refund.
func refundFails(t *testing.T, s *checkoutWorld) {
	require.Equal(t, checkout.Refunded, s.refund(t, true))
	s.page().RefundedCents = 0
	s.again(s.env.Now())
	require.Equal(t, checkout.Paid, s.refund(t, false))
	s.again(s.env.Now())
}

// fails sets the errors of the next calls of a kind.
func fails(call string, script ...error) func(*testing.T, *checkoutWorld) {
	return func(_ *testing.T, s *checkoutWorld) { s.bank.fails[call] = script }
}

// losesTwice loses a step's answer twice; loses always.
func losesTwice(step string) func(*testing.T, *checkoutWorld) {
	return func(_ *testing.T, s *checkoutWorld) { s.network.loses, s.network.times = step, 2 }
}

func loses(step string) func(*testing.T, *checkoutWorld) {
	return func(_ *testing.T, s *checkoutWorld) { s.network.loses = step }
}

// counts checks how often the payment service was called.
func counts(call string, n int) func(*testing.T, *checkoutWorld) {
	return func(t *testing.T, s *checkoutWorld) { require.Equal(t, n, s.bank.count(call), call) }
}

// joined makes ada a member by an earlier checkout.
func joined(t *testing.T, s *checkoutWorld) {
	ask := knownVisitor()
	ask.Visitor, ask.Personal = nil, false
	r := must(s.db.Checkouts.BeginCheckout(t.Context(), ask, opening))
	page := checkout.Session{ID: "cs_before", Email: ada, PaymentIntent: "pi_before", TotalCents: 900}
	must(s.db.Checkouts.PayCheckout(t.Context(), r.ID, page, welcomed(ada), opening))
	s.joined = true
}

func andThen(steps ...func(*testing.T, *checkoutWorld)) func(*testing.T, *checkoutWorld) {
	return func(t *testing.T, s *checkoutWorld) {
		for _, step := range steps {
			step(t, s)
		}
	}
}

// TestCheckoutRecordsThePaidPrice checks that the shown, paid and recorded prices are equal.
func TestCheckoutRecordsThePaidPrice(t *testing.T) {
	t.Parallel()
	sale{during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *checkoutWorld) {
		require.Equal(t, []int{765, 765, 52}, []int{s.row.Decision.FinalCents, s.row.PaidCents, s.row.FeeCents})
		require.Equal(t, "used", string(s.row.Decision.State))
		require.Equal(t, checkout.CouponID(s.row.ID), s.row.CouponID)
		require.Equal(t, map[string]string{
			"Paid": "$7.65", "List": "$9.00", "Discount": "15 %", "Date": "20 November 2126", "ReceiptURL": "https://customerzero.test/receipts/" + s.row.ID,
		}, s.receiptFacts(t))
		require.Equal(t, []string{"receipt to " + ada, "welcome to " + ada}, s.emails(t))
		require.NotEmpty(t, s.row.RunID)
	}}.play(t)
}

func TestDemoCheckout(t *testing.T) {
	t.Parallel()
	for state, during := range map[checkout.State]func(*testing.T, *checkoutWorld){
		checkout.Paid: paidAndTold, checkout.Expired: func(*testing.T, *checkoutWorld) {},
	} {
		s := newCheckoutWorldFor(t, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: knownVisitor().Behaviour})
		s.bank, s.demo = s.demo, s.bank // so that the test's steps use the demo's
		s.after(time.Minute, func() { during(t, s) })
		require.Equal(t, state, s.run(t).State)
		require.Empty(t, s.demo.calls, "the real one is not called")
		require.Empty(t, s.emails(t))
	}
}

// TestCheckoutRetriesThePaymentService checks that a failing service is retried without limit, because a
// payment may have arrived.
// Proves: F19, V16.5.2
func TestCheckoutRetriesThePaymentService(t *testing.T) {
	t.Parallel()
	trouble := []error{bankBroken, bankAway, bankBusy, bankBroken}
	for name, c := range map[string]struct {
		call   string
		script []error
		during func(*testing.T, *checkoutWorld)
		state  checkout.State
		code   string
	}{
		"reading the page":                 {"look", trouble, paidAndTold, checkout.Paid, ""},
		"reading the page, unavailable":    {"look", []error{bankAway, bankAway, bankAway}, paidAndTold, checkout.Paid, ""},
		"reading the page, internal error": {"look", []error{errStorm, errStorm}, paidAndTold, checkout.Paid, ""},
		"expiring the page":                {"expire", trouble, givenUp, checkout.Cancelled, ""},
		"deleting the coupon":              {"delete coupon", trouble, givenUp, checkout.Cancelled, ""},
		"refunding":                        {"refund", trouble, andThen(joined, paidAndTold), checkout.Refunded, checkout.CodeAlreadyMember},
		"reading the refund":               {"look", trouble, andThen(joined, paidAndTold), checkout.Refunded, checkout.CodeAlreadyMember},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale{at: time.Minute, during: andThen(fails(c.call, c.script...), c.during), state: c.state, code: c.code, check: func(t *testing.T, s *checkoutWorld) {
				require.Empty(t, s.bank.fails[c.call])
				if c.state == checkout.Paid {
					counts("look", len(c.script)+1)(t, s)
				}
			}}.play(t)
		})
	}
}

// TestCheckoutWithRejectedKeyStaysOpen checks that a failed run leaves the row open, so that the next
// reconciliation restarts it.
func TestCheckoutWithRejectedKeyStaysOpen(t *testing.T) {
	t.Parallel()
	s := newCheckoutWorld(t)
	s.after(time.Minute, func() {
		s.bank.always["look"] = bankForbids
		paidAndTold(t, s)
	})
	s.execute()
	require.Equal(t, "stripe_forbidden", typeOf(s.env.GetWorkflowError()))
	require.Equal(t, checkout.Open, s.row.State)

	clear(s.bank.always)
	s.again(opening.Add(time.Hour))
	require.Equal(t, checkout.Paid, s.run(t).State)
}

// TestCheckoutSurvivesLostAnswers loses the answer of each activity once: nothing is done twice or left
// undone.
// Proves: F2, F6
func TestCheckoutSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		"BeginCheckout", "ProposePrice", "CreateCoupon", "CreateCheckoutSession", "SettleCheckout", "DeleteCoupon", "RefundPayment", "RecordRefund",
	} {
		for ending, during := range map[checkout.State]func(*testing.T, *checkoutWorld){
			checkout.Paid: paidAndTold, checkout.Cancelled: givenUp, checkout.Refunded: andThen(joined, paidAndTold),
		} {
			t.Run(step+", "+string(ending), func(t *testing.T) {
				t.Parallel()
				code := map[checkout.State]string{checkout.Refunded: checkout.CodeAlreadyMember}[ending]
				sale{before: losesTwice(step), at: time.Minute, during: during, state: ending, code: code, check: func(t *testing.T, s *checkoutWorld) {
					require.Equal(t, "1", s.row.PaymentURL[len(s.row.PaymentURL)-1:], "the first page is the one")
					require.Len(t, s.bank.pages, 1)
					require.LessOrEqual(t, len(s.fakeModel.asked), 2)
					if ending == checkout.Paid {
						require.Equal(t, []string{"receipt to " + ada, "welcome to " + ada}, s.emails(t))
					}
				}}.play(t)
			})
		}
	}
}

// TestCheckoutWithAllAnswersLost loses every answer of a step: its change of the database counts.
// Proves: F2
func TestCheckoutWithAllAnswersLost(t *testing.T) {
	t.Parallel()
	play(t, map[string]sale{
		"of the model: its decision is kept": {before: loses("ProposePrice"), state: checkout.Expired, check: func(t *testing.T, s *checkoutWorld) {
			require.Equal(t, pricing.ByModel, s.row.Decision.Source)
			require.Equal(t, 15, s.row.Decision.DiscountPercent)
			require.Len(t, s.fakeModel.asked, 1, "a decided price is not requested again")
		}},
		"of the coupon: it is deleted": {before: loses("CreateCoupon"), state: checkout.Failed, code: checkout.CodeNoPage, check: counts("delete coupon", 1)},
		"of the page: it can be paid": { // in another tab
			before: loses("CreateCheckoutSession"), at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *checkoutWorld) {
				require.Len(t, s.bank.pages, 1)
				counts("delete coupon", 0)(t, s) // the page uses it
			},
		},
		"of the page, then cancelled: it can't be paid": {before: func(t *testing.T, s *checkoutWorld) {
			loses("CreateCheckoutSession")(t, s)
			s.bank.during["page"] = func() {
				if s.bank.count("page") == 2 { // the first attempt has stored it
					s.env.CancelWorkflow()
				}
			}
		}, state: checkout.Cancelled},
	})
}

// leaves leaves the checkout as a terminated run would.
func (s *checkoutWorld) leaves(t *testing.T, state checkout.State) {
	ctx := t.Context()
	if state == checkout.Quoting {
		return
	}
	offer := s.firstOffer(t)
	coupon := must(s.bank.CreateCoupon(ctx, offer))
	page := must(s.bank.OpenSession(ctx, offer, coupon))
	must(s.db.Checkouts.OpenCheckout(ctx, s.row.ID, coupon, page, opening))
	switch state {
	case checkout.Open:
	case checkout.Paid:
		s.buys(t, ada)
		must(s.db.Checkouts.PayCheckout(ctx, s.row.ID, *s.bank.pages[page.ID], welcomed(ada), opening))
	default:
		must(s.db.Checkouts.CloseCheckout(ctx, s.row.ID, state, "", "It was over.", opening))
	}
}

// TestRestartedCheckout checks that a new run resumes from the row.
// Proves: F2, F17, F18
func TestRestartedCheckout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leaves checkout.State
		before func(t *testing.T, s *checkoutWorld)
		during func(t *testing.T, s *checkoutWorld) // a minute after the restart
		state  checkout.State
		within time.Duration
	}{
		"while it was quoted: quoted, and paid":          {leaves: checkout.Quoting, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"after the coupon was created: quoted, and paid": {leaves: checkout.Quoting, before: couponMade, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"after a page was created but not stored":        {leaves: checkout.Quoting, before: pageMade, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"while it was open: it waits for its expiry":     {leaves: checkout.Open, state: checkout.Expired, within: checkout.OfferLife},
		"while it was open: paid":                        {leaves: checkout.Open, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"paid in between":                                {leaves: checkout.Open, before: paidInSilence, state: checkout.Paid, within: checkout.OfferLife},
		"paid and recorded: nothing to do":               {leaves: checkout.Paid, state: checkout.Paid},
		"expired, but paid: a member":                    {leaves: checkout.Expired, before: paidInSilence, state: checkout.Paid},
		"cancelled, but paid: a member":                  {leaves: checkout.Cancelled, before: paidInSilence, state: checkout.Paid},
		"failed, but paid: a member":                     {leaves: checkout.Failed, before: paidInSilence, state: checkout.Paid},
		"expired, and not paid: its coupon is deleted":   {leaves: checkout.Expired, before: ended, state: checkout.Expired},
		"cancelled, and not paid: its coupon is deleted": {leaves: checkout.Cancelled, before: ended, state: checkout.Cancelled},
		"failed, and not paid: its coupon is deleted":    {leaves: checkout.Failed, before: ended, state: checkout.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			later := opening.Add(2 * time.Minute)
			sale{before: func(t *testing.T, s *checkoutWorld) {
				s.leaves(t, c.leaves)
				if c.before != nil {
					c.before(t, s)
				}
				s.again(later)
				s.after(0, s.tells)
			}, at: time.Minute, during: c.during, state: c.state, check: func(t *testing.T, s *checkoutWorld) {
				require.LessOrEqual(t, s.env.Now().Sub(later), c.within+5*time.Second)
				require.LessOrEqual(t, len(s.bank.coupons), 1, "at most one coupon")
				if c.leaves != checkout.Quoting {
					require.Len(t, s.bank.pages, 1, "and one page")
				}
			}}.play(t)
		})
	}
	t.Run("between recording a second payment and its refund", func(t *testing.T) {
		t.Parallel()
		sale{before: func(t *testing.T, s *checkoutWorld) {
			joined(t, s)
			s.leaves(t, checkout.Paid)
			require.Equal(t, checkout.CodeAlreadyMember, s.read().Code)
			s.again(opening.Add(time.Hour))
		}, state: checkout.Refunded, code: checkout.CodeAlreadyMember}.play(t)
	})
}

// couponMade creates the coupon as a run that is lost before its answer.
func couponMade(t *testing.T, s *checkoutWorld) {
	must(s.bank.CreateCoupon(t.Context(), s.firstOffer(t)))
}

func pageMade(t *testing.T, s *checkoutWorld) {
	couponMade(t, s)
	must(s.bank.OpenSession(t.Context(), s.firstOffer(t), checkout.CouponID(s.row.ID)))
}

// firstOffer is the offer of the earlier run, at its price.
func (s *checkoutWorld) firstOffer(t *testing.T) checkout.Offer {
	p := pricing.Proposal{DiscountPercent: 15, Source: pricing.ByRules}
	must(s.db.Checkouts.DecidePrice(t.Context(), s.row.DecisionID, p, checkout.Budget{FloorCents: 600, MonthCents: 1000}, opening))
	return checkout.Offer{CheckoutID: s.row.ID, ListCents: 900, DiscountPercent: 15, Attempt: 1, ExpiresAt: opening.Add(checkout.OfferLife)}
}

func TestCheckoutProgress(t *testing.T) {
	t.Parallel()
	open := []string{"begun", "price decided", "coupon created", "payment page open"}
	// shows checks the steps that the run reports, in order of time.
	shows := func(steps []string) func(*testing.T, *checkoutWorld) {
		return func(t *testing.T, s *checkoutWorld) {
			var progress workflows.Progress
			require.NoError(t, must(s.env.QueryWorkflow(workflows.QueryProgress)).Get(&progress))
			var names []string
			at := opening
			for _, step := range progress.Steps {
				require.False(t, step.At.Before(at), step.Name)
				at = step.At
				names = append(names, step.Name)
			}
			require.Equal(t, steps, names)
		}
	}
	and := func(more ...string) func(*testing.T, *checkoutWorld) { return shows(append(open[:4:4], more...)) }
	play(t, map[string]sale{
		"paid":       {during: andThen(shows(open), paidAndTold), state: checkout.Paid, check: and("settled")},
		"cancelled":  {during: givenUp, state: checkout.Cancelled, check: and("settled", "coupon deleted")},
		"paid twice": {during: andThen(joined, paidAndTold), state: checkout.Refunded, code: checkout.CodeAlreadyMember, check: and("settled", "money sent back")},
		"failed": {
			before: func(_ *testing.T, s *checkoutWorld) { s.bank.always["page"] = bankRefuses }, state: checkout.Failed, code: checkout.CodeNoPage,
			check: shows(append(open[:3:3], "coupon deleted")),
		},
	})
}

// TestRefundRunsRecordDisputes plays a dispute and a refund that fails; both may be repeated.
func TestRefundRunsRecordDisputes(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	for _, step := range []struct {
		before func(*testing.T, *checkoutWorld)
		state  checkout.State
		seats  int
	}{
		{chargedBack, checkout.Paid, 0},
		{disputeWon, checkout.Paid, 1},
		{refundFails, checkout.Paid, 1},
	} {
		step.before(t, s)
		require.Equal(t, step.state, s.refund(t, false))
		seats, credits := s.members(t)
		require.Equal(t, []int{step.seats, 90 * step.seats}, []int{seats, credits})
		s.again(s.env.Now())
	}
	require.Equal(t, checkout.Refunded, s.refund(t, true), "it is refunded again, under a new key")
	require.Equal(t, 2, s.bank.count("refund"))
	seats, credits := s.members(t)
	require.Zero(t, seats+credits)
}

// newSold returns a checkout that ada has paid.
func newSold(t *testing.T) *checkoutWorld {
	s := newCheckoutWorld(t)
	s.leaves(t, checkout.Paid)
	s.again(opening.Add(24 * time.Hour))
	return s
}

// refund runs a refund and returns the checkout's state.
func (s *checkoutWorld) refund(t *testing.T, send bool) checkout.State {
	t.Helper()
	if send {
		s.requestRefund(t)
	}
	result := run[workflows.RefundResult](t, s.env, workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
	require.Equal(t, s.read().State, result.State, "the row and the run tell the same")
	return result.State
}

// requestRefund stores a founder's request, as the API does.
func (s *checkoutWorld) requestRefund(t *testing.T) {
	t.Helper()
	require.NoError(t, s.db.AuditLog.Audit(t.Context(), audit.Entry{
		At: s.env.Now(), Actor: "@founder_one", Action: audit.Refund, Outcome: audit.Begun, WorkflowID: workflows.RefundID(s.row.ID),
	}))
}

// Proves: V8.3.1
func TestRefundThatNoFounderRequested(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: true})
	require.Equal(t, "forbidden", typeOf(s.env.GetWorkflowError()))
	require.Zero(t, s.bank.count("refund"))
	require.Equal(t, checkout.Paid, s.read().State)
}

func TestRefundEndings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send   bool
		before func(t *testing.T, s *checkoutWorld)
		state  checkout.State
		cents  int // refunded
		sent   int // refund calls
	}{
		"a founder refunds: the membership is frozen":                     {send: true, state: checkout.Refunded, cents: 765, sent: 1},
		"event of a full refund: the membership is frozen":                {before: sentBack(765), state: checkout.Refunded, cents: 765},
		"event of a partial refund: the membership stays":                 {before: sentBack(100), state: checkout.Paid, cents: 100},
		"event without a refund: the membership stays":                    {state: checkout.Paid},
		"already refunded: recorded, not refunded again":                  {send: true, before: sentBack(765), state: checkout.Refunded, cents: 765, sent: 1},
		"the answer is lost: retried, refunded once":                      {send: true, before: losesTwice("RefundPayment"), state: checkout.Refunded, cents: 765, sent: 3},
		"the recording's answer is lost: recorded once":                   {send: true, before: losesTwice("RecordRefund"), state: checkout.Refunded, cents: 765, sent: 1},
		"the service is unavailable: retried":                             {send: true, before: fails("refund", bankAway, bankBusy), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken: retried until it works":                   {send: true, before: fails("refund", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 3},
		"reading the refund fails: retried":                               {send: true, before: fails("look", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 1},
		"the event arrives before the answer: refunded and recorded once": {send: true, before: overtaken, state: checkout.Refunded, cents: 765, sent: 1},
		"an event during the recording is handled":                        {before: eventDuringRefund, state: checkout.Refunded, cents: 765},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSold(t)
			if c.before != nil {
				c.before(t, s)
			}
			require.Equal(t, c.state, s.refund(t, c.send))
			require.Equal(t, c.cents, s.row.RefundedCents)
			require.Equal(t, c.sent, s.bank.count("refund"))
			seats, credits := s.members(t)
			if c.state == checkout.Refunded {
				require.Equal(t, 0, seats+credits)
				require.Equal(t, []string{"receipt to " + ada, "refund to " + ada, "welcome to " + ada}, s.emails(t))
				return
			}
			require.Equal(t, []int{1, 90}, []int{seats, credits})
			require.NotContains(t, s.emails(t), "refund to "+ada)
		})
	}
}

// overtaken loses the answer of the first attempt, and records the refund before the second.
func overtaken(t *testing.T, s *checkoutWorld) {
	s.network.loses, s.network.times = "RefundPayment", 1
	s.bank.during["refund"] = func() {
		must(s.db.Checkouts.ReconcilePayment(t.Context(), s.row.ID, 0, checkout.Session{RefundedCents: 765}, "", s.env.Now()))
	}
}

// eventDuringRefund reports a partial refund; the rest follows while it is recorded.
func eventDuringRefund(t *testing.T, s *checkoutWorld) {
	sentBack(100)(t, s)
	page := s.page()
	s.bank.during["look"] = func() {
		s.env.SignalWorkflow(workflows.SignalRefunded, nil)
		s.bank.during["look"] = func() {
			require.Equal(t, 2, s.bank.count("look"))
			page.RefundedCents = 765
		}
	}
}

func TestRefundRejectedByTheService(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.bank.always["refund"] = bankRefuses
	s.requestRefund(t)
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: true})
	require.Equal(t, "stripe_refused", typeOf(s.env.GetWorkflowError()))
	require.Equal(t, checkout.Paid, s.read().State)
}

func TestRefundOfAnUnpaidCheckout(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
		for send, code := range map[bool]string{true: "conflict", false: ""} {
			s := newCheckoutWorld(t)
			s.leaves(t, state)
			s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
			require.Equal(t, code, typeOf(s.env.GetWorkflowError()))
			require.Equal(t, send, s.env.GetWorkflowError() != nil)
			require.Equal(t, state, s.read().State)
			require.Zero(t, s.bank.count("refund"))
		}
	}
}
