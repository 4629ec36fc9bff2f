package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

const wantsToBuy = `{"service":"founding_membership","amount_override":900,"user_context":{"type":"visitor","source":"pricing","timestamp":"now"}}`

// visitor is a browser that is counted; none is one that is not.
type visitor string

// browse makes a visitor of somebody who looked at the prices.
func (w *world) browse(t *testing.T) visitor {
	t.Helper()
	rec := w.do(t, call{method: http.MethodPost, path: "/api/visits", body: `{"page":"pricing"}`, key: "none"})
	require.True(t, read[api.Counted](t, rec, ok).Counted)
	cookies := rec.Result().Cookies()
	require.Len(t, cookies, 1)
	require.True(t, cookies[0].HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookies[0].SameSite)
	return visitor(cookies[0].Value)
}

func (w *world) buy(t *testing.T, v visitor, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	c := call{method: http.MethodPost, path: "/api/dynamic-payment", body: body, key: "none", header: map[string]string{}}
	if v != "" {
		c.header["Cookie"] = "visitor=" + string(v)
	}
	for i := 0; i+1 < len(header); i += 2 {
		c.header[header[i]] = header[i+1]
	}
	return w.do(t, c)
}

func TestAPriceComesWithItsReasonAndAPageToPay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.browse(t)
	got := read[api.PaymentStarted](t, w.buy(t, v, wantsToBuy), ok)
	require.Contains(t, got.PaymentURL, got.CheckoutID)
	require.Equal(t, "http://example.com/receipts/"+got.CheckoutID, got.ReceiptURL)
	require.Equal(t, now.Add(checkout.OfferLife), got.ExpiresAt)
	p := got.PricingDetails
	require.Equal(t, 900, p.OriginalPrice)
	require.Equal(t, p.OriginalPrice-p.DiscountAmount, p.FinalPrice)
	require.Equal(t, 5, p.DiscountPercent)
	require.NotEmpty(t, p.AIReasoning)
	require.Equal(t, pricing.Disclosure, p.Disclosure, "the law wants it next to the price")

	again := read[api.PaymentStarted](t, w.buy(t, v, wantsToBuy), ok)
	require.Equal(t, got, again, "the same visitor gets the same page")
	require.Len(t, w.runs.orders, 1, "and no second run")
}

// That somebody asked to buy counts the next time.
func TestAskingToBuyCountsForTheNextPriceOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.browse(t)
	first := read[api.PaymentStarted](t, w.buy(t, v, wantsToBuy), ok)
	w.now = now.Add(25 * time.Hour)
	second := read[api.PaymentStarted](t, w.buy(t, v, wantsToBuy), ok)
	require.Less(t, first.PricingDetails.DiscountPercent, second.PricingDetails.DiscountPercent)
	r, err := w.db.Checkouts.Receipt(t.Context(), first.CheckoutID)
	require.NoError(t, err)
	require.False(t, r.Decision.AddedToCart)
}

func TestWhoIsNotCountedPaysTheFullPriceAndIsTold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		counted bool
		header  []string
		body    string
		why     pricing.Why
		says    string
	}{
		"no cookie":              {why: pricing.Unknown, says: "nothing about your visit"},
		"Global Privacy Control": {counted: true, header: []string{"Sec-GPC", "1"}, why: pricing.GPC, says: "Global Privacy Control"},
		"Do Not Track":           {counted: true, header: []string{"DNT", "1"}, why: pricing.DoNotTrack, says: "not to be tracked"},
		"the full price, please": {counted: true, body: `{"service":"founding_membership","full_price":true}`, why: pricing.Chosen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			v := visitor("")
			if tt.counted {
				v = w.browse(t)
			}
			body := wantsToBuy
			if tt.body != "" {
				body = tt.body
			}
			got := read[api.PaymentStarted](t, w.buy(t, v, body, tt.header...), ok)
			if tt.why == pricing.Chosen {
				require.Nil(t, got.PricingDetails, "nothing to show: they are led on at once")
			} else {
				require.Contains(t, got.PricingDetails.AIReasoning, tt.says)
				require.Equal(t, 900, got.PricingDetails.FinalPrice)
				require.Empty(t, got.PricingDetails.Disclosure)
			}
			r, err := w.db.Checkouts.Receipt(t.Context(), got.CheckoutID)
			require.NoError(t, err)
			require.Equal(t, tt.why, r.Decision.Why)
			require.Zero(t, r.Decision.DiscountPercent)
			require.Zero(t, r.Decision.Visits, "nothing about them is kept with the price")
		})
	}
}

