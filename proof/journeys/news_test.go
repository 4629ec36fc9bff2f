package journeys_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testseed"
	stripesandbox "customerzero/internal/sandbox/stripe"
)

// news is what Stripe says of a page, true or not any more.
type news struct{ id, kind, about, payment string }

// tells sends news as Stripe does, and gives what we answer.
func (w *world) tells(t *testing.T, n news) (status int) {
	t.Helper()
	body := fmt.Sprintf(`{"id":%q,"object":"event","type":%q,"created":%d,"data":{"object":{"id":%q,"payment_intent":%q}}}`,
		n.id, n.kind, time.Now().Unix(), n.about, n.payment)
	at := time.Now().Unix()
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/stripe", strings.NewReader(body))
	request.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	answer := httptest.NewRecorder()
	w.hear(answer, request)
	return answer.Code
}

// inSilence has Stripe tell nothing by itself.
func (s *shop) inSilence(t *testing.T) {
	t.Helper()
	s.misbehaving(t, stripesandbox.Rule{Fault: stripesandbox.Lose, On: stripesandbox.OnWebhook, Rate: 1})
}

// holdsSeat sees that whoever paid has a seat, with the credits of one fee.
func (w *world) holdsSeat(t *testing.T, r checkout.Receipt, p person) {
	t.Helper()
	m, err := w.db.Members.Account(t.Context(), *r.MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, member.StatusActive, m.Status)
	_, entries, balance, err := w.db.Members.CreditEntries(t.Context(), *r.MemberID, 1, 0)
	require.NoError(t, err)
	require.Equal(t, 1, entries, "the fee is booked once")
	require.Equal(t, member.FoundingCredits, balance)
	w.oneLetter(t, p.address, email.Welcome)
	w.oneLetter(t, p.address, email.Receipt)
}

// Stripe may say a thing as often as it likes, and at the same moment.
// Proves: F14
func TestTwentyWebhooksAtOnceMakeOneMember(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		w.shop.inSilence(t)
		p, r := w.newPerson(), w.want(t)
		w.pay(t, r, p.address)
		answers := make([]int, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				answers[i] = w.tells(t, news{"evt_" + r.ID, "checkout.session.completed", *r.SessionID, ""})
			})
		}
		all.Wait()
		for _, status := range answers {
			require.Equal(t, http.StatusOK, status)
		}
		ended := w.ended(t, r.ID)
		require.Equal(t, checkout.Paid, ended.State)
		w.holdsSeat(t, ended, p)
		w.nothingRedeemable(t)
		w.rests(t)
		require.Len(t, w.shop.stripe.Payments(), 1)
		require.Empty(t, w.shop.stripe.Refunds())
	})
}

// rests waits until no run is under way.
func (w *world) rests(t *testing.T) {
	t.Helper()
	eventually(t, func(c *assert.CollectT) {
		require.Empty(c, w.found(t.Context(), c, `ExecutionStatus="Running"`))
	})
}

// kinds are all that Stripe may have to say of a page, in the order in which it could be true.
var kinds = []string{
	"checkout.session.async_payment_failed", "checkout.session.async_payment_succeeded", "checkout.session.completed",
	"checkout.session.expired", "charge.refunded",
}

// deal is a purchase, and in which order we hear of what became of it.
type deal struct {
	checkout.Receipt
	person
	order []string
}

// truth is what became of a deal at Stripe, and what that has to come to here.
type truth struct {
	become func(t *testing.T, w *world, d *deal)
	state  checkout.State
	is     func(t *testing.T, w *world, d *deal)
}

var truths = map[string]truth{
	"paid": {
		become: func(t *testing.T, w *world, d *deal) { w.pay(t, d.Receipt, d.address) },
		state:  checkout.Paid,
		is:     func(t *testing.T, w *world, d *deal) { w.holdsSeat(t, w.receipt(t, d.ID), d.person) },
	},
	"expired": {
		become: func(t *testing.T, w *world, d *deal) {
			_, err := w.shop.payments.ExpireSession(t.Context(), *d.SessionID)
			require.NoError(t, err)
		},
		state: checkout.Expired,
		is:    func(t *testing.T, w *world, d *deal) { require.Nil(t, w.receipt(t, d.ID).MemberID) },
	},
	"paid and sent back": {
		become: func(t *testing.T, w *world, d *deal) {
			w.pay(t, d.Receipt, d.address)
			require.NoError(t, w.shop.payments.Refund(t.Context(), w.page(t, d).PaymentIntent, "dashboard "+d.ID))
		},
		state: checkout.Refunded,
		is:    func(t *testing.T, w *world, d *deal) { w.refunded(t, d.ID, d.person) },
	},
}

// Five events in any order, of which some are not true: what is so is asked of Stripe, and nothing
// else counts.
// Proves: F15 seeded
func TestNewsInAnyOrderEndsInWhatIsSo(t *testing.T) {
	t.Parallel()
	for name, tt := range truths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, patient, func(t *testing.T, w *world) {
				w.shop.inSilence(t)
				drawn := testseed.New(t)
				deals := make([]*deal, 5)
				var all sync.WaitGroup
				for i := range deals {
					d := &deal{Receipt: w.want(t), person: w.newPerson()}
					tt.become(t, w, d)
					for _, kind := range drawn.Perm(len(kinds)) {
						d.order = append(d.order, kinds[kind])
					}
					deals[i] = d
					intent := w.page(t, d).PaymentIntent
					all.Go(func() { w.hears(t, d, intent) })
				}
				all.Wait()
				w.rests(t)
				for _, d := range deals {
					require.Equal(t, tt.state, w.receipt(t, d.ID).State, "%v", d.order)
					tt.is(t, w, d)
				}
				w.nothingRedeemable(t)
			})
		})
	}
}

// page is a deal's, as it stands at Stripe.
func (w *world) page(t *testing.T, d *deal) checkout.Session {
	t.Helper()
	page, err := w.shop.payments.Session(t.Context(), *d.SessionID)
	require.NoError(t, err)
	return page
}

// hears tells all news of a deal, one after the other.
func (w *world) hears(t *testing.T, d *deal, intent string) {
	for _, kind := range d.order {
		n := news{"evt_" + xid.New().String(), kind, *d.SessionID, intent}
		if kind == "charge.refunded" {
			n.about = "ch_" + d.ID
		}
		assert.Equal(t, http.StatusOK, w.tells(t, n), "%s of %v", kind, d.order)
	}
}
