package store_test

import (
	"errors"
	"fmt"
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
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/treasury"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func paidPage(id string, cents int) checkout.Session {
	return checkout.Session{
		ID: "cs_" + id, CheckoutID: id, Status: checkout.SessionComplete, Paid: true, TotalCents: cents, Currency: "usd",
		FeeCents: 52, PaymentIntent: "pi_" + id,
	}
}

// buyer returns a buyer, who has no email address if address is empty.
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

func bought(t *testing.T, s *store.DB, address string) checkout.Checkout {
	t.Helper()
	r := offered(t, s, wish(visitor(t, s, xid.New().String())), 15, november)
	return pay(t, s, r.ID, r.Decision.FinalCents, address, november)
}

func memberOf(t *testing.T, s *store.DB, c checkout.Checkout) member.Account {
	t.Helper()
	require.NotNil(t, c.MemberID)
	return must(s.Members.Account(t.Context(), *c.MemberID, "2026-11"))(t)
}

// mailed lists the fact keys of all emails, in order.
func mailed(t *testing.T, s *store.DB) (facts []string) {
	t.Helper()
	for _, l := range must(s.Emails.WaitingEmails(t.Context(), true))(t) {
		require.True(t, strings.HasPrefix(l.IdempotencyKey, string(l.Kind)+":"), l.IdempotencyKey)
		facts = append(facts, l.IdempotencyKey)
	}
	return facts
}

// requireMembership checks the membership that a checkout bought.
func requireMembership(t *testing.T, s *store.DB, c checkout.Checkout, status member.Status, credits int) {
	t.Helper()
	m := memberOf(t, s, c)
	require.Equal(t, []any{status, credits}, []any{m.Status, m.Credits})
}

