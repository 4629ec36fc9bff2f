package e2e

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
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/platform/testseed"
	stripesandbox "customerzero/internal/sandbox/stripe"
	"customerzero/workflows"
)

// TestCheckoutEndings tells endings of buying, through the real wire to Stripe's stand-in.
// Proves: F17, F18, F19, F20
func TestCheckoutEndings(t *testing.T) {
	tell(t, map[string]ending{
		"paid: a member, with credits and two letters":      {"checkout-paid", patient, bought},
		"paid, and the webhook lost: found all the same":    {"payment-reconciliation", patient, boughtUnheard},
		"given up: nothing of it can be used":               {"checkout-cancelled", patient, gaveUp},
		"over: nothing of it can be used":                   {"checkout-expired", patient, ranOut},
		"the model fails: our rules decide":                 {"checkout-rules", patient, decidedByRules},
		"Stripe fails, and keeps failing: no page":          {"checkout-failed", patient, withoutAPage},
		"Stripe fails once: another key":                    {"checkout-anew", patient, anotherKey},
		"paid by somebody who is a member: the money back":  {"checkout-paid-twice", patient, paidTwice},
		"a founder sends the money back: the seat is empty": {"refund-sent", patient, sentBack},
		"the money went back at Stripe: the same":           {"refund-seen", patient, wentBack},
	})
}

// ended waits for a checkout's run, and sees that it tells the same as the row.
func (w *world) ended(t *testing.T, id string) checkout.Receipt {
	result := resultOf[workflows.CheckoutResult](t, w, workflows.CheckoutID(id))
	r := w.receipt(t, id)
	require.Equal(t, workflows.CheckoutResult{State: r.State, Code: r.Code}, result)
	return r
}

// buy buys a membership, for an address that is looked for afterwards wherever it must not be.
func (w *world) buy(t *testing.T) (checkout.Receipt, person) {
	p := w.newPerson()
	r := w.want(t)
	require.Equal(t, checkout.Open, r.State)
	w.pay(t, r, p.address)
	return w.ended(t, r.ID), p
}

func bought(t *testing.T, w *world) string {
	r, p := w.buy(t)
	require.Equal(t, checkout.Paid, r.State)
	require.Equal(t, r.Decision.FinalCents, r.PaidCents)
	require.Positive(t, r.Decision.DiscountPercent)
	require.Equal(t, pricing.ByModel, r.Decision.Source)

	m, err := w.db.Members.Account(t.Context(), *r.MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, member.FoundingCredits, m.Credits)
	require.Equal(t, r.PaidCents, m.PaymentCents)
	require.Equal(t, p.address, m.Email)
	for _, kind := range []email.Kind{email.Welcome, email.Receipt} {
		w.oneLetter(t, p.address, kind)
	}
	w.nothingRedeemable(t)
	return workflows.CheckoutID(r.ID)
}

// oneLetter sees that one letter of a kind lies in the outbox for an address.
func (w *world) oneLetter(t *testing.T, address string, kind email.Kind) {
	waiting := fetch(t, w.db.Emails.WaitingEmails, true)
	found := 0
	for _, l := range waiting {
		_, content, err := w.db.Emails.Email(t.Context(), l.ID)
		require.NoError(t, err)
		if l.Kind == kind && content.To == address {
			found++
		}
	}
	require.Equal(t, 1, found, kind)
}

// nothingRedeemable sees that no discount of ours can be used for another page.
func (w *world) nothingRedeemable(t *testing.T) {
	for _, c := range w.shop.stripe.Coupons() {
		require.True(t, c.Deleted || c.TimesRedeemed >= 1, "the coupon %s can still be used", c.ID)
	}
}

func boughtUnheard(t *testing.T, w *world) string {
	w.shop.misbehaving(t, stripesandbox.Rule{Fault: stripesandbox.Lose, On: stripesandbox.OnWebhook, Rate: 1})
	p, r := w.newPerson(), w.want(t)
	w.pay(t, r, p.address)
	run, err := w.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: workflows.PaymentReconciliationID, TaskQueue: workflows.QueueCore,
	}, workflows.PaymentReconciliation)
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	require.Equal(t, checkout.Paid, w.ended(t, r.ID).State)
	return workflows.PaymentReconciliationID
}

func gaveUp(t *testing.T, w *world) string {
	r := w.want(t)
	require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID))
	ended := w.ended(t, r.ID)
	require.Equal(t, checkout.Cancelled, ended.State)
	require.Nil(t, ended.MemberID)
	w.nothingRedeemable(t)
	require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID), "once more does no harm")
	return workflows.CheckoutID(r.ID)
}

// ranOut has Stripe end the page before we do.
func ranOut(t *testing.T, w *world) string {
	r := w.want(t)
	page := fetch(t, w.shop.payments.ExpireSession, *r.SessionID)
	require.Equal(t, checkout.SessionExpired, page.Status)
	require.Equal(t, checkout.Expired, w.ended(t, r.ID).State)
	w.nothingRedeemable(t)
	return workflows.CheckoutID(r.ID)
}

func decidedByRules(t *testing.T, w *world) string {
	w.shop.models.fail = &model.Error{Outcome: model.Failed, Message: "The model's server failed.", Retry: true}
	r := w.want(t)
	require.Equal(t, pricing.ByRules, r.Decision.Source)
	require.Equal(t, string(model.Failed), r.Decision.FallbackReason)
	require.Equal(t, pricing.Rules(r.Decision.Behaviour()).DiscountPercent, r.Decision.DiscountPercent)
	require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID))
	w.ended(t, r.ID)
	return workflows.CheckoutID(r.ID)
}

