package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// paidPage is a payment page as the service shows it when it was paid.
func paidPage(id string, cents int) checkout.Session {
	return checkout.Session{
		ID: "cs_" + id, CheckoutID: id, Status: checkout.SessionComplete, Paid: true, TotalCents: cents, Currency: "usd",
		FeeCents: 52, PaymentIntent: "pi_" + id,
	}
}

// buyer is who paid; without an address they cannot be written to.
func buyer(address string) checkout.Buyer {
	b := checkout.Buyer{MemberID: xid.New().String(), Username: checkout.NewUsername()}
	if address != "" {
		b.Welcome = &account.Welcome{Email: address, Token: account.NewToken(), Facts: map[string]string{"Credits": "90"}}
		b.Receipt = map[string]string{"Paid": "$7.65"}
	}
	return b
}

func pay(t *testing.T, s *store.DB, id string, cents int, address string, at time.Time) checkout.Checkout {
	t.Helper()
	return must(s.Checkouts.PayCheckout(t.Context(), id, paidPage(id, cents), buyer(address), at))(t)
}

// bought is a checkout of somebody new that was paid.
func bought(t *testing.T, s *store.DB, address string) checkout.Checkout {
	t.Helper()
	r := offered(t, s, wish(visitor(t, s, xid.New().String())), 15, november)
	return pay(t, s, r.ID, r.Decision.FinalCents, address, november)
}

// memberOf is who became a member by a checkout.
func memberOf(t *testing.T, s *store.DB, c checkout.Checkout) member.Account {
	t.Helper()
	require.NotNil(t, c.MemberID)
	return must(s.Members.Account(t.Context(), *c.MemberID, "2026-11"))(t)
}

// mailed lists the facts that e-mails were written about, in order.
func mailed(t *testing.T, s *store.DB) []string {
	t.Helper()
	letters := must(s.Emails.WaitingLetters(t.Context(), true))(t)
	facts := []string{}
	for _, l := range letters {
		kind, _, _ := strings.Cut(l.FactKey, ":")
		require.Equal(t, string(l.Kind), kind)
		facts = append(facts, l.FactKey)
	}
	return facts
}

