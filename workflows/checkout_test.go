package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

// Proves: F14, F15, F17, F18
func TestCheckoutEndings(t *testing.T) {
	t.Parallel()
	const during = 5 * time.Minute
	ends := checkout.OfferLife + checkout.Grace
	for name, tt := range map[string]struct {
		during func(t *testing.T, s *shop) // five minutes after it began
		state  checkout.State
		code   string
		after  time.Duration // it ended so long after it began
		seats  int
	}{
		"paid, and we are told: a member":          {during: paidAndTold, state: checkout.Paid, after: during, seats: 1},
		"paid, and nobody tells: seen at its end":  {during: paidInSilence, state: checkout.Paid, after: ends, seats: 1},
		"told twenty times: a member once":         {during: paidAndToldOften, state: checkout.Paid, after: during, seats: 1},
		"told before it was paid: seen at its end": {during: toldTooEarly, state: checkout.Paid, after: ends, seats: 1},
		"nobody pays: expired":                     {state: checkout.Expired, after: ends},
		"news of its end: expired at once":         {during: endedByTheBank, state: checkout.Expired, after: during},
		"the buyer gives up: cancelled":            {during: givenUp, state: checkout.Cancelled, after: during},
		"gives up after it was paid: a member":     {during: andThen(paidInSilence, givenUp), state: checkout.Paid, after: during, seats: 1},
		"cancelled in the console: cancelled":      {during: cancelled, state: checkout.Cancelled, after: during},
		"cancelled after it was paid: a member":    {during: andThen(paidInSilence, cancelled), state: checkout.Paid, after: during, seats: 1},
		"the page is gone: expired, and it says so": {
			during: func(_ *testing.T, s *shop) { clear(s.bank.pages) }, state: checkout.Expired, code: "payment_page_gone", after: ends,
		},
		"the buyer left no address: a member all the same": {
			during: paidBy(""), state: checkout.Paid, code: checkout.CodeNoAddress, after: during, seats: 1,
		},
		"the buyer's address makes no sense: the same": {
			during: paidBy("ada@localhost"), state: checkout.Paid, code: checkout.CodeNoAddress, after: during, seats: 1,
		},
		"a member pays again: the money goes back": {
			during: andThen(joined, paidAndTold), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: during, seats: 1,
		},
		"a member pays again while it is cancelled in the console: it goes back": {
			during: andThen(joined, paidInSilence, cancelled), state: checkout.Refunded, code: checkout.CodeAlreadyMember, after: during, seats: 1,
		},
		"paid, and sent back before we look: no seat": {during: paidAndSentBack, state: checkout.Refunded, after: during},
		"paid, and a part sent back: a member":        {during: paidAndPartSentBack, state: checkout.Paid, after: during, seats: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			if tt.during != nil {
				s.after(during, func() { tt.during(t, s) })
			}
			result := s.run(t)
			require.Equal(t, workflows.CheckoutResult{State: tt.state, Code: tt.code}, result)
			require.InDelta(t, tt.after, s.env.Now().Sub(opening), float64(5*time.Second))
			seats, credits := s.members(t)
			require.Equal(t, tt.seats, seats)
			require.Equal(t, tt.seats*member.FoundingCredits, credits)
		})
	}
}

const buyerAda = "Ada@Example.com"

func paidInSilence(t *testing.T, s *shop) { s.buys(t, buyerAda) }

func paidBy(address string) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) {
		s.buys(t, address)
		s.tells()
	}
}

func paidAndTold(t *testing.T, s *shop) { paidBy(buyerAda)(t, s) }

func paidAndToldOften(t *testing.T, s *shop) {
	s.buys(t, buyerAda)
	for range 20 {
		s.tells()
	}
}

func toldTooEarly(t *testing.T, s *shop) {
	s.tells()
	s.after(time.Minute, func() { s.buys(t, buyerAda) })
}

func endedByTheBank(t *testing.T, s *shop) {
	page := s.bank.pages[*s.read(t).SessionID]
	page.Status, page.URL = checkout.SessionExpired, ""
	s.tells()
}

func givenUp(_ *testing.T, s *shop) { s.env.SignalWorkflow(workflows.SignalCancel, nil) }

func cancelled(_ *testing.T, s *shop) { s.env.CancelWorkflow() }