// Proves: F14, F17, V2.3.3, F18
func TestPaidCheckouts(t *testing.T) {
	t.Parallel()
	each(t, "a payment makes a member", func(t *testing.T, s *store.DB) {
		r := offered(t, s, wish(visitor(t, s, "ada")), 15, november)
		at, b := november.Add(5*time.Minute), buyer("ada@example.com")
		c := must(s.Checkouts.PayCheckout(t.Context(), r.ID, paidPage(r.ID, 765), b, at))(t)
		require.Equal(t, []any{checkout.Paid, "", (*string)(nil)}, []any{c.State, c.Code, c.OpenKey})
		require.Equal(t, []any{765, 52, "pi_" + r.ID, at, at}, []any{c.PaidCents, c.FeeCents, *c.PaymentIntent, *c.PaidAt, *c.EndedAt})
		m := memberOf(t, s, c)
		m.JoinedAt = m.JoinedAt.UTC()
		require.Equal(t, member.Member{
			ID: b.MemberID, Username: b.Username, UsernameKey: b.Username, Status: member.StatusActive, PaymentCents: 765, JoinedAt: at,
		}, m.Member)
		require.Equal(t, []any{"ada@example.com", member.FoundingCredits}, []any{m.Email, m.Credits})
		require.ElementsMatch(t, []string{"welcome:" + c.ID, "receipt:" + c.ID}, mailed(t, s))
		require.Equal(t, map[string][]map[string]string{"ada@example.com": {b.Welcome.Facts}}, emails(t, s, email.Welcome))
		require.Equal(t, map[string][]map[string]string{"ada@example.com": {b.Receipt}}, emails(t, s, email.Receipt))
		require.Equal(t, 1, s.Count(t, "activation_links"))
		for _, table := range []string{"checkouts", "price_decisions", "emails", "activation_links", "payment_events"} {
			require.NotContains(t, s.Dump(t, table), "ada@example.com")
		}
		require.Equal(t, pricing.Used, must(s.Checkouts.Receipt(t.Context(), r.ID))(t).Decision.State)
		require.Equal(t, 135, s.Number(t, "SELECT held_cents FROM discount_months"), "what was given stays counted")
	})
	// The same payment may be reported any number of times.
	each(t, "a checkout is paid once", func(t *testing.T, s *store.DB) {
		for n, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			r := offered(t, s, wish(visitor(t, s, name)), 15, november)
			require.Equal(t, 20, atOnce(t, 20, func(int) error {
				return errOf(s.Checkouts.PayCheckout(t.Context(), r.ID, paidPage(r.ID, 765), buyer(name+"@example.com"), november))
			}))
			c := pay(t, s, r.ID, 765, name+"@example.com", november.Add(time.Hour))
			require.Equal(t, []any{november, ""}, []any{c.PaidAt.UTC(), c.Code})
			n++
			require.Equal(t, []int{n, n, n, n, 2 * n, 2 * n}, rows(t, s))
		}
	})
	each(t, "paid after its end", func(t *testing.T, s *store.DB) {
		for _, ended := range []checkout.State{checkout.Expired, checkout.Cancelled, checkout.Failed} {
			r := offered(t, s, wish(visitor(t, s, string(ended))), 15, november)
			must(s.Checkouts.CloseCheckout(t.Context(), r.ID, ended, "some_code", "It is over.", november))(t)
			c := pay(t, s, r.ID, 765, string(ended)+"@example.com", november.Add(time.Hour))
			require.Equal(t, []any{checkout.Paid, "", "", november.Add(time.Hour)}, []any{c.State, c.Code, c.Reason, *c.EndedAt}, "money in means member in")
			requireMembership(t, s, c, member.StatusActive, 90)
		}
	})
	// A page may be paid before its row has the session ID.
	each(t, "paid while it is quoted", func(t *testing.T, s *store.DB) {
		r := beginCheckout(t, s, wish(visitor(t, s, "ada")), november)
		decide(t, s, r, 15, plenty, november)
		c := pay(t, s, r.ID, 765, "ada@example.com", november)
		require.Equal(t, []any{checkout.Paid, "cs_" + r.ID}, []any{c.State, *c.SessionID})
		requireMembership(t, s, c, member.StatusActive, 90)
		require.Equal(t, checkout.Paid, openPage(t, s, r.ID, november).State, "it is not opened again")
	})
	each(t, "the demo makes no member", func(t *testing.T, s *store.DB) {
		r := offered(t, s, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true}, 20, november)
		c := pay(t, s, r.ID, 720, "ada@example.com", november)
		require.Equal(t, []any{checkout.Paid, (*string)(nil)}, []any{c.State, c.MemberID})
		must(s.Checkouts.RefundCheckout(t.Context(), r.ID, 720, "", november))(t)
		require.Equal(t, []int{0, 0, 0, 0, 0, 0}, rows(t, s))
	})
	// Without keys no email can be encrypted, so the payment is recorded once keys are available.
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
		require.Equal(t, []int{1, 1, 0, 0, 0, 0}, rows(t, s))
		requireMembership(t, s, c, member.StatusActive, 90)
		must(s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, "", november))(t, "there is no address")
		requireMembership(t, s, c, member.StatusFrozen, 0)
	})
	each(t, "paid by a member", func(t *testing.T, s *store.DB) {
		for _, status := range []member.Status{member.StatusActive, member.StatusRemoved} {
			address := string(status) + "@example.com"
			first := bought(t, s, address)
			require.NoError(t, s.SetMemberStatus(t.Context(), *first.MemberID, status))
			want := rows(t, s)
			want[4], want[5] = want[4]+1, want[5]+1
			c := bought(t, s, address)
			require.Equal(t, []any{checkout.Paid, checkout.CodeAlreadyMember, (*string)(nil)}, []any{c.State, c.Code, c.MemberID}, "the money did come in")
			require.NotEmpty(t, c.Reason)
			require.Equal(t, want, rows(t, s))
			require.Contains(t, mailed(t, s), "paid_twice:"+c.ID)
			requireMembership(t, s, first, status, 90)
			require.Equal(t, []string{c.ID}, idsOf(must(s.Checkouts.WaitingCheckouts(t.Context(), true, november))(t)), "it needs a run that refunds it")
			must(s.Checkouts.RefundCheckout(t.Context(), c.ID, c.PaidCents, "", november))(t)
			requireMembership(t, s, first, status, 90) // the earlier membership is unchanged
			require.Empty(t, must(s.Checkouts.WaitingCheckouts(t.Context(), true, november))(t))
		}
	})
	each(t, "payments with one address at once make one member", func(t *testing.T, s *store.DB) {
		for n, name := range []string{"ada", "bea", "cleo", "dora"} { // the first opens the connections
			if n > 0 { // an X account without a membership
				require.NoError(t, s.Exec(`UPDATE accounts SET email = ? WHERE id = ?`, name+"@example.com", xAccount(t, s, name, name).ID))
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
			require.Equal(t, []int{n, n, n, n, 13 * n, 13 * n}, rows(t, s))
			require.Equal(t, 90*n, s.Number(t, "SELECT sum(delta) FROM credit_entries"))
		}
	})
	each(t, "a refunded member pays again", func(t *testing.T, s *store.DB) {
		first := bought(t, s, "ada@example.com")
		require.NoError(t, s.Exec(`UPDATE members SET username = 'Ada', username_key = 'ada'`))
		must(s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, "", november))(t)
		r := offered(t, s, wish(visitor(t, s, "ada again")), 0, november)
		second := pay(t, s, r.ID, 900, "ada@example.com", november.Add(time.Hour))
		require.Equal(t, []any{first.MemberID, ""}, []any{second.MemberID, second.Code})
		requireMembership(t, s, second, member.StatusActive, 90)
		m := memberOf(t, s, second)
		require.Equal(t, []any{900, "Ada", november}, []any{m.PaymentCents, m.Username, m.JoinedAt.UTC()}, "they keep their name and their place")
		require.Equal(t, 1, s.Count(t, "members"))
		require.Subset(t, mailed(t, s), []string{"welcome:" + second.ID, "receipt:" + second.ID})
		must(s.Checkouts.RefundCheckout(t.Context(), first.ID, first.PaidCents, "", november))(t)
		requireMembership(t, s, second, member.StatusActive, 90) // a late event of the first refund changes nothing
	})
}