// Proves: F14, F17, V2.3.3, F18
func TestPaidCheckouts(t *testing.T) {
	t.Parallel()
	each(t, "a payment makes a member", func(t *testing.T, s *store.DB) {
		r := offered(t, s, wish(visitor(t, s, "ada")), 15, november)
		at, b := november.Add(5*time.Minute), buyer("ada@example.com")
		c := must(s.Checkouts.PayCheckout(t.Context(), r.ID, paidPage(r.ID, 765), b, at))(t)
		require.Equal(t, checkout.Paid, c.State)
		require.Empty(t, c.Code)
		require.Equal(t, []any{765, 52, "pi_" + r.ID, at, at}, []any{c.PaidCents, c.FeeCents, *c.PaymentIntent, *c.PaidAt, *c.EndedAt})
		require.Nil(t, c.LiveKey)

		m := memberOf(t, s, c)
		m.JoinedAt = m.JoinedAt.UTC()
		require.Equal(t, member.Member{
			ID: b.MemberID, Username: b.Username, UsernameKey: b.Username, Status: member.StatusActive, PaymentCents: 765, JoinedAt: at,
		}, m.Member)
		require.Equal(t, []any{"ada@example.com", member.FoundingCredits}, []any{m.Email, m.Credits})
		require.ElementsMatch(t, []string{"welcome:" + c.ID, "receipt:" + c.ID}, mailed(t, s))
		require.Equal(t, 1, s.Count(t, "claims"))
		for _, table := range []string{"checkouts", "decisions", "letters", "claims", "payment_events"} {
			require.NotContains(t, s.Dump(t, table), "ada@example.com")
		}

		require.Equal(t, pricing.Spent, must(s.Checkouts.Receipt(t.Context(), r.ID))(t).Decision.State)
		require.Equal(t, 135, s.Number(t, "SELECT held_cents FROM discount_months"), "what was given stays counted")
	})
	each(t, "emails hold the facts they were given", func(t *testing.T, s *store.DB) {
		bought(t, s, "ada@example.com")
		letters, err := s.Emails.WaitingLetters(t.Context(), true)
		require.NoError(t, err)
		said := map[email.Kind]email.Content{}
		for _, l := range letters {
			_, content := must2(s.Emails.Letter(t.Context(), l.ID))(t)
			said[l.Kind] = content
		}
		require.Equal(t, map[email.Kind]email.Content{
			email.Welcome: {To: "ada@example.com", Facts: map[string]string{"Credits": "90"}},
			email.Receipt: {To: "ada@example.com", Facts: map[string]string{"Paid": "$7.65"}},
		}, said)
	})
	// The same payment may be told of any number of times, by anybody.
	each(t, "a checkout is paid once", func(t *testing.T, s *store.DB) {
		for n, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			r := offered(t, s, wish(visitor(t, s, name)), 15, november)
			require.Equal(t, 20, atOnce(t, 20, func(int) error {
				return errOf(s.Checkouts.PayCheckout(t.Context(), r.ID, paidPage(r.ID, 765), buyer(name+"@example.com"), november))
			}))
			c := pay(t, s, r.ID, 765, name+"@example.com", november.Add(time.Hour))
			require.Equal(t, november, c.PaidAt.UTC())
			require.Empty(t, c.Code)
			n++
			require.Equal(t, map[string]int{
				"members": n, "credit_entries": n, "accounts": n, "claims": n, "letters": 2 * n, "secrets": 2 * n,
			}, rows(t, s))
		}
	})
	each(t, "paid after its end", func(t *testing.T, s *store.DB) {
		for _, ended := range []checkout.State{checkout.Expired, checkout.Cancelled, checkout.Failed} {
			t.Run(string(ended), func(t *testing.T) {
				r := offered(t, s, wish(visitor(t, s, string(ended))), 15, november)
				must(s.Checkouts.CloseCheckout(t.Context(), r.ID, ended, "some_code", "It is over.", november))(t)
				c := pay(t, s, r.ID, 765, string(ended)+"@example.com", november.Add(time.Hour))
				require.Equal(t, checkout.Paid, c.State, "money in means member in")
				require.Empty(t, c.Code)
				require.Empty(t, c.Reason)
				require.Equal(t, november.Add(time.Hour), *c.EndedAt)
				require.Equal(t, member.StatusActive, memberOf(t, s, c).Status)
			})
		}
	})
	// A page may be paid before its row says which page it is.
	each(t, "paid while it is quoted", func(t *testing.T, s *store.DB) {
		r := beginCheckout(t, s, wish(visitor(t, s, "ada")), november)
		decide(t, s, r, 15, plenty, november)
		c := pay(t, s, r.ID, 765, "ada@example.com", november)
		require.Equal(t, []any{checkout.Paid, "cs_" + r.ID}, []any{c.State, *c.SessionID})
		require.Equal(t, 90, memberOf(t, s, c).Credits)
		c = openPage(t, s, r.ID, november)
		require.Equal(t, checkout.Paid, c.State, "it is not opened again")
	})
	each(t, "the demo makes no member", func(t *testing.T, s *store.DB) {
		r := offered(t, s, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true}, 20, november)
		c := pay(t, s, r.ID, 720, "ada@example.com", november)
		require.Equal(t, checkout.Paid, c.State)
		require.Nil(t, c.MemberID)
		require.Equal(t, map[string]int{
			"members": 0, "credit_entries": 0, "accounts": 0, "claims": 0, "letters": 0, "secrets": 0,
		}, rows(t, s))
		must(s.Checkouts.RefundCheckout(t.Context(), r.ID, 720, nil, november))(t)
		require.Zero(t, s.Count(t, "letters"))
	})
	// Without keys no letter can be sealed. The money is booked when there are keys again.
	each(t, "a checkout whose emails cannot be encrypted stays as it is", func(t *testing.T, s *store.DB) {
		r := offered(t, s, wish(visitor(t, s, "ada")), 15, november)
		s.UseKeys(nil)
		require.Error(t, errOf(s.Checkouts.PayCheckout(t.Context(), r.ID, paidPage(r.ID, 765), buyer("ada@example.com"), november)))
		left := must(s.Checkouts.Receipt(t.Context(), r.ID))(t)
		require.Equal(t, []any{checkout.Open, pricing.Decided}, []any{left.State, left.Decision.State})
		require.Zero(t, s.Count(t, "members"))
		s.UseKeys(storetest.Ring(t))
		require.Equal(t, checkout.Paid, pay(t, s, r.ID, 765, "ada@example.com", november).State)
	})
	each(t, "paid without an address", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "")
		require.Equal(t, checkout.CodeNoAddress, c.Code)
		require.NotEmpty(t, c.Reason)
		require.Equal(t, map[string]int{
			"members": 1, "credit_entries": 1, "accounts": 0, "claims": 0, "letters": 0, "secrets": 0,
		}, rows(t, s))
		m := memberOf(t, s, c)
		require.Equal(t, []any{member.StatusActive, 90}, []any{m.Status, m.Credits})
		must(s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, nil, november))(t, "there is nobody to write to")
		require.Equal(t, member.StatusFrozen, memberOf(t, s, c).Status)
	})
	each(t, "paid by a member", func(t *testing.T, s *store.DB) {
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

				must(s.Checkouts.RefundCheckout(t.Context(), c.ID, c.PaidCents, nil, november))(t)
				require.Equal(t, status, memberOf(t, s, first).Status, "the seat that was paid before stays")
				require.Equal(t, 90, memberOf(t, s, first).Credits)
			})
		}
	})
	each(t, "payments with one address at once make one member", func(t *testing.T, s *store.DB) {
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
	each(t, "paid by a founder", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.NoError(t, s.Exec(`UPDATE accounts SET email = 'grace@example.com'`))
		c := bought(t, s, "grace@example.com")
		a := must(s.Accounts.AccountByID(t.Context(), grace.ID))(t)
		require.Equal(t, c.MemberID, a.MemberID)
		require.Equal(t, account.Founder, founders.RoleOf(a, true))
		require.Equal(t, 1, s.Count(t, "accounts"))
	})
	each(t, "a refunded member pays again", func(t *testing.T, s *store.DB) {
		first := bought(t, s, "ada@example.com")
		require.NoError(t, s.Exec(`UPDATE members SET username = 'Ada', username_key = 'ada'`))
		must(s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, nil, november))(t)

		r := offered(t, s, wish(visitor(t, s, "ada again")), 0, november)
		second := pay(t, s, r.ID, 900, "ada@example.com", november.Add(time.Hour))
		require.Equal(t, first.MemberID, second.MemberID)
		require.Empty(t, second.Code)
		m := memberOf(t, s, second)
		require.Equal(t, []any{member.StatusActive, 90, 900}, []any{m.Status, m.Credits, m.PaymentCents})
		require.Equal(t, "Ada", m.Username, "they keep their name")
		require.Equal(t, november, m.JoinedAt.UTC(), "and their place")
		require.Equal(t, 1, s.Count(t, "members"))
		require.Contains(t, mailed(t, s), "welcome:"+second.ID)
		require.Contains(t, mailed(t, s), "receipt:"+second.ID)

		must(s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, nil, november))(t)
		require.Equal(t, member.StatusActive, memberOf(t, s, second).Status, "old news of the first refund changes nothing")
	})
}