func withoutAPage(t *testing.T, w *world) string {
	w.shop.misbehaving(t, stripesandbox.Rule{Fault: stripesandbox.Broken, On: stripesandbox.OnSessionCreate, Rate: 1})
	r := w.want(t)
	require.Equal(t, checkout.Failed, r.State)
	require.Equal(t, checkout.CodeNoPage, r.Code)
	w.ended(t, r.ID)
	w.nothingRedeemable(t)
	return workflows.CheckoutID(r.ID)
}

// anotherKey is a page that Stripe made and did not say so: it answers 500, and would again under the same key.
func anotherKey(t *testing.T, w *world) string {
	w.shop.misbehaving(t,
		stripesandbox.Rule{Fault: stripesandbox.BrokenAfter, On: stripesandbox.OnCouponCreate, Rate: 1, Times: 1},
		stripesandbox.Rule{Fault: stripesandbox.BrokenAfter, On: stripesandbox.OnSessionCreate, Rate: 1, Times: 1},
	)
	r, _ := w.buy(t)
	require.Equal(t, checkout.Paid, r.State)
	require.Len(t, w.shop.stripe.Coupons(), 1)
	w.nothingRedeemable(t)
	return workflows.CheckoutID(r.ID)
}

func paidTwice(t *testing.T, w *world) string {
	first, p := w.buy(t)
	second := w.want(t)
	w.pay(t, second, p.address)
	ended := w.ended(t, second.ID)
	require.Equal(t, checkout.Refunded, ended.State)
	require.Equal(t, checkout.CodeAlreadyMember, ended.Code)
	require.Equal(t, ended.PaidCents, ended.RefundedCents)
	require.Nil(t, ended.MemberID)
	require.Equal(t, checkout.Paid, w.receipt(t, first.ID).State)
	w.oneLetter(t, p.address, email.Welcome)
	w.oneLetter(t, p.address, email.PaidTwice)
	return workflows.CheckoutID(second.ID)
}

func sentBack(t *testing.T, w *world) string {
	r, p := w.buy(t)
	require.NoError(t, w.runs.RefundCheckout(t.Context(), r.ID))
	w.refunded(t, r.ID, p)
	require.Len(t, w.shop.stripe.Refunds(), 1)
	return workflows.RefundID(r.ID)
}

// wentBack is a refund that a founder ordered in Stripe's dashboard.
func wentBack(t *testing.T, w *world) string {
	r, p := w.buy(t)
	require.NoError(t, w.shop.payments.Refund(t.Context(), *r.PaymentIntent, "dashboard"))
	await(t, func() bool { return w.receipt(t, r.ID).State == checkout.Refunded })
	w.refunded(t, r.ID, p)
	return workflows.RefundID(r.ID)
}

// refunded sees that a seat is frozen, and its credits gone.
func (w *world) refunded(t *testing.T, id string, p person) {
	r := w.receipt(t, id)
	require.Equal(t, checkout.Refunded, r.State)
	m, err := w.db.Members.Account(t.Context(), *r.MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, member.StatusFrozen, m.Status)
	require.Zero(t, m.Credits)
	w.oneLetter(t, p.address, email.Refund)
}

// What would be quoted, or waits to be paid, goes on with another worker.
func TestACheckoutOutlivesItsWorker(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		p, r := w.newPerson(), w.want(t)
		w.stopWorker()
		w.pay(t, r, p.address)
		w.startWorker(t)
		require.Equal(t, checkout.Paid, w.ended(t, r.ID).State)
	})
}

// A run that was ended by force leaves its page behind; the next news, or the reconciler, begins another.
func TestAPaymentIsHeededAfterItsRunWasEndedByForce(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		p, r := w.newPerson(), w.want(t)
		w.terminate(t, workflows.CheckoutID(r.ID))
		w.pay(t, r, p.address)
		await(t, func() bool { return w.receipt(t, r.ID).State == checkout.Paid })
		w.oneLetter(t, p.address, email.Welcome)
	})
}

func TestWhoeverMayStillPayHasARun(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		r := w.want(t)
		w.terminate(t, workflows.CheckoutID(r.ID))
		for range 3 {
			require.NoError(t, w.runs.StartCheckout(t.Context(), r.ID))
		}
		require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID))
		require.Equal(t, checkout.Cancelled, w.ended(t, r.ID).State)
	})
}

// news is what Stripe says of a page, true or not any more.
type news struct{ id, kind, about, payment string }

// tells sends news as Stripe does, and gives what we answer.
func (w *world) tells(t *testing.T, n news) (status int) {
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
	s.misbehaving(t, stripesandbox.Rule{Fault: stripesandbox.Lose, On: stripesandbox.OnWebhook, Rate: 1})
}

// holdsSeat sees that whoever paid has a seat, with the credits of one fee.
func (w *world) holdsSeat(t *testing.T, r checkout.Receipt, p person) {
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
			fetch(t, w.shop.payments.ExpireSession, *d.SessionID)
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

// Five events in any order, of which some are not true: what is so is asked of Stripe, and nothing else counts.
// Proves: F15 seeded
func TestNewsInAnyOrderEndsInWhatIsSo(t *testing.T) {
	t.Parallel()
	for name, tt := range truths {
		t.Run(name, func(t *testing.T) {
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
	page := fetch(t, w.shop.payments.Session, *d.SessionID)
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
