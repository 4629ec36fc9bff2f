package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// checkoutIn is a checkout of somebody new that stands in a state.
func checkoutIn(t *testing.T, s *store.DB, state checkout.State) checkout.Checkout {
	t.Helper()
	r := undecided(t, s)
	if state == checkout.Quoting {
		return r.Checkout
	}
	decide(t, s, r, 15, plenty, november)
	c := openPage(t, s, r.ID, november)
	var err error
	switch state {
	case checkout.Paid:
		c = pay(t, s, r.ID, 765, "", november)
	case checkout.Refunded:
		pay(t, s, r.ID, 765, "", november)
		c, err = s.Checkouts.RefundCheckout(t.Context(), r.ID, 765, nil, november)
	case checkout.Expired, checkout.Cancelled, checkout.Failed:
		c, err = s.Checkouts.CloseCheckout(t.Context(), r.ID, state, "first_code", "First reason.", november)
	default: // it is open
	}
	require.NoError(t, err)
	require.Equal(t, state, c.State)
	return c
}

var allStates = []checkout.State{
	checkout.Quoting, checkout.Open, checkout.Paid, checkout.Expired, checkout.Cancelled, checkout.Failed, checkout.Refunded,
}

func TestCheckoutPageIsOpenedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			t.Run(string(state), func(t *testing.T) {
				before := checkoutIn(t, s, state)
				page := checkout.Session{ID: "cs_other_" + before.ID, URL: "https://checkout.stripe.com/other", ExpiresAt: november.Add(time.Hour)}
				c, err := s.Checkouts.OpenCheckout(t.Context(), before.ID, "cz-other", page, november.Add(time.Minute))
				require.NoError(t, err)
				if state != checkout.Quoting {
					require.Equal(t, state, c.State)
					require.Equal(t, before.SessionID, c.SessionID, "the page that was shown is the one")
					require.Equal(t, before.CouponID, c.CouponID)
					return
				}
				require.Equal(t, checkout.Open, c.State)
				require.Equal(t, page.ID, *c.SessionID)
				require.Equal(t, page.URL, c.PaymentURL)
				require.Equal(t, "cz-other", c.CouponID)
				require.True(t, c.ExpiresAt.Equal(page.ExpiresAt))
				require.Equal(t, before.LiveKey, c.LiveKey)
			})
		}
	})
}

func TestCheckoutIsClosedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			t.Run(string(state), func(t *testing.T) {
				before := checkoutIn(t, s, state)
				later := november.Add(time.Hour)
				c, err := s.Checkouts.CloseCheckout(t.Context(), before.ID, checkout.Cancelled, "late_code", "Late reason.", later)
				require.NoError(t, err)
				if !state.Live() {
					require.Equal(t, state, c.State, "it had ended")
					require.Equal(t, before.Code, c.Code)
					require.Equal(t, before.Reason, c.Reason)
					require.True(t, c.EndedAt.Equal(november))
					return
				}
				require.Equal(t, checkout.Cancelled, c.State)
				require.Equal(t, "late_code", c.Code)
				require.Equal(t, "Late reason.", c.Reason)
				require.Equal(t, later, *c.EndedAt)
				require.Nil(t, c.LiveKey, "another may be opened")
			})
		}
	})
}

func TestCheckoutThatNobodyKnows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ctx, id := t.Context(), checkout.NewID()
		_, receipt := s.Checkouts.Receipt(ctx, id)
		_, run := s.Checkouts.NoteCheckoutRun(ctx, id, "run", november)
		_, opened := s.Checkouts.OpenCheckout(ctx, id, "", checkout.Session{ID: "cs"}, november)
		_, closed := s.Checkouts.CloseCheckout(ctx, id, checkout.Expired, "", "", november)
		_, paid := s.Checkouts.PayCheckout(ctx, id, paidPage(id, 900), buyer("ada@example.com"), november)
		_, refunded := s.Checkouts.RefundCheckout(ctx, id, 900, nil, november)
		for _, err := range []error{receipt, run, opened, closed, paid, refunded} {
			require.Equal(t, problem.NotFound, problem.CodeOf(err))
		}
	})
}

func TestCheckoutNamesItsRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			c := checkoutIn(t, s, state)
			r, err := s.Checkouts.NoteCheckoutRun(t.Context(), c.ID, "run-2", november)
			require.NoError(t, err)
			require.Equal(t, "run-2", r.RunID)
			require.Equal(t, state, r.State)
			require.Equal(t, c.DecisionID, r.Decision.ID)
		}
	})
}

func TestCheckoutsThatWaitForARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ids := map[checkout.State]string{}
		for _, state := range allStates {
			ids[state] = checkoutIn(t, s, state).ID
		}
		carried := checkoutIn(t, s, checkout.Open)
		_, err := s.Checkouts.NoteCheckoutRun(t.Context(), carried.ID, "run", november)
		require.NoError(t, err)

		listed := func(all bool, before time.Time) (found []string) {
			list, err := s.Checkouts.WaitingCheckouts(t.Context(), all, before)
			require.NoError(t, err)
			for _, c := range list {
				found = append(found, c.ID)
			}
			return found
		}
		require.ElementsMatch(t, []string{ids[checkout.Quoting], ids[checkout.Open]}, listed(false, november))
		require.ElementsMatch(t, []string{ids[checkout.Quoting], ids[checkout.Open], carried.ID}, listed(true, november))
		require.Empty(t, listed(true, november.Add(-time.Second)), "whoever wrote them down starts their run")
	})
}

func TestCheckoutsThatShouldHaveEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var open string
		for _, state := range allStates {
			c := checkoutIn(t, s, state)
			if state == checkout.Open {
				open = c.ID
			}
		}
		ends := november.Add(checkout.OfferLife)
		list, err := s.Checkouts.OverdueCheckouts(t.Context(), ends.Add(-time.Microsecond))
		require.NoError(t, err)
		require.Empty(t, list)
		list, err = s.Checkouts.OverdueCheckouts(t.Context(), ends)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, open, list[0].ID)
	})
}