func paidAndSentBack(t *testing.T, s *shop) {
	s.buys(t, buyerAda)
	page := s.bank.pages[*s.row.SessionID]
	page.RefundedCents = page.TotalCents
	s.tells()
}

func paidAndPartSentBack(t *testing.T, s *shop) {
	s.buys(t, buyerAda)
	s.bank.pages[*s.row.SessionID].RefundedCents = 100
	s.tells()
}

// joined is ada as a member, by an earlier day's checkout.
func joined(t *testing.T, s *shop) {
	ask := anybody()
	ask.Visitor, ask.Personal = nil, false
	r := must(s.db.Checkouts.BeginCheckout(t.Context(), ask, opening))
	page := checkout.Session{ID: "cs_before", Email: ada, PaymentIntent: "pi_before", TotalCents: 900}
	must(s.db.Checkouts.PayCheckout(t.Context(), r.ID, page, welcomed(ada), opening))
}

func andThen(steps ...func(*testing.T, *shop)) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) {
		for _, step := range steps {
			step(t, s)
		}
	}
}

// What the buyer sees, what they pay and what is booked are one price.
func TestCheckoutBooksWhatWasPaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.after(time.Minute, func() { paidAndTold(t, s) })
	s.run(t)
	require.Equal(t, 765, s.row.Decision.FinalCents)
	require.Equal(t, 765, s.row.PaidCents)
	require.Equal(t, 52, s.row.FeeCents)
	require.Equal(t, "spent", string(s.row.Decision.State))
	require.Equal(t, checkout.CouponID(s.row.ID), s.row.CouponID)
	require.Equal(t, "https://customerzero.test/receipts/"+s.row.ID, s.receiptFacts(t)["ReceiptURL"])
	require.Equal(t, map[string]string{
		"Paid": "$7.65", "List": "$9.00", "Discount": "15 %", "Date": "20 November 2126", "ReceiptURL": s.receiptFacts(t)["ReceiptURL"],
	}, s.receiptFacts(t))
	require.Equal(t, []string{"receipt to " + ada, "welcome to " + ada}, s.letters(t))
	require.NotEmpty(t, s.row.RunID)
}

func TestCheckoutOfTheDemoTouchesNothingReal(t *testing.T) {
	t.Parallel()
	s := newShopFor(t, checkout.Ask{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: anybody().Behaviour})
	s.bank, s.demo = s.demo, s.bank // so that the steps of the test see the demo's
	s.after(time.Minute, func() { paidAndTold(t, s) })
	require.Equal(t, checkout.Paid, s.run(t).State)
	require.Empty(t, s.demo.calls, "the real one is asked nothing")
	seats, _ := s.members(t)
	require.Zero(t, seats)
	require.Empty(t, s.letters(t))

	s = newShopFor(t, checkout.Ask{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: anybody().Behaviour})
	s.bank, s.demo = s.demo, s.bank
	require.Equal(t, checkout.Expired, s.run(t).State)
	require.Empty(t, s.demo.calls)
}

// A page that the service does not end in time is looked at again, and not all the time.
func TestCheckoutWhosePageDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.bank.stays = true
	ends := checkout.OfferLife + checkout.Grace
	s.after(ends+150*time.Second, func() {
		require.Equal(t, checkout.Open, s.read(t).State, "it may still be paid")
		require.Equal(t, 3, s.bank.count("expire"), "at its end, and each minute from then on")
		s.bank.stays = false
	})
	require.Equal(t, checkout.Expired, s.run(t).State)
	require.Equal(t, 4, s.bank.count("expire"))
	require.InDelta(t, ends+3*time.Minute, s.env.Now().Sub(opening), float64(5*time.Second))
}

func TestCheckoutWhosePageDoesNotEndIsPaidLate(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.bank.stays = true
	s.after(checkout.OfferLife+10*time.Minute, func() { paidAndTold(t, s) })
	require.Equal(t, checkout.Paid, s.run(t).State)
	require.Less(t, s.bank.count("expire"), 12)
}

// News without end does not keep a page from being ended.
func TestCheckoutThatIsLookedAtAllTheTime(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for minute := range 31 {
		s.after(time.Duration(minute+1)*time.Minute-time.Second, s.tells)
	}
	require.Equal(t, checkout.Expired, s.run(t).State)
	require.LessOrEqual(t, s.bank.count("look"), 31)
	require.InDelta(t, checkout.OfferLife+checkout.Grace, s.env.Now().Sub(opening), float64(2*time.Minute))
}

