package workflows_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

// sale is a checkout's way to its end: what happens on the way, and what becomes of it.
type sale struct {
	before func(t *testing.T, s *shop)
	at     time.Duration // when this happens, after the run began; 0: five minutes
	during func(t *testing.T, s *shop)
	state  checkout.State
	code   string
	after  time.Duration // it ended so long after it began; 0: whenever
	check  func(t *testing.T, s *shop)
}

const soon = 5 * time.Minute

func (c sale) play(t *testing.T) {
	s := newShop(t)
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

// sell plays each sale as a test of its own.
func sell(t *testing.T, sales map[string]sale) {
	for name, c := range sales {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

// Proves: F14, F15, F17, F18
func TestCheckoutEndings(t *testing.T) {
	t.Parallel()
	ends := checkout.OfferLife + checkout.Grace
	sell(t, map[string]sale{
		"paid, and we are told: a member":                  {during: paidAndTold, state: checkout.Paid, after: soon},
		"open, and nothing is due: it waits":               {during: andThen(nothingDue, notified), state: checkout.Expired, after: ends},
		"complete, and its money on the way: it waits":     {during: andThen(moneyOnItsWay, notified), state: checkout.Paid, after: 2 * soon},
		"paid, and nobody tells: seen at its end":          {during: paidInSilence, state: checkout.Paid, after: ends},
		"told twenty times: a member once":                 {during: andThen(paidInSilence, toldOften), state: checkout.Paid, after: soon},
		"told before it was paid: seen at its end":         {during: toldTooEarly, state: checkout.Paid, after: ends},
		"nobody pays: expired":                             {state: checkout.Expired, after: ends},
		"news of its end: expired at once":                 {during: andThen(ended, notified), state: checkout.Expired, after: soon},
		"the buyer gives up: cancelled":                    {during: givenUp, state: checkout.Cancelled, after: soon},
		"gives up after it was paid: a member":             {during: andThen(paidInSilence, givenUp), state: checkout.Paid, after: soon},
		"cancelled in the console: cancelled":              {during: cancelled, state: checkout.Cancelled, after: soon},
		"cancelled after it was paid: a member":            {during: andThen(paidInSilence, cancelled), state: checkout.Paid, after: soon},
		"the page is gone: expired, and it says so":        {during: pagesGone, state: checkout.Expired, code: "payment_page_gone", after: ends},
		"the buyer left no address: a member all the same": {during: paidBy(""), state: checkout.Paid, code: checkout.CodeNoAddress, after: soon},
		"the buyer's address makes no sense: the same":     {during: paidBy("ada@localhost"), state: checkout.Paid, code: checkout.CodeNoAddress, after: soon},
		"a member pays again: the money goes back": {
			during: andThen(joined, paidAndTold), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: soon,
		},
		"a member pays again while it is cancelled in the console: it goes back": {
			during: andThen(joined, paidInSilence, cancelled), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: soon,
		},
		"paid, and sent back before we look: no seat": {during: andThen(paidInSilence, sentBack(765), notified), state: checkout.Refunded, after: soon},
		"paid, and a part sent back: a member":        {during: andThen(paidInSilence, sentBack(100), notified), state: checkout.Paid, after: soon},
		"a page that does not end in time is looked at again, and not all the time": {
			before: pagesStay, at: ends + 150*time.Second, during: func(t *testing.T, s *shop) {
				require.Equal(t, checkout.Open, s.read().State, "it may still be paid")
				require.Equal(t, 3, s.bank.count("expire"), "at its end, and each minute from then on")
				s.bank.stays = false
			}, state: checkout.Expired, after: ends + 3*time.Minute, check: counts("expire", 4),
		},
		"a page that does not end is paid late": {
			before: pagesStay, at: checkout.OfferLife + 10*time.Minute, during: paidAndTold, state: checkout.Paid,
			check: func(t *testing.T, s *shop) { require.Less(t, s.bank.count("expire"), 12) },
		},
		"news without end does not keep a page from being ended": {
			before: func(_ *testing.T, s *shop) {
				for minute := range 31 {
					s.after(time.Duration(minute+1)*time.Minute-time.Second, s.tells)
				}
			}, state: checkout.Expired, check: func(t *testing.T, s *shop) {
				require.LessOrEqual(t, s.bank.count("look"), 31)
				require.InDelta(t, ends, s.env.Now().Sub(opening), float64(2*time.Minute))
			},
		},
	})
}

const buyerAda = "Ada@Example.com"

func paidInSilence(t *testing.T, s *shop) { s.buys(t, buyerAda) }

func nothingDue(_ *testing.T, s *shop) { s.page().Paid = true }

// moneyOnItsWay is a page that is complete, and paid as much later.
func moneyOnItsWay(t *testing.T, s *shop) {
	s.buys(t, buyerAda)
	s.page().Paid = false
	s.after(soon, func() {
		s.page().Paid = true
		s.tells()
	})
}

func notified(_ *testing.T, s *shop) { s.tells() }

func toldOften(_ *testing.T, s *shop) {
	for range 20 {
		s.tells()
	}
}

func paidBy(address string) func(*testing.T, *shop) {
	return andThen(func(t *testing.T, s *shop) { s.buys(t, address) }, notified)
}

func paidAndTold(t *testing.T, s *shop) { paidBy(buyerAda)(t, s) }

func toldTooEarly(t *testing.T, s *shop) {
	s.tells()
	s.after(time.Minute, func() { s.buys(t, buyerAda) })
}

func ended(_ *testing.T, s *shop) {
	page := s.page()
	page.Status, page.URL = checkout.SessionExpired, ""
}

func givenUp(_ *testing.T, s *shop) { s.env.SignalWorkflow(workflows.SignalCancelled, nil) }

func cancelled(_ *testing.T, s *shop) { s.env.CancelWorkflow() }

func pagesGone(_ *testing.T, s *shop) { clear(s.bank.pages) }

func pagesStay(_ *testing.T, s *shop) { s.bank.stays = true }

// sentBack is how much of the payment went back, as the payment service has it.
func sentBack(cents int) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.page().RefundedCents = cents }
}

// fails is what a call of the payment service meets, one after the other.
func fails(call string, script ...error) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.bank.fails[call] = script }
}

