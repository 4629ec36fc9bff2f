package stripe

import "net/http"

// endpoint is one of Stripe's calls.
type endpoint struct {
	on     Target   // what a fault calls it; empty: only as any call
	params []string // that it knows
	expand string   // the deepest part of its answer that can be shown whole
	serve  func(*call) (any, *refusal)
}

const (
	wholePayment = "latest_charge.balance_transaction"
	wholeSession = "payment_intent." + wholePayment
)

// endpoints lists Stripe's calls.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"POST /v1/coupons": {on: OnCouponCreate, serve: (*call).createCoupon, params: []string{
			"id", "name", "percent_off", "duration", "max_redemptions", "redeem_by", "metadata",
		}},
		"GET /v1/coupons":         {serve: (*call).listCoupons, params: paging},
		"GET /v1/coupons/{id}":    {serve: (*call).readCoupon},
		"DELETE /v1/coupons/{id}": {serve: (*call).deleteCoupon},

		"POST /v1/checkout/sessions": {on: OnSessionCreate, expand: wholeSession, serve: (*call).createSession, params: []string{
			"mode", "success_url", "cancel_url", "client_reference_id", "expires_at", "metadata", "payment_method_types[]",
			"line_items[][quantity]", "line_items[][price_data][currency]", "line_items[][price_data][unit_amount]",
			"line_items[][price_data][product_data][name]", "discounts[][coupon]",
		}},
		"GET /v1/checkout/sessions": {serve: (*call).listSessions, params: paging},
		"GET /v1/checkout/sessions/{id}": {
			expand: wholeSession, serve: (*call).readSession,
		},
		"POST /v1/checkout/sessions/{id}/expire": {
			expand: wholeSession, serve: (*call).expireSession,
		},

		"GET /v1/payment_intents/{id}": {expand: wholePayment, serve: (*call).readPayment},
		"POST /v1/refunds": {serve: (*call).createRefund, params: []string{
			"payment_intent", "amount", "reason", "metadata",
		}},
		"GET /v1/refunds": {serve: (*call).listRefunds, params: append([]string{"payment_intent"}, paging...)},
		"GET /v1/events": {serve: (*call).listEvents, params: append([]string{
			"type", "types[]", "created[gte]",
		}, paging...)},
	}
}

// routeAPI adds Stripe's calls.
func (s *Server) routeAPI(mux *http.ServeMux) {
	for pattern, e := range endpoints() {
		if e.expand != "" {
			e.params = append(e.params, "expand[]")
		}
		mux.Handle(pattern, s.endpoint(e))
	}
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		head(w)
		refused := s.authorize(r)
		if refused == nil {
			refused = invalid("", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)
			refused.Status = http.StatusNotFound
		}
		writeRefusal(w, refused)
	})
}