func newEvent(id, session, intent, checkoutID string) checkout.Event {
	return checkout.Event{
		ID: id, Type: "checkout.session.completed", SessionID: session, PaymentIntent: intent, CheckoutID: checkoutID, CreatedAt: november,
	}
}

func noteEvent(t *testing.T, s *store.DB, e checkout.Event) (checkoutID string, handled bool) {
	t.Helper()
	return must2(s.Checkouts.NoteEvent(t.Context(), e, november))(t)
}

// Proves: F15, F14
func TestPaymentEvents(t *testing.T) {
	t.Parallel()
	each(t, "an event belongs to its checkout", func(t *testing.T, s *store.DB) {
		open, quoted, paid := checkoutIn(t, s, checkout.Open), checkoutIn(t, s, checkout.Quoting), bought(t, s, "ada@example.com")
		for name, tt := range map[string]struct{ session, intent, checkoutID, about string }{
			"of its page":                         {"cs_" + open.ID, "", open.ID, open.ID},
			"of its page, whatever ID it carries": {"cs_" + open.ID, "", "", open.ID},
			"of a page not stored yet":            {"cs_new", "", quoted.ID, quoted.ID},
			"of another page with its ID: none":   {"cs_other", "", open.ID, ""},
			"of an unknown page: none":            {"cs_other", "", checkout.NewID(), ""},
			"of a page without an ID: none":       {"cs_other", "", "", ""},
			"of a payment":                        {"", "pi_" + paid.ID, "", paid.ID},
			"of an unknown payment: none":         {"", "pi_other", open.ID, ""},
			"of another type: none":               {"", "", open.ID, ""},
		} {
			for range 2 { // a repeat changes nothing
				about, handled := noteEvent(t, s, newEvent(name, tt.session, tt.intent, tt.checkoutID))
				require.Equal(t, []any{tt.about, false}, []any{about, handled}, name)
			}
		}
	})
	each(t, "an event is handled once", func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := newEvent("evt_1", *c.SessionID, "", c.ID)
		require.Equal(t, 20, atOnce(t, 20, func(int) error { return errOf2(s.Checkouts.NoteEvent(t.Context(), e, november)) }))
		require.Equal(t, 1, s.Count(t, "payment_events"))
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november))
		about, handled := noteEvent(t, s, e)
		require.Equal(t, []any{c.ID, true}, []any{about, handled})
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november.Add(time.Hour)))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM payment_events WHERE handled_at = ?", november), "the first time stays")
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), "evt_of_nobody", november))
		_, handled = noteEvent(t, s, newEvent("evt_2", *c.SessionID, "", c.ID))
		require.False(t, handled, "each for itself")
	})
	// A refund is found only once its payment is stored.
	each(t, "an event that comes too early is known later", func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := newEvent("evt_1", "", "pi_"+c.ID, "")
		for _, want := range []string{"", c.ID} {
			about, _ := noteEvent(t, s, e)
			require.Equal(t, want, about)
			pay(t, s, c.ID, 765, "", november)
		}
	})
	each(t, "the time until which events were reconciled", func(t *testing.T, s *store.DB) {
		require.Nil(t, must(s.Checkouts.EventsSearchedUntil(t.Context()))(t))
		for _, at := range []time.Time{november, november.Add(time.Hour), november.Add(time.Minute)} {
			require.NoError(t, s.Checkouts.SetEventsSearchedUntil(t.Context(), at.Add(time.Nanosecond)))
			require.Equal(t, at, must(s.Checkouts.EventsSearchedUntil(t.Context()))(t).UTC())
		}
		require.Equal(t, 1, s.Count(t, "payment_reconciliations"))
	})
}

