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
	return must(s.Checkouts.RefundCheckout(t.Context(), c.ID, cents, toldOfRefund, november.Add(time.Hour)))(t)
}

// factsOf is what an e-mail to Ada is filled with.
func factsOf(t *testing.T, s *store.DB, factKey string) map[string]string {
	t.Helper()
	letters := must(s.Emails.WaitingLetters(t.Context(), true))(t)
	i := slices.IndexFunc(letters, func(l email.Message) bool { return l.FactKey == factKey })
	require.GreaterOrEqual(t, i, 0, factKey)
	_, content := must2(s.Emails.Letter(t.Context(), letters[i].ID))(t)
	require.Equal(t, "ada@example.com", content.To)
	return content.Facts
}

// Proves: V7.4.2, F14
func TestRefunds(t *testing.T) {
	t.Parallel()
	each(t, "a refund freezes the membership", func(t *testing.T, s *store.DB) {
		c := goesBack(t, s, bought(t, s, "ada@example.com"), 765)
		require.Equal(t, []any{checkout.Refunded, 765}, []any{c.State, c.RefundedCents})
		m := memberOf(t, s, c)
		require.Equal(t, member.StatusFrozen, m.Status)
		require.Zero(t, m.Credits)
		require.Equal(t, toldOfRefund, factsOf(t, s, "refund:"+c.ID))
	})
	each(t, "a checkout is refunded once", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.Equal(t, 20, atOnce(t, 20, func(int) error {
			return errOf(s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, toldOfRefund, november))
		}))
		book := must(s.Credits(t.Context(), *c.MemberID))(t)
		require.Len(t, book, 2)
		require.Equal(t, []any{-90, member.ReasonRefund}, []any{book[1].Delta, book[1].Reason})
		require.Len(t, mailed(t, s), 3)
		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusActive))
		goesBack(t, s, c, 765)
		require.Equal(t, member.StatusActive, memberOf(t, s, c).Status, "whom a founder lets in again stays in")
	})
	// A seat that was paid for anew is not lost with the old payment.
	each(t, "a membership that was paid for again stays", func(t *testing.T, s *store.DB) {
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
	each(t, "a part", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		for _, cents := range []int{300, 764, 100, 0, -5} { // old news tells of less
			c = goesBack(t, s, c, cents)
			require.Equal(t, []any{checkout.Paid, max(cents, c.RefundedCents)}, []any{c.State, c.RefundedCents})
			require.Equal(t, member.StatusActive, memberOf(t, s, c).Status)
			require.Equal(t, 90, memberOf(t, s, c).Credits)
		}
		require.Equal(t, 764, c.RefundedCents)
		c = goesBack(t, s, c, 765)
		require.Equal(t, checkout.Refunded, c.State)
		require.Equal(t, member.StatusFrozen, memberOf(t, s, c).Status)
	})
	each(t, "more than was paid", func(t *testing.T, s *store.DB) {
		c := goesBack(t, s, bought(t, s, "ada@example.com"), 5000)
		require.Equal(t, []any{checkout.Refunded, 765}, []any{c.State, c.RefundedCents})
	})
	// Posts that are charged while the money goes back: each is before it or after it, and the
	// book stays whole.
	each(t, "a refund beside posts", func(t *testing.T, s *store.DB) {
		posts := 0
		for n, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			c := bought(t, s, name+"@example.com")
			done := atOnce(t, 10, func(i int) error {
				if i != 5 {
					return errOf(s.Posts.CreatePost(t.Context(), draft(c.MemberID, november.Add(time.Duration(10*n+i+1)*time.Hour)), november))
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
	each(t, "a removed member stays removed", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusRemoved))
		require.Equal(t, checkout.Refunded, goesBack(t, s, c, 765).State)
		require.Equal(t, member.StatusRemoved, memberOf(t, s, c).Status)
		require.Zero(t, memberOf(t, s, c).Credits)
		require.Equal(t, map[string]string{"Amount": "$7.65", "Seat": "gone"}, factsOf(t, s, "refund:"+c.ID), "paying again is not advised")
	})
	each(t, "an unpaid checkout is not refunded", func(t *testing.T, s *store.DB) {
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
				require.Equal(t, []any{member.StatusFrozen, tt.left}, []any{m.Status, m.Credits})
			})
		}
	})
}