// Proves: V15.3.3, S-price
func TestWhatIsNotForSaleIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"another service":            {`{"service":"a_bridge"}`, 400, problem.ServiceUnknown},
		"no service":                 {`{}`, 422, problem.Invalid},
		"a cent less":                {`{"service":"founding_membership","amount_override":899}`, 400, problem.AmountWrong},
		"a cent more":                {`{"service":"founding_membership","amount_override":901}`, 400, problem.AmountWrong},
		"for nothing":                {`{"service":"founding_membership","amount_override":0}`, 400, problem.AmountWrong},
		"a negative amount":          {`{"service":"founding_membership","amount_override":-900}`, 400, problem.AmountWrong},
		"half a cent":                {`{"service":"founding_membership","amount_override":900.5}`, 422, problem.Invalid},
		"an amount as text":          {`{"service":"founding_membership","amount_override":"900"}`, 422, problem.Invalid},
		"a price of the buyer's own": {`{"service":"founding_membership","final_price":1}`, 422, problem.Invalid},
		"behaviour of their own":     {`{"service":"founding_membership","user_context":{"visits":99}}`, 422, problem.Invalid},
		"a long context":             {`{"service":"founding_membership","user_context":{"source":"` + strings.Repeat("x", 61) + `"}}`, 422, problem.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			rec := w.buy(t, w.browse(t), tt.body)
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			require.Equal(t, tt.code, problemOf(t, rec).Code)
			w.soldNothing(t)
		})
	}
}

// soldNothing says that no checkout was begun.
func (w *world) soldNothing(t *testing.T) {
	t.Helper()
	require.Empty(t, w.runs.orders)
	waiting, err := w.db.Checkouts.WaitingCheckouts(t.Context(), true, now.Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, waiting)
}

// Proves: F19, V16.5.1
func TestWithoutThePaymentServiceThereIsNoPageAndNoCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.err = errors.New("dial tcp 10.0.0.3: connection refused")
	rec := w.buy(t, w.browse(t), wantsToBuy)
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
	p := problemOf(t, rec)
	require.Equal(t, problem.PaymentUnavailable, p.Code)
	require.Contains(t, p.Message, "Nothing was charged")
	require.NotContains(t, rec.Body.String(), "10.0.0.3")
}

// Proves: V2.4.1-prices
func TestClicksWithoutEndAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exhaust(t, account.QuotesPerVisitor)
	rec := w.buy(t, "", wantsToBuy)
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.NotEmpty(t, rec.Header().Get("Retry-After"))
}

func TestABuyerMayAskAndGiveUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	for _, order := range []string{"look", "cancel"} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/checkouts/" + got.CheckoutID + "/" + order, key: "none"})
		require.Equal(t, http.StatusAccepted, rec.Code, rec.Body.String())
	}
	require.Equal(t, []string{"heed payment " + got.CheckoutID, "cancel checkout " + got.CheckoutID}, w.runs.orders[1:])
	w.pay(t, got.CheckoutID)
	for _, order := range []string{"look", "cancel"} {
		w.do(t, call{method: http.MethodPost, path: "/api/checkouts/" + got.CheckoutID + "/" + order, key: "none"})
	}
	require.Len(t, w.runs.orders, 3, "what is paid needs neither")
}

// pay is a payment that came in.
func (w *world) pay(t *testing.T, id string) checkout.Checkout {
	t.Helper()
	r, err := w.db.Checkouts.Receipt(t.Context(), id)
	require.NoError(t, err)
	page := checkout.Session{ID: *r.SessionID, Status: checkout.SessionComplete, Paid: true, TotalCents: r.Decision.FinalCents, PaymentIntent: "pi_" + id}
	c, err := w.db.Checkouts.PayCheckout(t.Context(), id, page, checkout.Buyer{MemberID: "m-" + id, Username: checkout.NewUsername()}, w.now)
	require.NoError(t, err)
	return c
}

func TestAFounderSendsMoneyBackAndItIsNoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	founder, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	session := w.login(t, founder.ID, "")
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	refund := call{method: http.MethodPost, path: "/api/checkouts/" + got.CheckoutID + "/refund", key: "none", header: map[string]string{"Cookie": "session=" + session}}
	require.Equal(t, http.StatusConflict, w.do(t, refund).Code, "nobody has paid")
	w.pay(t, got.CheckoutID)
	w.runs.joined = true
	require.Equal(t, http.StatusServiceUnavailable, w.do(t, refund).Code, "the money has not gone back, so nobody says so")
	w.runs.joined = false
	require.Equal(t, ok, w.do(t, refund).Code)
	require.Contains(t, w.runs.orders, "refund "+got.CheckoutID)
	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Equal(t, "Checkout "+got.CheckoutID+" was refunded.", entries[0].Detail)
}