const receiptURL = "https://customerzero.test/receipts/r"

var toldOfRefund = map[string]string{"Amount": "$7.65", "ReceiptURL": receiptURL}

func refund(t *testing.T, s *store.DB, c checkout.Checkout, cents int) checkout.Checkout {
	t.Helper()
	return must(s.Checkouts.RefundCheckout(t.Context(), c.ID, cents, receiptURL, november.Add(time.Hour)))(t)
}

// factsOf returns the facts of an email to Ada.
func factsOf(t *testing.T, s *store.DB, factKey string) map[string]string {
	t.Helper()
	emails := must(s.Emails.WaitingEmails(t.Context(), true))(t)
	i := slices.IndexFunc(emails, func(l email.Message) bool { return l.IdempotencyKey == factKey })
	require.GreaterOrEqual(t, i, 0, factKey)
	_, content := must2(s.Emails.Email(t.Context(), emails[i].ID))(t)
	require.Equal(t, "ada@example.com", content.To)
	return content.Facts
}

// Proves: V7.4.2, F14
func TestRefunds(t *testing.T) {
	t.Parallel()
	each(t, "a refund freezes the membership", func(t *testing.T, s *store.DB) {
		for _, cents := range []int{765, 5000} { // a refund never exceeds the payment
			c := refund(t, s, bought(t, s, "ada@example.com"), cents)
			require.Equal(t, []any{checkout.Refunded, 765}, []any{c.State, c.RefundedCents})
			requireMembership(t, s, c, member.StatusFrozen, 0)
			require.Equal(t, toldOfRefund, factsOf(t, s, "refund:"+c.ID))
		}
	})
	each(t, "a checkout is refunded once", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.Equal(t, 20, atOnce(t, 20, func(int) error {
			return errOf(s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, receiptURL, november))
		}))
		book := must(s.Credits(t.Context(), *c.MemberID))(t)
		require.Len(t, book, 2)
		require.Equal(t, []any{-90, member.ReasonRefund}, []any{book[1].Delta, book[1].Reason})
		require.Len(t, mailed(t, s), 3)
		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusActive))
		refund(t, s, c, 765)
		require.Equal(t, member.StatusActive, memberOf(t, s, c).Status, "whom a founder lets in again stays in")
	})
	// A refund of an old payment does not end a membership that was paid for again.
	each(t, "a membership that was paid for again stays", func(t *testing.T, s *store.DB) {
		first := bought(t, s, "ada@example.com")
		require.NoError(t, s.SetMemberStatus(t.Context(), *first.MemberID, member.StatusFrozen))
		second := bought(t, s, "ada@example.com")
		require.Equal(t, first.MemberID, second.MemberID)
		require.Equal(t, checkout.Refunded, refund(t, s, first, 765).State)
		requireMembership(t, s, second, member.StatusActive, 90) // only one fee's credits are revoked
		require.Equal(t, map[string]string{"Amount": "$7.65", "ReceiptURL": receiptURL, "Seat": "stays"}, factsOf(t, s, "refund:"+first.ID))
		refund(t, s, second, 765)
		requireMembership(t, s, second, member.StatusFrozen, 0)
		require.Equal(t, toldOfRefund, factsOf(t, s, "refund:"+second.ID))
	})
	each(t, "a part", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		for _, cents := range []int{300, 764, 100, 0, -5} { // a smaller amount is a refund that failed
			c = refund(t, s, c, cents)
			require.Equal(t, []any{checkout.Paid, max(cents, 0)}, []any{c.State, c.RefundedCents})
			requireMembership(t, s, c, member.StatusActive, 90)
		}
		require.Equal(t, checkout.Refunded, refund(t, s, c, 765).State)
		requireMembership(t, s, c, member.StatusFrozen, 0)
	})
	// Posts charged during a refund come either before or after it, and the ledger stays consistent.
	each(t, "a refund beside posts", func(t *testing.T, s *store.DB) {
		posts := 0
		for n, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			c := bought(t, s, name+"@example.com")
			var refused error
			posts += atOnce(t, 10, func(i int) error {
				if i == 5 {
					refused = errOf(s.Checkouts.RefundCheckout(t.Context(), c.ID, 765, receiptURL, november))
					return nil
				}
				return errOf(s.Posts.CreatePost(t.Context(), draft(c.MemberID, november.Add(time.Duration(10*n+i+1)*time.Hour)), november))
			}, problem.CreditsExhausted) - 1
			require.NoError(t, refused)
			require.Equal(t, checkout.Refunded, refund(t, s, c, 765).State)
			require.Zero(t, memberOf(t, s, c).Credits)
		}
		require.Equal(t, []int{posts, 0}, []int{s.Count(t, "posts"), s.Number(t, "SELECT min(balance) FROM credit_entries")})
	})
	each(t, "a removed member stays removed", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.NoError(t, s.SetMemberStatus(t.Context(), *c.MemberID, member.StatusRemoved))
		require.Equal(t, checkout.Refunded, refund(t, s, c, 765).State)
		requireMembership(t, s, c, member.StatusRemoved, 0)
		require.Equal(t, map[string]string{"Amount": "$7.65", "ReceiptURL": receiptURL, "Seat": "gone"}, factsOf(t, s, "refund:"+c.ID), "paying again is not advised")
	})
	each(t, "an unpaid checkout is not refunded", func(t *testing.T, s *store.DB) {
		for _, state := range slices.DeleteFunc(slices.Clone(allStates), checkout.State.Settled) {
			c := refund(t, s, checkoutIn(t, s, state), 765)
			require.Equal(t, []any{state, 0}, []any{c.State, c.RefundedCents})
		}
		require.Zero(t, s.Count(t, "emails"))
	})
}