// While the service is away nobody knows whether money came in: it is asked until it answers.
// Proves: F19, V16.5.2
func TestCheckoutWaitsForAServiceThatIsAway(t *testing.T) {
	t.Parallel()
	for name, script := range map[string][]error{
		"away":              {bankAway, bankAway, bankAway},
		"busy":              {bankBusy, bankAway, bankBusy},
		"a trouble of ours": {errStorm, errStorm},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.after(time.Minute, func() {
				s.bank.fails["look"] = script
				paidAndTold(t, s)
			})
			require.Equal(t, checkout.Paid, s.run(t).State)
			require.Equal(t, len(script)+1, s.bank.count("look"))
		})
	}
}

// A run that cannot ask leaves the row open: the next round of sweeping begins it anew.
func TestCheckoutWhoseKeyIsRefusedStaysOpen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.after(time.Minute, func() {
		s.buys(t, buyerAda)
		s.bank.always["look"] = bankForbids
		s.tells()
	})
	s.execute(t)
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
				s := newShop(t)
				s.network.loses, s.network.times = step, 2
				s.after(time.Minute, func() { during(t, s) })
				require.Equal(t, ending, s.run(t).State)
				require.Equal(t, "1", s.row.PaymentURL[len(s.row.PaymentURL)-1:], "the first page is the one")
				require.Len(t, s.bank.pages, 1)
				require.LessOrEqual(t, len(s.oracle.asked), 2)
				seats, credits := s.members(t)
				require.Equal(t, ending != checkout.Cancelled, seats == 1)
				require.Equal(t, 90*seats, credits)
				if ending == checkout.Paid {
					require.Equal(t, []string{"receipt to " + ada, "welcome to " + ada}, s.letters(t))
				}
			})
		}
	}
}

// Every answer of the step is lost: what it wrote into our books counts.
// Proves: F2
func TestCheckoutWhoseEveryAnswerIsLost(t *testing.T) {
	t.Parallel()

	t.Run("of the model: what it decided stays", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.network.loses = "ProposePrice"
		s.run(t)
		require.Equal(t, pricing.ByModel, s.row.Decision.Source)
		require.Equal(t, 15, s.row.Decision.DiscountPercent)
		require.Len(t, s.oracle.asked, 1, "what is decided is not asked for again")
	})
	t.Run("of the coupon: it is taken back", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.network.loses = "CreateCoupon"
		require.Equal(t, checkout.Failed, s.run(t).State)
		require.Equal(t, 1, s.bank.count("delete coupon"))
	})
	t.Run("of the page: it can be paid all the same", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.network.loses = "CreateCheckoutSession"
		s.after(time.Minute, func() { paidAndTold(t, s) }) // another tab of theirs shows it
		require.Equal(t, checkout.Paid, s.run(t).State)
		require.Len(t, s.bank.pages, 1)
		require.Zero(t, s.bank.count("delete coupon"), "the page needs it")
	})
	t.Run("of the page, and it is cancelled: nobody can pay it", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.network.loses = "CreateCheckoutSession"
		s.bank.during["page"] = func() {
			if s.bank.count("page") == 2 { // the first has written its row
				s.env.CancelWorkflow()
			}
		}
		require.Equal(t, checkout.Cancelled, s.run(t).State)
	})
}

// The payment service may fail with an answer of its own anywhere.
// Proves: F19
func TestCheckoutWaitsUntilTheServiceWorksAgain(t *testing.T) {
	t.Parallel()
	trouble := []error{bankBroken, bankAway, bankBusy, bankBroken}
	for name, tt := range map[string]struct {
		call   string
		during func(*testing.T, *shop)
		state  checkout.State
	}{
		"to look":              {"look", paidAndTold, checkout.Paid},
		"to close the page":    {"expire", givenUp, checkout.Cancelled},
		"to delete the coupon": {"delete coupon", givenUp, checkout.Cancelled},
		"to send money back":   {"refund", andThen(joined, paidAndTold), checkout.Refunded},
		"to see it sent back":  {"look", andThen(joined, paidAndTold), checkout.Refunded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.after(time.Minute, func() {
				s.bank.fails[tt.call] = trouble
				tt.during(t, s)
			})
			require.Equal(t, tt.state, s.run(t).State)
			require.Empty(t, s.bank.fails[tt.call])
		})
	}
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
	if state == checkout.Open {
		return
	}
	if state == checkout.Paid {
		s.buys(t, ada)
		must(s.db.Checkouts.PayCheckout(ctx, s.row.ID, *s.bank.pages[page.ID], welcomed(ada), opening))
		return
	}
	must(s.db.Checkouts.CloseCheckout(ctx, s.row.ID, state, "", "It was over.", opening))
}

