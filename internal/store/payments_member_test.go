package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestCheckoutWithoutAnAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := bought(t, s, "")
		require.Equal(t, checkout.CodeNoAddress, c.Code)
		require.NotEmpty(t, c.Reason)
		require.Equal(t, map[string]int{
			"members": 1, "credit_entries": 1, "accounts": 0, "claims": 0, "letters": 0, "secrets": 0,
		}, rows(t, s))
		m := memberOf(t, s, c)
		require.Equal(t, member.StatusActive, m.Status)
		require.Equal(t, 90, m.Credits)
		_, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, nil, november)
		require.NoError(t, err, "there is nobody to write to")
		require.Equal(t, member.StatusFrozen, memberOf(t, s, c).Status)
	})
}

// Proves: F18
func TestCheckoutOfAMember(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, status := range []member.Status{member.StatusActive, member.StatusRemoved} {
			t.Run(string(status), func(t *testing.T) {
				address := string(status) + "@example.com"
				first := bought(t, s, address)
				require.NoError(t, s.SetMemberStatus(t.Context(), *first.MemberID, status))
				before := rows(t, s)
				c := bought(t, s, address)
				require.Equal(t, checkout.Paid, c.State, "the money did come in")
				require.Equal(t, checkout.CodeAlreadyMember, c.Code)
				require.NotEmpty(t, c.Reason)
				require.Nil(t, c.MemberID)
				before["letters"]++
				before["secrets"]++
				require.Equal(t, before, rows(t, s))
				require.Contains(t, mailed(t, s), "paid_twice:"+c.ID)
				require.Equal(t, status, memberOf(t, s, first).Status)

				_, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, c.PaidCents, nil, november)
				require.NoError(t, err)
				require.Equal(t, status, memberOf(t, s, first).Status, "the seat that was paid before stays")
				require.Equal(t, 90, memberOf(t, s, first).Credits)
			})
		}
	})
}

// Proves: F18
func TestCheckoutsWithOneAddressAtOnceMakeOneMember(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for n, name := range []string{"ada", "bea", "cleo", "dora"} { // the first opens the connections
			if n > 0 { // somebody who logs in with X, and is no member
				known := xAccount(t, s, name, name)
				require.NoError(t, s.Exec(`UPDATE accounts SET email = ? WHERE id = ?`, name+"@example.com", known.ID))
			}
			ids, codes := make([]string, 12), make([]string, 12)
			for i := range ids {
				ids[i] = offered(t, s, wish(visitor(t, s, xid.New().String())), 15, november).ID
			}
			require.Equal(t, len(ids), atOnce(t, len(ids), func(i int) error {
				c, err := s.Checkouts.PayCheckout(t.Context(), ids[i], paidPage(ids[i], 765), buyer(name+"@example.com"), november)
				codes[i] = c.Code
				return err
			}))
			slices.Sort(codes)
			require.Equal(t, append([]string{""}, slices.Repeat([]string{checkout.CodeAlreadyMember}, 11)...), codes)
			n++
			require.Equal(t, map[string]int{
				"members": n, "credit_entries": n, "accounts": n, "claims": n, "letters": 13 * n, "secrets": 13 * n,
			}, rows(t, s))
			require.Equal(t, 90*n, s.Number(t, "SELECT sum(delta) FROM credit_entries"))
		}
	})
}

func TestCheckoutOfAFounderMakesTheirAccountTheMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.NoError(t, s.Exec(`UPDATE accounts SET email = 'grace@example.com'`))
		c := bought(t, s, "grace@example.com")
		a, err := s.Accounts.AccountByID(t.Context(), grace.ID)
		require.NoError(t, err)
		require.Equal(t, c.MemberID, a.MemberID)
		require.Equal(t, account.Founder, founders.RoleOf(a, true))
		require.Equal(t, 1, s.Count(t, "accounts"))
	})
}

func TestCheckoutReadmitsWhoWasRefunded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		first := bought(t, s, "ada@example.com")
		require.NoError(t, s.Exec(`UPDATE members SET username = 'Ada', username_key = 'ada'`))
		_, err := s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, nil, november)
		require.NoError(t, err)

		r := offered(t, s, wish(visitor(t, s, "ada again")), 0, november)
		second := pay(t, s, r.ID, 900, "ada@example.com", november.Add(time.Hour))
		require.Equal(t, first.MemberID, second.MemberID)
		require.Empty(t, second.Code)
		m := memberOf(t, s, second)
		require.Equal(t, member.StatusActive, m.Status)
		require.Equal(t, 90, m.Credits)
		require.Equal(t, 900, m.PaymentCents)
		require.Equal(t, "Ada", m.Username, "they keep their name")
		require.Equal(t, november, m.JoinedAt.UTC(), "and their place")
		require.Equal(t, 1, s.Count(t, "members"))
		require.Contains(t, mailed(t, s), "welcome:"+second.ID)
		require.Contains(t, mailed(t, s), "receipt:"+second.ID)

		_, err = s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, nil, november)
		require.NoError(t, err)
		require.Equal(t, member.StatusActive, memberOf(t, s, second).Status, "old news of the first refund changes nothing")
	})
}
