package stripe

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// request is a call as it came.
type request struct {
	method, path, id string // the ID is that of the path
	key              string // for idempotency; empty: none
	fields           *fields
	expand           expansion
}

// call is a request within its transaction.
type call struct {
	*tx
	request
}

// endpoint lets a call in when its key is right, and serves it, unless a fault has other
// plans.
func (s *Server) endpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head(w)
		q, refused := s.read(w, r, e)
		if refused != nil {
			writeRefusal(w, refused)
			return
		}
		if q.key != "" {
			w.Header().Set("Idempotency-Key", q.key)
		}
		rule, _ := s.pick(e.on)
		if !s.inflictBefore(rule, w, r) {
			s.inflictAfter(rule, w, r, s.once(e, q, rule))
		}
	})
}

// head sets what all of Stripe's answers have.
func head(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+rand.Text())
	w.Header().Set("Stripe-Version", apiVersion)
	w.Header().Set("Cache-Control", "no-cache, no-store")
}

func writeRefusal(w http.ResponseWriter, r *refusal) {
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(r.wire()) // the client has gone
}

// read checks what can be checked before anything is done.
func (s *Server) read(w http.ResponseWriter, r *http.Request, e endpoint) (request, *refusal) {
	q := request{method: r.Method, path: r.URL.Path, id: r.PathValue("id")}
	if refused := s.authorize(r); refused != nil {
		return q, refused
	}
	if version := r.Header.Get("Stripe-Version"); version != "" && version != apiVersion {
		return q, invalid("", "", "This sandbox speaks version %s only.", apiVersion)
	}
	values, refused := readValues(w, r)
	if refused != nil {
		return q, refused
	}
	if q.method == http.MethodPost {
		if q.key = r.Header.Get("Idempotency-Key"); len(q.key) > 255 {
			return q, errKeyTooLong
		}
	}
	q.fields = &fields{values: values}
	q.fields.unknown(e.params)
	if e.expand != "" {
		q.expand = readExpansion(q.fields, e.expand)
	}
	return q, q.fields.refused
}

func (s *Server) authorize(r *http.Request) *refusal {
	key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !found || key == "":
		return errNoKey
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.config.Key)) != 1:
		return errWrongKey
	}
	return nil
}

// readValues reads the parameters, which a GET has in its URL and others in their body.
func readValues(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.Method == http.MethodGet {
		return r.URL.Query(), nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, invalid("", "", "The request's body cannot be read.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("", "", "The request's body is not form-encoded.")
	}
	return values, nil
}

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