func TestCheckoutRefundTakesBackWhatIsLeft(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range map[string]struct{ spent, given, left int }{
			"nothing spent: all are revoked":                  {left: 0},
			"some spent: the rest is revoked":                 {spent: 30, left: 0},
			"all spent: none is revoked":                      {spent: 90, left: 0},
			"credits earned since are kept":                   {given: 25, left: 25},
			"spent and earned: at most the fee's are revoked": {spent: 50, given: 80, left: 30},
		} {
			t.Run(name, func(t *testing.T) {
				c := bought(t, s, fmt.Sprintf("ada.%d.%d@example.com", tt.spent, tt.given))
				if since := tt.given - tt.spent; since != 0 {
					require.NoError(t, s.Exec(`INSERT INTO credit_entries (member_id, seq, delta, balance, reason, entry_key, created_at)
						VALUES (?, 2, ?, ?, 'adjust', ?, ?)`, *c.MemberID, since, 90+since, "test:"+c.ID, november))
				}
				require.Equal(t, checkout.Refunded, refund(t, s, c, 765).State)
				requireMembership(t, s, c, member.StatusFrozen, tt.left)
			})
		}
	})
}

// moneyRead is a read of a payment's refunds and disputes at Stripe, and the facts after it.
type moneyRead struct {
	page    checkout.Session
	state   checkout.State
	status  member.Status
	credits int
	left    int64    // of the payment, in cents, in the treasury
	mail    []string // emails since the last read
}