func news(id, session, intent, checkoutID string) checkout.Event {
	return checkout.Event{
		ID: id, Type: "checkout.session.completed", SessionID: session, PaymentIntent: intent, CheckoutID: checkoutID, CreatedAt: november,
	}
}

func noteEvent(t *testing.T, s *store.DB, e checkout.Event) (checkoutID string, heeded bool) {
	t.Helper()
	id, heeded := must2(s.Checkouts.NoteEvent(t.Context(), e, november))(t)
	return id, heeded
}

// Proves: F15, F14
func TestPaymentEvents(t *testing.T) {
	t.Parallel()
	each(t, "an event belongs to its checkout", func(t *testing.T, s *store.DB) {
		open, quoted, paid := checkoutIn(t, s, checkout.Open), checkoutIn(t, s, checkout.Quoting), bought(t, s, "ada@example.com")
		for name, tt := range map[string]struct {
			event checkout.Event
			about string
		}{
			"of its page":                            {news("1", "cs_"+open.ID, "", open.ID), open.ID},
			"of its page, whatever the page carries": {news("2", "cs_"+open.ID, "", ""), open.ID},
			"of a page that has no row yet":          {news("3", "cs_new", "", quoted.ID), quoted.ID},
			"of another page with its name: nobody":  {news("4", "cs_other", "", open.ID), ""},
			"of a page that is not ours: nobody":     {news("5", "cs_other", "", checkout.NewID()), ""},
			"of a page without a name: nobody":       {news("6", "cs_other", "", ""), ""},
			"of a payment":                           {news("7", "", "pi_"+paid.ID, ""), paid.ID},
			"of a payment that is not ours: nobody":  {news("8", "", "pi_other", open.ID), ""},
			"of nothing that we know: nobody":        {news("9", "", "", open.ID), ""},
		} {
			t.Run(name, func(t *testing.T) {
				for range 2 { // as often as it is told
					about, heeded := noteEvent(t, s, tt.event)
					require.Equal(t, tt.about, about)
					require.False(t, heeded, "nobody has acted on it")
				}
			})
		}
	})
	each(t, "an event is handled once", func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := news("evt_1", *c.SessionID, "", c.ID)
		require.Equal(t, 20, atOnce(t, 20, func(int) error {
			_, _, err := s.Checkouts.NoteEvent(t.Context(), e, november)
			return err
		}))
		require.Equal(t, 1, s.Count(t, "payment_events"))
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november))
		about, heeded := noteEvent(t, s, e)
		require.Equal(t, c.ID, about)
		require.True(t, heeded)

		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november.Add(time.Hour)))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM payment_events WHERE heeded_at = ?", november), "the first time stays")
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), "evt_of_nobody", november))
		_, heeded = noteEvent(t, s, news("evt_2", *c.SessionID, "", c.ID))
		require.False(t, heeded, "each for itself")
	})
	// Before a payment is known its refund means nothing to us; once it is, it does.
	each(t, "an event that comes too early is known later", func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := news("evt_1", "", "pi_"+c.ID, "")
		about, _ := noteEvent(t, s, e)
		require.Empty(t, about)
		pay(t, s, c.ID, 765, "", november)
		about, _ = noteEvent(t, s, e)
		require.Equal(t, c.ID, about)
	})
	each(t, "the time until which events were reconciled", func(t *testing.T, s *store.DB) {
		until := must(s.Checkouts.LookedUntil(t.Context()))(t)
		require.Nil(t, until)
		for _, at := range []time.Time{november, november.Add(time.Hour), november.Add(time.Minute)} {
			require.NoError(t, s.Checkouts.SetLookedUntil(t.Context(), at.Add(time.Nanosecond)))
			until = must(s.Checkouts.LookedUntil(t.Context()))(t)
			require.Equal(t, at, until.UTC())
		}
		require.Equal(t, 1, s.Count(t, "reconciliations"))
	})
}