// A run begun anew goes on from the row.
// Proves: F2, F17
func TestCheckoutBegunAnew(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
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
			s := newShop(t)
			s.stands(t, tt.stands)
			if tt.before != nil {
				tt.before(t, s)
			}
			later := opening.Add(2 * time.Minute)
			s.again(later)
			if tt.during != nil {
				s.after(time.Minute, func() { tt.during(t, s) })
			}
			s.after(0, s.tells)
			require.Equal(t, tt.state, s.run(t).State)
			require.LessOrEqual(t, s.env.Now().Sub(later), tt.within+5*time.Second)
			seats, credits := s.members(t)
			require.Equal(t, tt.state == checkout.Paid, seats == 1)
			require.Equal(t, 90*seats, credits)
			require.LessOrEqual(t, len(s.bank.coupons), 1, "one coupon, whoever made it")
			if tt.stands != checkout.Quoting {
				require.Len(t, s.bank.pages, 1, "and one page")
			}
		})
	}
}

// couponMade is what a run does before it dies: its answer reached nobody.
func couponMade(t *testing.T, s *shop) {
	offer := s.firstOffer(t)
	must(s.bank.CreateCoupon(t.Context(), offer))
}

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

func ended(t *testing.T, s *shop) {
	page := s.bank.pages[*s.read(t).SessionID]
	page.Status, page.URL = checkout.SessionExpired, ""
}

// The run was lost between the booking of a second payment and its way back.
// Proves: F18
func TestCheckoutBegunAnewSendsASecondPaymentBack(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	joined(t, s)
	s.stands(t, checkout.Paid)
	require.Equal(t, checkout.CodeAlreadyMember, s.read(t).Code)
	s.again(opening.Add(time.Hour))
	require.Equal(t, workflows.CheckoutResult{State: checkout.Refunded, Code: checkout.CodeAlreadyMember}, s.run(t))
	seats, credits := s.members(t)
	require.Equal(t, 1, seats)
	require.Equal(t, 90, credits)
}

func TestCheckoutThatNobodyKnowsEndsItsRun(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.env.ExecuteWorkflow(workflows.Checkout, workflows.CheckoutInput{CheckoutID: checkout.NewID()})
	require.Equal(t, "not_found", typeOf(s.env.GetWorkflowError()))
}

func TestCheckoutTellsItsProgress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		during func(*testing.T, *shop)
		steps  []string
	}{
		"paid":      {paidAndTold, []string{"begun", "price decided", "coupon created", "payment page open", "settled"}},
		"cancelled": {givenUp, []string{"begun", "price decided", "coupon created", "payment page open", "settled", "coupon deleted"}},
		"paid twice": {
			andThen(joined, paidAndTold), []string{"begun", "price decided", "coupon created", "payment page open", "settled", "money sent back"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.after(5*time.Minute, func() {
				require.Equal(t, tt.steps[:4], s.progress(t), "while it waits")
				tt.during(t, s)
			})
			s.run(t)
			require.Equal(t, tt.steps, s.progress(t))
		})
	}
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		s.bank.always["page"] = bankRefuses
		s.run(t)
		require.Equal(t, []string{"begun", "price decided", "coupon created", "coupon deleted"}, s.progress(t))
	})
}

// progress lists the steps that the run says it took, in the order of their times.
func (s *shop) progress(t *testing.T) (steps []string) {
	t.Helper()
	answer := must(s.env.QueryWorkflow(workflows.QueryProgress))
	var progress workflows.Progress
	require.NoError(t, answer.Get(&progress))
	at := opening
	for _, step := range progress.Steps {
		require.False(t, step.At.Before(at), step.Name)
		at = step.At
		steps = append(steps, step.Name)
	}
	return steps
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
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
	require.NoError(t, s.env.GetWorkflowError())
	var result workflows.RefundResult
	require.NoError(t, s.env.GetWorkflowResult(&result))
	require.Equal(t, s.read(t).State, result.State, "the row and the run tell the same")
	return result.State
}