// losesTwice is a step whose answer is lost twice; loses, one whose every answer is.
func losesTwice(step string) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.network.loses, s.network.times = step, 2 }
}

func loses(step string) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.network.loses = step }
}

// counts says how often the payment service was called so.
func counts(call string, n int) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) { require.Equal(t, n, s.bank.count(call), call) }
}

// joined is ada as a member, by an earlier day's checkout.
func joined(t *testing.T, s *shop) {
	ask := anybody()
	ask.Visitor, ask.Personal = nil, false
	r := must(s.db.Checkouts.BeginCheckout(t.Context(), ask, opening))
	page := checkout.Session{ID: "cs_before", Email: ada, PaymentIntent: "pi_before", TotalCents: 900}
	must(s.db.Checkouts.PayCheckout(t.Context(), r.ID, page, welcomed(ada), opening))
	s.joined = true
}

func andThen(steps ...func(*testing.T, *shop)) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) {
		for _, step := range steps {
			step(t, s)
		}
	}
}

// What the buyer sees, what they pay and what is booked are one price.
func TestCheckoutRecordsThePaidPrice(t *testing.T) {
	t.Parallel()
	sale{during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *shop) {
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
	for state, during := range map[checkout.State]func(*testing.T, *shop){
		checkout.Paid: paidAndTold, checkout.Expired: func(*testing.T, *shop) {},
	} {
		s := newShopFor(t, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: anybody().Behaviour})
		s.bank, s.demo = s.demo, s.bank // so that the steps of the test see the demo's
		s.after(time.Minute, func() { during(t, s) })
		require.Equal(t, state, s.run(t).State)
		require.Empty(t, s.demo.calls, "the real one is asked nothing")
		require.Empty(t, s.emails(t))
	}
}

