package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var toldOfRefund = map[string]string{"Amount": "$7.65"}

func goesBack(t *testing.T, s *store.DB, c checkout.Checkout, cents int) checkout.Checkout {
	t.Helper()
	c, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, cents, toldOfRefund, november.Add(time.Hour))
	require.NoError(t, err)
	return c
}

// factsOf is what an e-mail to Ada is filled with.
func factsOf(t *testing.T, s *store.DB, factKey string) map[string]string {
	t.Helper()
	letters, err := s.Emails.WaitingLetters(t.Context(), true)
	require.NoError(t, err)
	i := slices.IndexFunc(letters, func(l email.Letter) bool { return l.FactKey == factKey })
	require.GreaterOrEqual(t, i, 0, factKey)
	_, content, err := s.Emails.Letter(t.Context(), letters[i].ID)
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", content.To)
	return content.Facts
}

// Proves: V7.4.2
func TestCheckoutRefundFreezesTheSeat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := goesBack(t, s, bought(t, s, "ada@example.com"), 765)
		require.Equal(t, checkout.Refunded, c.State)
		require.Equal(t, 765, c.RefundedCents)
		m := memberOf(t, s, c)
		require.Equal(t, member.StatusFrozen, m.Status)
		require.Zero(t, m.Credits)
		require.Equal(t, toldOfRefund, factsOf(t, s, "refund:"+c.ID))
	})
}

// Proves: F14
func TestCheckoutIsRefundedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.Equal(t, 20, atOnce(t, 20, func(int) error {
			_, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, toldOfRefund, november)
			return err
		}))
		book, err := s.Credits(t.Context(), *c.MemberID)
		require.NoError(t, err)
		require.Len(t, book, 2)
		require.Equal(t, -90, book[1].Delta)
		require.Equal(t, member.ReasonRefund, book[1].Reason)
		require.Len(t, mailed(t, s), 3)

		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusActive))
		goesBack(t, s, c, 765)
		require.Equal(t, member.StatusActive, memberOf(t, s, c).Status, "whom a founder lets in again stays in")
	})
}

// A seat that was paid for anew is not lost with the old payment.
func TestCheckoutRefundLeavesASeatThatWasPaidForAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		first := bought(t, s, "ada@example.com")
		require.NoError(t, s.SetMemberStatus(t.Context(), *first.MemberID, member.StatusFrozen))
		second := bought(t, s, "ada@example.com")
		require.Equal(t, first.MemberID, second.MemberID)

		require.Equal(t, checkout.Refunded, goesBack(t, s, first, 765).State)
		require.Equal(t, member.StatusActive, memberOf(t, s, second).Status)
		require.Equal(t, 90, memberOf(t, s, second).Credits, "one fee's credits went with its money")
		require.Equal(t, map[string]string{"Amount": "$7.65", "Seat": "stays"}, factsOf(t, s, "refund:"+first.ID))

		goesBack(t, s, second, 765)
		require.Equal(t, member.StatusFrozen, memberOf(t, s, second).Status)
		require.Equal(t, toldOfRefund, factsOf(t, s, "refund:"+second.ID))
		require.Zero(t, memberOf(t, s, second).Credits)
	})
}

func TestCheckoutRefundOfAPart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		for _, cents := range []int{300, 764, 100, 0, -5} { // old news tells of less
			c = goesBack(t, s, c, cents)
			require.Equal(t, checkout.Paid, c.State)
			require.Equal(t, max(cents, c.RefundedCents), c.RefundedCents)
			require.Equal(t, member.StatusActive, memberOf(t, s, c).Status)
			require.Equal(t, 90, memberOf(t, s, c).Credits)
		}
		require.Equal(t, 764, c.RefundedCents)
		c = goesBack(t, s, c, 765)
		require.Equal(t, checkout.Refunded, c.State)
		require.Equal(t, member.StatusFrozen, memberOf(t, s, c).Status)
	})
}

func TestCheckoutRefundOfMoreThanWasPaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := goesBack(t, s, bought(t, s, "ada@example.com"), 5000)
		require.Equal(t, checkout.Refunded, c.State)
		require.Equal(t, 765, c.RefundedCents)
	})
}

func TestCheckoutRefundTakesBackWhatIsLeft(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spent, given int
		left         int
	}{
		"nothing is spent: all goes":          {left: 0},
		"a part is spent: the rest goes":      {spent: 30, left: 0},
		"all is spent: nothing is owed":       {spent: 90, left: 0},
		"what was earned since is theirs":     {given: 25, left: 25},
		"spent and earned: the fee's at most": {spent: 50, given: 80, left: 30},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				c := bought(t, s, fmt.Sprintf("ada.%d.%d@example.com", tt.spent, tt.given))
				if since := tt.given - tt.spent; since != 0 {
					require.NoError(t, s.Exec(`INSERT INTO credit_entries (member_id, seq, delta, balance, reason, entry_key, created_at)
						VALUES (?, 2, ?, ?, 'adjust', ?, ?)`, *c.MemberID, since, 90+since, "test:"+c.ID, november))
				}
				c = goesBack(t, s, c, 765)
				require.Equal(t, checkout.Refunded, c.State)
				m := memberOf(t, s, c)
				require.Equal(t, member.StatusFrozen, m.Status)
				require.Equal(t, tt.left, m.Credits)
			})
		}
	})
}

// Posts that are charged while the money goes back: each is before it or after it, and the
// book stays whole.
func TestCheckoutRefundBesidePosts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		posts := 0
		for n, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			c := bought(t, s, name+"@example.com")
			done := atOnce(t, 10, func(i int) error {
				if i != 5 {
					_, err := s.Posts.CreatePost(t.Context(), draft(c.MemberID, november.Add(time.Duration(10*n+i+1)*time.Hour)), november)
					return err
				}
				_, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, toldOfRefund, november)
				if err != nil {
					return fmt.Errorf("the refund was refused: %s", err.Error())
				}
				return nil
			}, problem.CreditsExhausted)
			posts += done - 1
			require.Equal(t, checkout.Refunded, goesBack(t, s, c, 765).State)
			require.Zero(t, memberOf(t, s, c).Credits)
		}
		require.Equal(t, posts, s.Count(t, "posts"))
		require.Zero(t, s.Number(t, "SELECT min(balance) FROM credit_entries"))
	})
}

func TestCheckoutRefundOfWhoWasRemovedStaysRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusRemoved))
		require.Equal(t, checkout.Refunded, goesBack(t, s, c, 765).State)
		require.Equal(t, member.StatusRemoved, memberOf(t, s, c).Status)
		require.Zero(t, memberOf(t, s, c).Credits)
		require.Equal(t, map[string]string{"Amount": "$7.65", "Seat": "gone"}, factsOf(t, s, "refund:"+c.ID), "paying again is not advised")
	})
}

func TestCheckoutThatIsNotPaidIsNotRefunded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			if state.Settled() {
				continue
			}
			c := goesBack(t, s, checkoutIn(t, s, state), 765)
			require.Equal(t, state, c.State)
			require.Zero(t, c.RefundedCents)
		}
		require.Zero(t, s.Count(t, "letters"))
	})
}
