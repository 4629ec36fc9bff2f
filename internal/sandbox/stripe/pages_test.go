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
	require.Equal(t, []string{"checkout.session.completed"}, w.kinds())

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
	require.Equal(t, []string{"payment_intent.payment_failed", "payment_intent.payment_failed", "checkout.session.completed"}, w.kinds())
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
	require.Len(t, w.sandbox.Events(), 1)
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

// refundByHand presses the refund button.
func (w *world) refundByHand(session string, headers ...string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, root+"/refund", "session="+session, headers...)
}

func TestARefundByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid, open := w.paid(), w.session("")
	require.Equal(t, http.StatusForbidden, w.refundByHand(paid.ID, "Origin", "http://evil.example").status)
	pressed := w.refundByHand(paid.ID)
	require.Equal(t, http.StatusSeeOther, pressed.status)
	require.Equal(t, "/sandbox/stripe#"+paid.ID, pressed.header.Get("Location"))
	require.Equal(t, int64(900), w.sandbox.Refunds()[0].Amount)
	require.Equal(t, "charge.refunded", w.kinds()[1])
	page := w.send(http.MethodGet, root, "").body
	require.Contains(t, page, "$9.00 refunded")
	require.Contains(t, page, ">refunded</span>")
	require.NotContains(t, page, "Refund $")
	for _, nothing := range []string{paid.ID, open.ID, "none", ""} {
		require.Equal(t, http.StatusConflict, w.refundByHand(nothing).status)
	}
	require.Len(t, w.sandbox.Refunds(), 1)
}