// gone says how much of the payment went back, as the payment service has it.
func (s *shop) gone(t *testing.T, cents int) {
	s.bank.pages[*s.read(t).SessionID].RefundedCents = cents
}

func TestRefundEndings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		send   bool
		before func(t *testing.T, s *shop)
		state  checkout.State
		cents  int // that went back
		sent   int // calls that send
	}{
		"a founder sends it: back, and the seat is frozen":      {send: true, state: checkout.Refunded, cents: 765, sent: 1},
		"news that all went back: the seat is frozen":           {before: wentBack(765), state: checkout.Refunded, cents: 765},
		"news that a part went back: the seat stays":            {before: wentBack(100), state: checkout.Paid, cents: 100},
		"news of nothing: the seat stays":                       {state: checkout.Paid},
		"it went back already: not sent again, and booked":      {send: true, before: wentBack(765), state: checkout.Refunded, cents: 765, sent: 1},
		"the answer is lost: sent again, and it is sent once":   {send: true, before: loses("RefundPayment"), state: checkout.Refunded, cents: 765, sent: 3},
		"the booking's answer is lost: booked once":             {send: true, before: loses("RecordRefund"), state: checkout.Refunded, cents: 765, sent: 1},
		"the service is away: waited for":                       {send: true, before: fails("refund", bankAway, bankBusy), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken: tried until it works":           {send: true, before: fails("refund", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken when it is asked: asked again":   {send: true, before: fails("look", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 1},
		"news overtakes the answer: sent once, and booked once": {send: true, before: overtaken, state: checkout.Refunded, cents: 765, sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSold(t)
			if tt.before != nil {
				tt.before(t, s)
			}
			require.Equal(t, tt.state, s.refund(t, tt.send))
			require.Equal(t, tt.cents, s.row.RefundedCents)
			require.Equal(t, tt.sent, s.bank.count("refund"))
			seats, credits := s.members(t)
			if tt.state == checkout.Refunded {
				require.Equal(t, 0, seats+credits)
				require.Equal(t, []string{"receipt to " + ada, "refund to " + ada, "welcome to " + ada}, s.letters(t))
				return
			}
			require.Equal(t, 1, seats)
			require.Equal(t, 90, credits)
			require.NotContains(t, s.letters(t), "refund to "+ada)
		})
	}
}

func wentBack(cents int) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) { s.gone(t, cents) }
}

func loses(step string) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.network.loses, s.network.times = step, 2 }
}

func fails(call string, script ...error) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.bank.fails[call] = script }
}

// overtaken loses the answer of the first try, and books the refund before the second.
func overtaken(t *testing.T, s *shop) {
	s.network.loses, s.network.times = "RefundPayment", 1
	s.bank.during["refund"] = func() {
		must(s.db.Checkouts.RefundCheckout(t.Context(), s.row.ID, 765, map[string]string{}, s.env.Now()))
	}
}

func TestRefundThatTheServiceRefusesSaysSo(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.bank.always["refund"] = bankRefuses
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: true})
	require.Equal(t, "stripe_refused", typeOf(s.env.GetWorkflowError()))
	require.Equal(t, checkout.Paid, s.read(t).State)
}

func TestRefundOfACheckoutThatIsNotPaid(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
		for _, send := range []bool{true, false} {
			s := newShop(t)
			s.stands(t, state)
			s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
			if send {
				require.Equal(t, "conflict", typeOf(s.env.GetWorkflowError()))
			} else {
				require.NoError(t, s.env.GetWorkflowError())
			}
			require.Equal(t, state, s.read(t).State)
			require.Zero(t, s.bank.count("refund"))
		}
	}
}

// News that comes while the last is booked is looked at, too.
func TestRefundHeedsNewsThatComesDuringIt(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.gone(t, 100)
	page := s.bank.pages[*s.row.SessionID]
	s.bank.during["look"] = func() {
		s.env.SignalWorkflow(workflows.SignalRefunded, nil)
		s.bank.during["look"] = func() { page.RefundedCents = 765 }
	}
	require.Equal(t, checkout.Refunded, s.refund(t, false))
	require.Equal(t, 765, s.row.RefundedCents)
	require.Equal(t, 2, s.bank.count("look"))
}
