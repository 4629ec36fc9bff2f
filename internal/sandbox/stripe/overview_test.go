package stripe

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnEmptyOverview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.send(http.MethodGet, root, "")
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		`<html lang="en">`, "<title>Stripe sandbox</title>", "<header", "<main", "<footer", "No card is charged", "No sessions yet", "0 sessions",
	} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, "Faults are switched on")
}

func TestTheOverviewShowsSessionsNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expired := w.session("")
	w.clock.advance(31 * time.Minute)
	w.coupon("quarter", 25)
	open, paid := w.session("quarter"), w.paid()
	page := w.send(http.MethodGet, root, "").body
	require.Less(t, strings.Index(page, paid.ID), strings.Index(page, open.ID))
	require.Less(t, strings.Index(page, open.ID), strings.Index(page, expired.ID))
	for _, part := range []string{
		"3 sessions", "Founding membership", ">paid</span>", ">open</span>", ">expired</span>", "instead of $9.00", "fee $0.56", "for chk_1",
		`href="/sandbox/stripe/pay/` + open.ID + `"`, "Refund $9.00<",
	} {
		require.Contains(t, page, part)
	}
	require.NotContains(t, page, buyer)
}

// refundByHand presses the button that a founder would press at Stripe's dashboard.
func (w *world) refundByHand(session string, headers ...string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, root+"/refund", "session="+session, headers...)
}

func TestARefundByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid, open := w.paid(), w.session("")
	require.Equal(t, http.StatusForbidden, w.refundByHand(paid.ID, "Origin", "http://evil.example").status)
	_, err := w.refund(paid.PaymentIntent.ID, 100)
	require.NoError(t, err)
	pressed := w.refundByHand(paid.ID)
	require.Equal(t, http.StatusSeeOther, pressed.status)
	require.Equal(t, "/sandbox/stripe#"+paid.ID, pressed.header.Get("Location"))
	require.Equal(t, int64(800), w.sandbox.Refunds()[1].Amount)
	require.Equal(t, "charge.refunded", w.kinds()[2])
	page := w.send(http.MethodGet, root, "").body
	require.Contains(t, page, "$9.00 refunded")
	require.Contains(t, page, ">refunded</span>")
	require.NotContains(t, page, "Refund $")
	for _, nothing := range []string{paid.ID, open.ID, "none", ""} {
		require.Equal(t, http.StatusConflict, w.refundByHand(nothing).status)
	}
	require.Len(t, w.sandbox.Refunds(), 2)
}

func TestTheStateAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	empty := w.send(http.MethodGet, root+"/state.json", "").body
	require.JSONEq(t, `{"sandbox":true,"sessions":[],"coupons":[],"payments":[],"refunds":[],"deliveries":[]}`, empty)
	w.coupon("quarter", 25)
	w.coupon("gone", 25)
	_, err := w.api.Coupons.Del("gone", nil)
	require.NoError(t, err)
	session := w.session("quarter")
	w.pay(session.ID, goodCard, buyer)
	w.hook.await(1)
	w.refundByHand(session.ID)
	require.Equal(t, Delivered, w.delivery().Status)
	body := w.send(http.MethodGet, root+"/state.json", "").body
	require.NotContains(t, body, buyer)
	var shown struct {
		Sessions   []map[string]any
		Coupons    []map[string]any
		Payments   []map[string]any
		Refunds    []map[string]any
		Deliveries []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &shown))
	require.Equal(t, session.ID, shown.Sessions[0]["id"])
	require.Equal(t, "complete", shown.Sessions[0]["status"])
	require.Equal(t, "chk_1", shown.Sessions[0]["client_reference_id"])
	require.InDelta(t, 675, shown.Sessions[0]["amount_total"], 0)
	require.InDelta(t, 1, shown.Coupons[0]["times_redeemed"], 0)
	require.Equal(t, false, shown.Coupons[0]["valid"])
	require.Equal(t, false, shown.Coupons[1]["valid"], "it was deleted")
	require.InDelta(t, 675, shown.Payments[0]["amount_refunded"], 0)
	require.InDelta(t, 675, shown.Refunds[0]["amount"], 0)
	require.Equal(t, "delivered", shown.Deliveries[1]["status"])
}

func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.send(http.MethodGet, root, "")
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; "+
		"form-action 'self'", page.header.Get("Content-Security-Policy"))
	for asset, kind := range map[string]string{"base.css": "text/css", "style.css": "text/css", "icon.svg": "image/svg+xml"} {
		require.Contains(t, page.body, `href="/sandbox/stripe/`+asset+`"`)
		got := w.send(http.MethodGet, root+"/"+asset, "")
		require.Equal(t, http.StatusOK, got.status)
		require.Contains(t, got.header.Get("Content-Type"), kind)
	}
	require.Equal(t, http.StatusNotFound, w.send(http.MethodGet, root+"/pay.html", "").status)
}