// While the service is away or broken nobody knows whether money came in: it is asked until it answers.
// Proves: F19, V16.5.2
func TestCheckoutRetriesThePaymentService(t *testing.T) {
	t.Parallel()
	trouble := []error{bankBroken, bankAway, bankBusy, bankBroken}
	for name, c := range map[string]struct {
		call   string
		script []error
		during func(*testing.T, *shop)
		state  checkout.State
		code   string
	}{
		"to look":                          {"look", trouble, paidAndTold, checkout.Paid, ""},
		"to look, away":                    {"look", []error{bankAway, bankAway, bankAway}, paidAndTold, checkout.Paid, ""},
		"to look, after a trouble of ours": {"look", []error{errStorm, errStorm}, paidAndTold, checkout.Paid, ""},
		"to close the page":                {"expire", trouble, givenUp, checkout.Cancelled, ""},
		"to delete the coupon":             {"delete coupon", trouble, givenUp, checkout.Cancelled, ""},
		"to send money back":               {"refund", trouble, andThen(joined, paidAndTold), checkout.Refunded, checkout.CodeAlreadyMember},
		"to see it sent back":              {"look", trouble, andThen(joined, paidAndTold), checkout.Refunded, checkout.CodeAlreadyMember},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale{at: time.Minute, during: andThen(fails(c.call, c.script...), c.during), state: c.state, code: c.code, check: func(t *testing.T, s *shop) {
				require.Empty(t, s.bank.fails[c.call])
				if c.state == checkout.Paid {
					counts("look", len(c.script)+1)(t, s)
				}
			}}.play(t)
		})
	}
}

// A run that cannot ask leaves the row open: the next round of sweeping begins it anew.
func TestCheckoutWithRejectedKeyStaysOpen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
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

// An answer may be lost anywhere. What was done is not done twice, and nothing is left undone.
// Proves: F2, F6
func TestCheckoutSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		"BeginCheckout", "ProposePrice", "CreateCoupon", "CreateCheckoutSession", "SettleCheckout", "DeleteCoupon", "RefundPayment", "RecordRefund",
	} {
		for ending, during := range map[checkout.State]func(*testing.T, *shop){
			checkout.Paid: paidAndTold, checkout.Cancelled: givenUp, checkout.Refunded: andThen(joined, paidAndTold),
		} {
			t.Run(step+", "+string(ending), func(t *testing.T) {
				t.Parallel()
				code := map[checkout.State]string{checkout.Refunded: checkout.CodeAlreadyMember}[ending]
				sale{before: losesTwice(step), at: time.Minute, during: during, state: ending, code: code, check: func(t *testing.T, s *shop) {
					require.Equal(t, "1", s.row.PaymentURL[len(s.row.PaymentURL)-1:], "the first page is the one")
					require.Len(t, s.bank.pages, 1)
					require.LessOrEqual(t, len(s.oracle.asked), 2)
					if ending == checkout.Paid {
						require.Equal(t, []string{"receipt to " + ada, "welcome to " + ada}, s.emails(t))
					}
				}}.play(t)
			})
		}
	}
}

// Every answer of the step is lost: what it wrote into our books counts.
// Proves: F2
func TestCheckoutWithAllAnswersLost(t *testing.T) {
	t.Parallel()
	sell(t, map[string]sale{
		"of the model: what it decided stays": {before: loses("ProposePrice"), state: checkout.Expired, check: func(t *testing.T, s *shop) {
			require.Equal(t, pricing.ByModel, s.row.Decision.Source)
			require.Equal(t, 15, s.row.Decision.DiscountPercent)
			require.Len(t, s.oracle.asked, 1, "what is decided is not asked for again")
		}},
		"of the coupon: it is taken back": {before: loses("CreateCoupon"), state: checkout.Failed, code: checkout.CodeNoPage, check: counts("delete coupon", 1)},
		"of the page: it can be paid all the same": { // another tab of theirs shows it
			before: loses("CreateCheckoutSession"), at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *shop) {
				require.Len(t, s.bank.pages, 1)
				counts("delete coupon", 0)(t, s) // the page needs it
			},
		},
		"of the page, and it is cancelled: nobody can pay it": {before: func(t *testing.T, s *shop) {
			loses("CreateCheckoutSession")(t, s)
			s.bank.during["page"] = func() {
				if s.bank.count("page") == 2 { // the first has written its row
					s.env.CancelWorkflow()
				}
			}
		}, state: checkout.Cancelled},
	})
}

