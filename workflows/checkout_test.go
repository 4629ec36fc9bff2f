package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
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
	r, err := s.db.Checkouts.BeginCheckout(t.Context(), ask, opening)
	require.NoError(t, err)
	page := checkout.Session{ID: "cs_before", Email: ada, PaymentIntent: "pi_before", TotalCents: 900}
	_, err = s.db.Checkouts.PayCheckout(t.Context(), r.ID, page, welcomed(ada), opening)
	require.NoError(t, err)
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
