package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
)

func TestAReceiptTellsHowThePriceCameAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	path := "/api/receipts/" + got.CheckoutID
	shown := read[api.Receipt](t, w.do(t, call{method: http.MethodGet, path: path, key: "none"}), ok)
	require.Equal(t, &api.Inputs{Visits: 1, ViewedPricing: true, UserType: "new_visitor"}, shown.Inputs)
	require.Equal(t, "rules", shown.Source)
	require.Equal(t, got.PricingDetails.FinalPrice, shown.FinalPrice)
	require.Equal(t, pricing.Disclosure, shown.Disclosure)
	require.Equal(t, got.PaymentURL, shown.PaymentURL)
	require.Equal(t, "checkout:"+got.CheckoutID, shown.Run.WorkflowID)

	w.now = now.Add(checkout.OfferLife)
	over := read[api.Receipt](t, w.do(t, call{method: http.MethodGet, path: path, key: "none"}), ok)
	require.Empty(t, over.PaymentURL, "nobody is led to a page that is over")

	for name, id := range map[string]string{
		"a letter changed": "a" + got.CheckoutID[1:] + "a", "too short": got.CheckoutID[:20], "another alphabet": "%C3%84%00", "a space": "%20",
	} {
		rec := w.do(t, call{method: http.MethodGet, path: "/api/receipts/" + strings.ReplaceAll(id, "/", "%2F"), key: "none"})
		require.Equal(t, http.StatusNotFound, rec.Code, name)
	}
}