var (
	nothingTaken  = checkout.Session{}
	refundedFully = checkout.Session{RefundedCents: 765}
	disputed      = checkout.Session{Dispute: checkout.DisputeOpen, DisputedCents: 765, DisputeFeeCents: 1500}
	disputeLost   = checkout.Session{Dispute: checkout.DisputeLost, DisputedCents: 765, DisputeFeeCents: 1500}
	disputeWon    = checkout.Session{Dispute: checkout.DisputeWon}
)

const (
	toMember  = "membership_changed to ada@example.com: "
	toFounder = "payment_alarm to grace@example.com: "
)

// TestMoneyThatGoesBack plays what Stripe reports of one payment, each read twice and in any order.
// Proves: F14, F15
func TestMoneyThatGoesBack(t *testing.T) {
	t.Parallel()
	frozen := moneyRead{disputed, checkout.Paid, member.StatusFrozen, 0, -1500, []string{
		toMember + "Your payment is disputed", toFounder + "A payment is disputed",
	}}
	lost := moneyRead{disputeLost, checkout.Paid, member.StatusFrozen, 0, -1500, []string{
		toMember + "The dispute over your payment has ended", toFounder + "A dispute is lost",
	}}
	won := moneyRead{disputeWon, checkout.Paid, member.StatusActive, 90, 765, []string{
		toMember + "The dispute over your payment has ended", toFounder + "A dispute is won",
	}}
	refunded := moneyRead{refundedFully, checkout.Refunded, member.StatusFrozen, 0, 0, []string{"refund to ada@example.com: "}}
	failed := moneyRead{nothingTaken, checkout.Paid, member.StatusActive, 90, 765, []string{
		toMember + "Your refund has failed", toFounder + "A refund has failed",
	}}
	for name, reads := range map[string][]moneyRead{
		"a dispute that we win":                   {frozen, won},
		"a dispute that we lose":                  {frozen, lost},
		"a dispute whose first events were lost":  {lost},
		"a dispute that we won before we read it": {{disputeWon, checkout.Paid, member.StatusActive, 90, 765, won.mail}},
		"a decision that the bank reverses":       {frozen, lost, won, frozen},
		"a refund that fails, twice":              {refunded, failed, {refundedFully, checkout.Refunded, member.StatusFrozen, 0, 0, refunded.mail}, failed},
		"a part of a refund that fails": {
			refunded, {checkout.Session{RefundedCents: 300}, checkout.Paid, member.StatusActive, 90, 465, failed.mail},
		},
		"an inquiry": {{nothingTaken, checkout.Paid, member.StatusActive, 90, 765, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				founder(t, s)
				c := bought(t, s, "ada@example.com")
				seen := mailTitles(t, s)
				for i, read := range reads {
					for range 2 { // every event arrives twice
						c = reconcile(t, s, c, read.page)
						require.Equal(t, []any{read.state, read.page.Dispute, read.page.DisputedCents, read.page.DisputeFeeCents},
							[]any{c.State, c.Dispute, c.DisputedCents, c.DisputeFeeCents}, i)
						requireMembership(t, s, c, read.status, read.credits)
						require.Equal(t, read.status == member.StatusFrozen, memberOf(t, s, c).WhyFrozen() != "")
						require.Equal(t, read.status == member.StatusActive, c.Refundable())
						sum := treasury.Sum(must(s.Treasury.Treasury(t.Context(), november))(t), november)
						require.Equal(t, (read.left-52)*treasury.MicroUSDPerCent, sum.Total.LeftMicroUSD(), "52 cents are the card's fee")
					}
					all := mailTitles(t, s)
					require.ElementsMatch(t, read.mail, all[len(seen):], "read %d", i)
					seen = all
				}
			})
		})
	}
	each(t, "a read that another one overtook", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		reconcile(t, s, c, disputed)
		_, err := s.Checkouts.ReconcilePayment(t.Context(), c.ID, c.Version, nothingTaken, receiptURL, november)
		require.ErrorIs(t, err, store.ErrStaleRead)
		requireMembership(t, s, c, member.StatusFrozen, 0)
		require.Equal(t, 1, atOnce(t, 20, func(int) error {
			if err := errOf(s.Checkouts.ReconcilePayment(t.Context(), c.ID, 1, disputeWon, receiptURL, november)); !errors.Is(err, store.ErrStaleRead) {
				return err
			}
			return problem.New(problem.Conflict, "overtaken")
		}, problem.Conflict))
		requireMembership(t, s, c, member.StatusActive, 90)
	})
	each(t, "a member who paid again stays, and a removed one stays removed", func(t *testing.T, s *store.DB) {
		first := reconcile(t, s, bought(t, s, "ada@example.com"), disputed)
		second := bought(t, s, "ada@example.com")
		require.Equal(t, first.MemberID, second.MemberID)
		for _, page := range []checkout.Session{disputeLost, disputeWon, disputed} {
			first = reconcile(t, s, first, page)
			credits := 90
			if first.Stands() {
				credits = 180
			}
			requireMembership(t, s, second, member.StatusActive, credits)
		}
		require.NoError(t, s.SetMemberStatus(t.Context(), *second.MemberID, member.StatusRemoved))
		reconcile(t, s, second, disputed)
		reconcile(t, s, second, disputeWon)
		require.Equal(t, member.StatusRemoved, memberOf(t, s, second).Status)
	})
}

func reconcile(t *testing.T, s *store.DB, c checkout.Checkout, page checkout.Session) checkout.Checkout {
	t.Helper()
	known := must(s.Checkouts.Receipt(t.Context(), c.ID))(t)
	return must(s.Checkouts.ReconcilePayment(t.Context(), c.ID, known.Version, page, receiptURL, november.Add(time.Hour)))(t)
}

// founder adds Grace, a founder with an address.
func founder(t *testing.T, s *store.DB) account.Account {
	t.Helper()
	grace := must(s.Accounts.XAccount(t.Context(), "1", "grace", november))(t)
	require.NoError(t, s.Exec("UPDATE accounts SET email = 'grace@example.com' WHERE id = ?", grace.ID))
	return grace
}

// mailTitles lists all emails about payments with their recipients, in order.
func mailTitles(t *testing.T, s *store.DB) (titles []string) {
	t.Helper()
	for _, l := range must(s.Emails.WaitingEmails(t.Context(), true))(t) {
		_, content := must2(s.Emails.Email(t.Context(), l.ID))(t)
		titles = append(titles, string(l.Kind)+" to "+content.To+": "+content.Facts["Title"])
	}
	return titles
}
