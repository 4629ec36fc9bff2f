package stripe

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestThePayPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("quarter", 25)
	params := w.offer("quarter")
	params.LineItems[0].PriceData.ProductData.Name = stripego.String("<b>Membership</b>")
	session, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	page := w.send(http.MethodGet, strings.TrimPrefix(session.URL, w.url), "")
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		"<title>Pay Test shop · Stripe sandbox</title>", "No card is charged", "<h1>Pay Test shop</h1>",
		"<dt>&lt;b&gt;Membership&lt;/b&gt;</dt><dd>$9.00</dd>", "<dt>List price</dt><dd>$9.00</dd>", "<dt>Discount</dt><dd>-$2.25</dd>",
		"<dt>Total</dt><dd>$6.75</dd>", `for="email"`, "Pay $6.75</button>", `href="http://127.0.0.1:1/cancelled">Cancel</a>`,
		`value="4242" checked`, `value="0002"`,
	} {
		require.Contains(t, page.body, part)
	}
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:1")
}

func TestPaying(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	for range 2 { // the form is submitted twice
		paid := w.pay(session.ID, goodCard, buyer)
		require.Equal(t, http.StatusSeeOther, paid.status)
		require.Equal(t, "http://127.0.0.1:1/paid?session="+session.ID, paid.header.Get("Location"))
	}
	require.Len(t, w.sandbox.Payments(), 1)
	require.Equal(t, paidKinds, w.kinds())

	other := w.pay(session.ID, goodCard, "other@example.test")
	page := w.send(http.MethodGet, root+"/pay/"+session.ID, "")
	for _, closed := range []answer{other, page} {
		require.Equal(t, http.StatusGone, closed.status)
		require.Contains(t, closed.body, "This has already been paid")
		require.NotContains(t, closed.body, "<form")
		require.NotContains(t, closed.body, buyer)
	}
}

func TestFormsThatDoNotPay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	for _, email := range []string{"", "buyer@", "Buyer <buyer@example.test>"} {
		page := w.pay(session.ID, goodCard, email)
		require.Equal(t, http.StatusBadRequest, page.status, email)
		require.Contains(t, page.body, "Enter an email address such as name@example.com.")
	}
	require.Empty(t, w.kinds())
	for range 2 {
		declined := w.pay(session.ID, badCard, buyer)
		require.Equal(t, http.StatusPaymentRequired, declined.status)
		require.Contains(t, declined.body, "Your card was declined. You were not charged.")
		require.Contains(t, declined.body, `value="`+buyer+`"`, "the input is kept")
		require.Contains(t, declined.body, `value="0002" checked`)
	}
	open := w.read(session.ID)
	require.Equal(t, stripego.CheckoutSessionStatusOpen, open.Status)
	require.Equal(t, stripego.PaymentIntentStatusRequiresPaymentMethod, open.PaymentIntent.Status)
	require.Equal(t, http.StatusSeeOther, w.pay(session.ID, goodCard, buyer).status)
	paid := w.read(session.ID)
	require.Equal(t, open.PaymentIntent.ID, paid.PaymentIntent.ID, "one payment for all three attempts")
	require.Equal(t, append([]string{"payment_intent.payment_failed", "payment_intent.payment_failed"}, paidKinds...), w.kinds())
}

func TestPagesThatCannotBePaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expired := w.session("").ID
	w.clock.Advance(31 * time.Minute)
	for id, tt := range map[string]struct {
		status int
		text   string
	}{
		expired:        {http.StatusGone, "This payment page has expired"},
		"cs_test_none": {http.StatusNotFound, "Payment page not found"},
	} {
		for _, page := range []answer{w.send(http.MethodGet, root+"/pay/"+id, ""), w.pay(id, goodCard, buyer)} {
			require.Equal(t, tt.status, page.status)
			require.Contains(t, page.body, tt.text)
			require.NotContains(t, page.body, "<form")
		}
	}
	require.Equal(t, []string{"checkout.session.expired"}, w.kinds())
}

// TestOneOfManyPaysAtOnce also checks that another site's page cannot pay.
// Proves: V3.5.1
func TestOneOfManyPaysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	require.Equal(t, http.StatusForbidden, w.pay(session.ID, goodCard, buyer, "Origin", "http://evil.example").status)
	require.Empty(t, w.kinds())
	statuses := make(chan int, 20)
	for range cap(statuses) {
		go func() {
			paid, _ := w.try(http.MethodPost, root+"/pay/"+session.ID, payForm(goodCard, buyer), "Origin", w.url)
			statuses <- paid.status
		}()
	}
	for range cap(statuses) {
		require.Equal(t, http.StatusSeeOther, <-statuses)
	}
	require.Len(t, w.sandbox.Payments(), 1)
	require.Equal(t, paidKinds, w.kinds())
}

func TestTheOverviewShowsSessionsNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expired := w.session("")
	w.clock.Advance(31 * time.Minute)
	w.coupon("quarter", 25)
	open, paid := w.session("quarter"), w.paid()
	w.fault(Rule{On: OnWebhook, Fault: Duplicate, Rate: 0.5})
	page := w.send(http.MethodGet, root, "").body
	require.Less(t, strings.Index(page, paid.ID), strings.Index(page, open.ID))
	require.Less(t, strings.Index(page, open.ID), strings.Index(page, expired.ID))
	for _, part := range []string{
		"3 sessions", "Founding membership", ">paid</span>", ">open</span>", ">expired</span>", "instead of $9.00", "fee $0.56", "for chk_1",
		`href="/sandbox/stripe/pay/` + open.ID + `"`, "Refund $9.00<", "duplicate on webhook (50 %)",
	} {
		require.Contains(t, page, part)
	}
	require.NotContains(t, page, buyer)
}

// paidKinds are the events of a payment.
var paidKinds = []string{"checkout.session.completed", "charge.succeeded", "payment_intent.succeeded"}

// press presses a button of the overview.
func (w *world) press(action, session string, headers ...string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, root+"/"+action, "session="+session, headers...)
}

func TestARefundByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid, open := w.paid(), w.session("")
	require.Equal(t, http.StatusForbidden, w.press("refund", paid.ID, "Origin", "http://evil.example").status)
	pressed := w.press("refund", paid.ID)
	require.Equal(t, http.StatusSeeOther, pressed.status)
	require.Equal(t, "/sandbox/stripe#"+paid.ID, pressed.header.Get("Location"))
	require.Equal(t, int64(900), w.sandbox.Refunds()[0].Amount)
	require.Equal(t, []string{"charge.refunded", "refund.created"}, w.kinds()[len(paidKinds):])
	page := w.send(http.MethodGet, root, "").body
	require.Contains(t, page, "$9.00 refunded")
	require.Contains(t, page, ">refunded</span>")
	require.NotContains(t, page, "Refund $")
	for _, nothing := range []string{paid.ID, open.ID, "none", ""} {
		require.Equal(t, http.StatusConflict, w.press("refund", nothing).status)
	}
	require.Len(t, w.sandbox.Refunds(), 1)
}

// TestRefundsAndDisputes presses the buttons in turn, and reads the objects with Stripe's own client.
func TestRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	withdrawn, reinstated := [2]int64{-900, 1500}, [2]int64{900, -1500}
	for name, tt := range map[string]struct {
		actions  []string
		kinds    []string
		refund   string
		dispute  string
		balances [][2]int64 // amount and fee
		state    string
		refused  []string // buttons that are refused then
	}{
		"a refund that fails": {
			actions: []string{"refund", "fail-refund"},
			kinds:   []string{"charge.refunded", "refund.created", "refund.failed", "refund.updated", "charge.refund.updated"},
			refund:  "failed", state: "paid", refused: []string{"fail-refund", "win-dispute", "lose-dispute"},
		},
		"an open dispute": {
			actions: []string{"dispute"},
			kinds:   []string{"charge.dispute.created", "charge.dispute.funds_withdrawn"},
			dispute: "needs_response", balances: [][2]int64{withdrawn}, state: "disputed", refused: []string{"refund", "dispute", "fail-refund"},
		},
		"a lost dispute": {
			actions: []string{"dispute", "lose-dispute"},
			kinds:   []string{"charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.updated", "charge.dispute.closed"},
			dispute: "lost", balances: [][2]int64{withdrawn}, state: "dispute lost", refused: []string{"refund", "dispute", "win-dispute"},
		},
		"a won dispute": {
			actions: []string{"dispute", "win-dispute"},
			kinds: []string{
				"charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.updated", "charge.dispute.closed",
				"charge.dispute.funds_reinstated",
			},
			dispute: "won", balances: [][2]int64{withdrawn, reinstated}, state: "dispute won", refused: []string{"lose-dispute", "dispute", "other"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, onFile(t))
			paid := w.paid()
			for _, action := range tt.actions {
				require.Equal(t, http.StatusForbidden, w.press(action, paid.ID, "Origin", "http://evil.example").status)
				require.Equal(t, http.StatusSeeOther, w.press(action, paid.ID).status)
			}
			require.Equal(t, tt.kinds, w.kinds()[len(paidKinds):])
			for _, action := range tt.refused {
				require.Equal(t, http.StatusConflict, w.press(action, paid.ID).status, action)
			}
			require.Contains(t, w.send(http.MethodGet, root, "").body, ">"+tt.state+"</span>")
			refunds := w.api.Refunds.List(&stripego.RefundListParams{PaymentIntent: &paid.PaymentIntent.ID})
			require.Equal(t, tt.refund != "", refunds.Next())
			if tt.refund != "" {
				require.Equal(t, tt.refund, string(refunds.Refund().Status))
			}
			disputes := w.api.Disputes.List(&stripego.DisputeListParams{PaymentIntent: &paid.PaymentIntent.ID})
			require.Equal(t, tt.dispute != "", disputes.Next())
			if tt.dispute != "" {
				require.Equal(t, tt.dispute, string(disputes.Dispute().Status))
				var balances [][2]int64
				for _, b := range disputes.Dispute().BalanceTransactions {
					balances = append(balances, [2]int64{b.Amount, b.Fee})
				}
				require.Equal(t, tt.balances, balances)
			}
			other := "pi_other"
			require.False(t, w.api.Disputes.List(&stripego.DisputeListParams{PaymentIntent: &other}).Next())
			require.Zero(t, w.read(paid.ID).PaymentIntent.LatestCharge.AmountRefunded)
		})
	}
}
