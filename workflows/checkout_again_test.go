package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

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
	t.Helper()
	ctx := t.Context()
	if state == checkout.Quoting {
		return
	}
	offer := s.firstOffer(t)
	coupon, err := s.bank.CreateCoupon(ctx, offer)
	require.NoError(t, err)
	page, err := s.bank.OpenSession(ctx, offer, coupon)
	require.NoError(t, err)
	_, err = s.db.Checkouts.OpenCheckout(ctx, s.row.ID, coupon, page, opening)
	require.NoError(t, err)
	if state == checkout.Open {
		return
	}
	if state == checkout.Paid {
		s.buys(t, ada)
		_, err = s.db.Checkouts.PayCheckout(ctx, s.row.ID, *s.bank.pages[page.ID], welcomed(ada), opening)
		require.NoError(t, err)
		return
	}
	_, err = s.db.Checkouts.CloseCheckout(ctx, s.row.ID, state, "", "It was over.", opening)
	require.NoError(t, err)
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
	_, err := s.bank.CreateCoupon(t.Context(), offer)
	require.NoError(t, err)
}

func pageMade(t *testing.T, s *shop) {
	couponMade(t, s)
	_, err := s.bank.OpenSession(t.Context(), s.firstOffer(t), checkout.CouponID(s.row.ID))
	require.NoError(t, err)
}

// firstOffer is what the run before this one offered, at the price that it decided.
func (s *shop) firstOffer(t *testing.T) checkout.Offer {
	t.Helper()
	p := pricing.Proposal{DiscountPercent: 15, Source: pricing.ByRules}
	_, err := s.db.Checkouts.DecidePrice(t.Context(), s.row.DecisionID, p, checkout.Budget{FloorCents: 600, MonthCents: 1000}, opening)
	require.NoError(t, err)
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
	answer, err := s.env.QueryWorkflow(workflows.QueryProgress)
	require.NoError(t, err)
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