// stands leaves the checkout as a run that was ended by force would.
func (s *shop) stands(t *testing.T, state checkout.State) {
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

// A run begun anew goes on from the row.
// Proves: F2, F17, F18
func TestRestartedCheckout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stands checkout.State
		before func(t *testing.T, s *shop)
		during func(t *testing.T, s *shop) // a minute after it began again
		state  checkout.State
		within time.Duration
	}{
		"while it was quoted: quoted, and paid":          {stands: checkout.Quoting, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"after the coupon was made: quoted, and paid":    {stands: checkout.Quoting, before: couponMade, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"after a page was made that no row names":        {stands: checkout.Quoting, before: pageMade, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"while it was open: it waits for its end":        {stands: checkout.Open, state: checkout.Expired, within: checkout.OfferLife},
		"while it was open: paid":                        {stands: checkout.Open, during: paidAndTold, state: checkout.Paid, within: time.Minute},
		"after it was paid in the meantime":              {stands: checkout.Open, before: paidInSilence, state: checkout.Paid, within: checkout.OfferLife},
		"after it was paid and booked: nothing to do":    {stands: checkout.Paid, state: checkout.Paid},
		"expired, and paid all the same: a member":       {stands: checkout.Expired, before: paidInSilence, state: checkout.Paid},
		"cancelled, and paid all the same: a member":     {stands: checkout.Cancelled, before: paidInSilence, state: checkout.Paid},
		"failed, and paid all the same: a member":        {stands: checkout.Failed, before: paidInSilence, state: checkout.Paid},
		"expired, and not paid: its coupon is deleted":   {stands: checkout.Expired, before: ended, state: checkout.Expired},
		"cancelled, and not paid: its coupon is deleted": {stands: checkout.Cancelled, before: ended, state: checkout.Cancelled},
		"failed, and not paid: its coupon is deleted":    {stands: checkout.Failed, before: ended, state: checkout.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			later := opening.Add(2 * time.Minute)
			sale{before: func(t *testing.T, s *shop) {
				s.stands(t, c.stands)
				if c.before != nil {
					c.before(t, s)
				}
				s.again(later)
				s.after(0, s.tells)
			}, at: time.Minute, during: c.during, state: c.state, check: func(t *testing.T, s *shop) {
				require.LessOrEqual(t, s.env.Now().Sub(later), c.within+5*time.Second)
				require.LessOrEqual(t, len(s.bank.coupons), 1, "one coupon, whoever made it")
				if c.stands != checkout.Quoting {
					require.Len(t, s.bank.pages, 1, "and one page")
				}
			}}.play(t)
		})
	}
	t.Run("between the booking of a second payment and its way back", func(t *testing.T) {
		t.Parallel()
		sale{before: func(t *testing.T, s *shop) {
			joined(t, s)
			s.stands(t, checkout.Paid)
			require.Equal(t, checkout.CodeAlreadyMember, s.read().Code)
			s.again(opening.Add(time.Hour))
		}, state: checkout.Refunded, code: checkout.CodeAlreadyMember}.play(t)
	})
}

// couponMade is what a run does before it dies: its answer reached nobody.
func couponMade(t *testing.T, s *shop) { must(s.bank.CreateCoupon(t.Context(), s.firstOffer(t))) }

func pageMade(t *testing.T, s *shop) {
	couponMade(t, s)
	must(s.bank.OpenSession(t.Context(), s.firstOffer(t), checkout.CouponID(s.row.ID)))
}

// firstOffer is what the run before this one offered, at the price that it decided.
func (s *shop) firstOffer(t *testing.T) checkout.Offer {
	p := pricing.Proposal{DiscountPercent: 15, Source: pricing.ByRules}
	must(s.db.Checkouts.DecidePrice(t.Context(), s.row.DecisionID, p, checkout.Budget{FloorCents: 600, MonthCents: 1000}, opening))
	return checkout.Offer{CheckoutID: s.row.ID, ListCents: 900, DiscountPercent: 15, Attempt: 1, ExpiresAt: opening.Add(checkout.OfferLife)}
}

func TestCheckoutProgress(t *testing.T) {
	t.Parallel()
	open := []string{"begun", "price decided", "coupon created", "payment page open"}
	// shows sees the steps that the run says it took, in the order of their times.
	shows := func(steps []string) func(*testing.T, *shop) {
		return func(t *testing.T, s *shop) {
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
	and := func(more ...string) func(*testing.T, *shop) { return shows(append(open[:4:4], more...)) }
	sell(t, map[string]sale{
		"paid":       {during: andThen(shows(open), paidAndTold), state: checkout.Paid, check: and("settled")},
		"cancelled":  {during: givenUp, state: checkout.Cancelled, check: and("settled", "coupon deleted")},
		"paid twice": {during: andThen(joined, paidAndTold), state: checkout.Refunded, code: checkout.CodeAlreadyMember, check: and("settled", "money sent back")},
		"failed": {
			before: func(_ *testing.T, s *shop) { s.bank.always["page"] = bankRefuses }, state: checkout.Failed, code: checkout.CodeNoPage,
			check: shows(append(open[:3:3], "coupon deleted")),
		},
	})
}

// newSold is a shop whose checkout ada has paid.
func newSold(t *testing.T) *shop {
	s := newShop(t)
	s.stands(t, checkout.Paid)
	s.again(opening.Add(24 * time.Hour))
	return s
}

// refund runs a refund to its end, and reads the checkout's row.
func (s *shop) refund(t *testing.T, send bool) checkout.State {
	t.Helper()
	result := run[workflows.RefundResult](t, s.env, workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
	require.Equal(t, s.read().State, result.State, "the row and the run tell the same")
	return result.State
}

func TestRefundEndings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send   bool
		before func(t *testing.T, s *shop)
		state  checkout.State
		cents  int // that went back
		sent   int // calls that send
	}{
		"a founder sends it: back, and the seat is frozen":      {send: true, state: checkout.Refunded, cents: 765, sent: 1},
		"news that all went back: the seat is frozen":           {before: sentBack(765), state: checkout.Refunded, cents: 765},
		"news that a part went back: the seat stays":            {before: sentBack(100), state: checkout.Paid, cents: 100},
		"news of nothing: the seat stays":                       {state: checkout.Paid},
		"it went back already: not sent again, and booked":      {send: true, before: sentBack(765), state: checkout.Refunded, cents: 765, sent: 1},
		"the answer is lost: sent again, and it is sent once":   {send: true, before: losesTwice("RefundPayment"), state: checkout.Refunded, cents: 765, sent: 3},
		"the booking's answer is lost: booked once":             {send: true, before: losesTwice("RecordRefund"), state: checkout.Refunded, cents: 765, sent: 1},
		"the service is away: waited for":                       {send: true, before: fails("refund", bankAway, bankBusy), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken: tried until it works":           {send: true, before: fails("refund", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken when it is asked: asked again":   {send: true, before: fails("look", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 1},
		"news overtakes the answer: sent once, and booked once": {send: true, before: overtaken, state: checkout.Refunded, cents: 765, sent: 1},
		"news that comes while the last is booked is looked at": {before: newsDuringIt, state: checkout.Refunded, cents: 765},
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

// overtaken loses the answer of the first try, and books the refund before the second.
func overtaken(t *testing.T, s *shop) {
	s.network.loses, s.network.times = "RefundPayment", 1
	s.bank.during["refund"] = func() {
		must(s.db.Checkouts.RefundCheckout(t.Context(), s.row.ID, 765, map[string]string{}, s.env.Now()))
	}
}

// newsDuringIt is news of a part; the rest follows while it is booked.
func newsDuringIt(t *testing.T, s *shop) {
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
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: true})
	require.Equal(t, "stripe_refused", typeOf(s.env.GetWorkflowError()))
	require.Equal(t, checkout.Paid, s.read().State)
}

func TestRefundOfAnUnpaidCheckout(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
		for send, code := range map[bool]string{true: "conflict", false: ""} {
			s := newShop(t)
			s.stands(t, state)
			s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
			require.Equal(t, code, typeOf(s.env.GetWorkflowError()))
			require.Equal(t, send, s.env.GetWorkflowError() != nil)
			require.Equal(t, state, s.read().State)
			require.Zero(t, s.bank.count("refund"))
		}
	}
}
