package stripe

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// request is the input of a call.
type request struct {
	method, path, id string // id is the path's
	key              string // idempotency key; may be empty
	fields           *fields
	expand           bool // return payment intent, charge and balance transaction as objects
}

// call is a request in its transaction.
type call struct {
	*tx
	request
}

// endpoint authorizes a call and serves it or applies a fault.
func (s *Server) endpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head(w, r)
		q, refused := s.read(w, r, e)
		if refused != nil {
			writeRefusal(w, refused)
			return
		}
		if q.key != "" {
			w.Header().Set("Idempotency-Key", q.key)
		}
		rule := s.pick(e.on)
		s.faults.Before(r.Context(), rule)
		if refused := map[Fault]*refusal{RateLimit: errTooMany, Conflict: errKeyInUse}[rule.Fault]; refused != nil {
			writeRefusal(w, refused)
			return
		}
		answer := s.once(e, q, rule)
		s.faults.After(r.Context(), rule)
		answer.writeTo(w)
	})
}

// head sets the headers of all responses.
func head(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+rand.Text())
	w.Header().Set("Stripe-Version", cmp.Or(r.Header.Get("Stripe-Version"), apiVersion))
	w.Header().Set("Cache-Control", "no-cache, no-store")
}

// supportedVersion matches the versions whose objects have the same fields as far as the sandbox returns them.
// Since 2024-09-30 a version has a name.
var supportedVersion = regexp.MustCompile(`^20(2[3-9]|[3-9]\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(\.[a-z]{1,20})?$`)

func writeRefusal(w http.ResponseWriter, r *refusal) {
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(r.wire()) // the client has gone
}

// read parses and validates a request before its transaction.
func (s *Server) read(w http.ResponseWriter, r *http.Request, e endpoint) (request, *refusal) {
	q := request{method: r.Method, path: r.URL.Path, id: r.PathValue("id")}
	if refused := s.authorize(r); refused != nil {
		return q, refused
	}
	if version := r.Header.Get("Stripe-Version"); version != "" && !supportedVersion.MatchString(version) {
		return q, invalid("", "", "Invalid Stripe API version: %s", version)
	}
	values, refused := readValues(w, r)
	if refused != nil {
		return q, refused
	}
	if q.method == http.MethodPost {
		q.key = r.Header.Get("Idempotency-Key")
	}
	q.fields = &fields{values: values}
	q.fields.unknown(e.params)
	for _, path := range q.fields.list("expand") {
		if q.expand = path == expanded; !q.expand {
			q.fields.refuse(invalid("", "expand", "This property cannot be expanded (%s).", path))
		}
	}
	return q, q.fields.refused
}

func (s *Server) authorize(r *http.Request) *refusal {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.config.Key)) != 1 {
		return errWrongKey
	}
	return nil
}

// readValues reads the parameters from the URL of a GET, or else from the body.
func readValues(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.Method == http.MethodGet {
		return r.URL.Query(), nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, invalid("", "", "The request's body cannot be read.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("", "", "The request's body is not form-encoded.")
	}
	return values, nil
}

// endpoint is one operation of Stripe's API.
type endpoint struct {
	on     Target   // target of fault rules; empty: only rules on any call apply
	params []string // accepted parameters
	serve  func(*call) (any, *refusal)
}

// expanded is the only property that can be expanded.
const expanded = "payment_intent.latest_charge.balance_transaction"

func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"POST /v1/coupons": {on: OnCouponCreate, serve: (*call).createCoupon, params: []string{
			"id", "name", "percent_off", "duration", "max_redemptions", "redeem_by", "metadata",
		}},
		"GET /v1/coupons/{id}":    {serve: (*call).readCoupon},
		"DELETE /v1/coupons/{id}": {serve: (*call).deleteCoupon},

		"POST /v1/checkout/sessions": {on: OnSessionCreate, serve: (*call).createSession, params: []string{
			"mode", "success_url", "cancel_url", "client_reference_id", "expires_at", "metadata", "payment_method_types[]",
			"line_items[][quantity]", "line_items[][price_data][currency]", "line_items[][price_data][unit_amount]",
			"line_items[][price_data][product_data][name]", "discounts[][coupon]", "expand[]",
		}},
		"GET /v1/checkout/sessions/{id}":         {serve: (*call).readSession, params: []string{"expand[]"}},
		"POST /v1/checkout/sessions/{id}/expire": {serve: (*call).expireSession, params: []string{"expand[]"}},

		"POST /v1/refunds": {serve: (*call).createRefund, params: []string{"payment_intent"}},
		"GET /v1/refunds":  {serve: (*call).listRefunds, params: []string{"payment_intent", "limit", "starting_after"}},
		"GET /v1/disputes": {serve: (*call).listDisputes, params: []string{"payment_intent", "limit", "starting_after"}},
		"GET /v1/events":   {serve: (*call).listEvents, params: []string{"types[]", "created[gte]", "limit", "starting_after"}},
	}
}

func (s *Server) routeAPI(mux *http.ServeMux) {
	for pattern, e := range endpoints() {
		mux.Handle(pattern, s.endpoint(e))
	}
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		head(w, r)
		refused := s.authorize(r)
		if refused == nil {
			refused = invalid("", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)
			refused.Status = http.StatusNotFound
		}
		writeRefusal(w, refused)
	})
}

// keyMemory is how long a reply is stored for its idempotency key.
const keyMemory = 24 * time.Hour

// reply is the response of a call. Replies with a key are stored, including errors.
type reply struct {
	Key    string          `json:"key"`
	Params string          `json:"params"` // digest of the request
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
	At     time.Time       `json:"at"`

	replayed bool
}

// digest is equal for equal requests.
func (q request) digest() string {
	sum := sha256.Sum256([]byte(q.method + " " + q.path + "\n" + q.fields.values.Encode()))
	return hex.EncodeToString(sum[:])
}

// once serves a request, or returns the stored reply of its key.
func (s *Server) once(e endpoint, q request, rule Rule) reply {
	if q.key == "" {
		return s.perform(e, q, rule)
	}
	if _, taken := s.inUse.LoadOrStore(q.key, true); taken {
		return errKeyInUse.reply()
	}
	defer s.inUse.Delete(q.key)
	before, found := s.state.replyTo(q.key)
	switch {
	case found && before.Params != q.digest():
		return errKeyReused.reply()
	case found:
		before.replayed = true
		return before
	}
	return s.perform(e, q, rule)
}

// replyTo returns the stored reply of a key.
func (st *state) replyTo(key string) (reply, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	r, found := st.replies[key]
	return r, found && st.now().Sub(r.At) < keyMemory
}

// perform serves a request and stores its reply in one transaction, so that a killed sandbox does not repeat it.
func (s *Server) perform(e endpoint, q request, rule Rule) (answer reply) {
	if rule.Fault == Slow { // even if the client disconnects: Stripe would not notice either
		s.faults.Pause(context.Background(), rule.Delay)
	}
	err := s.state.do(func(t *tx) error {
		var refused *refusal
		answer, refused = s.run(e, q, t, rule)
		if refused != nil {
			t.change = change{}
		}
		if q.key != "" && (refused == nil || !refused.unsaved) {
			answer.Key, answer.Params, answer.At = q.key, q.digest(), t.now
			t.change.Replies = append(t.change.Replies, answer)
		}
		return nil
	})
	if err != nil {
		s.config.Log.Error("stripe sandbox: the state could not be written", "error", err)
		return errBroken.reply()
	}
	return answer
}

// run executes the call and returns its reply, or the fault's.
func (s *Server) run(e endpoint, q request, t *tx, rule Rule) (reply, *refusal) {
	if rule.Fault == Broken {
		return errBroken.reply(), errBroken
	}
	body, refused := e.serve(&call{tx: t, request: q})
	if refused != nil {
		return refused.reply(), refused
	}
	if rule.Fault == BrokenAfter {
		return errBroken.reply(), nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return errBroken.reply(), errBroken
	}
	return reply{Status: http.StatusOK, Body: raw}, nil
}

func (r reply) writeTo(w http.ResponseWriter) {
	if r.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body) // the client has gone
}

// refusal is an error in Stripe's format.
type refusal struct {
	Status  int    `json:"-"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
	Param   string `json:"param,omitempty"`
	Message string `json:"message"`

	unsaved bool // the call did not start, so its idempotency key stays free
}

func (r *refusal) Error() string { return r.Message }

const (
	invalidRequest   = "invalid_request_error"
	idempotencyError = "idempotency_error"
	apiError         = "api_error"
)

// invalid refuses a parameter before the call starts.
func invalid(code, param, format string, args ...any) *refusal {
	r := refuse(code, param, format, args...)
	r.unsaved = true
	return r
}

// early refuses a call before it starts.
func early(status int, kind, code, message string) *refusal {
	return &refusal{Status: status, Type: kind, Code: code, Message: message, unsaved: true}
}

// refuse refuses a call with status 400.
func refuse(code, param, format string, args ...any) *refusal {
	return &refusal{
		Status: http.StatusBadRequest, Type: invalidRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...),
	}
}

// missing refuses a call about an unknown object; the status is 404 if the path names it.
func missing(status int, param, kind, id string) *refusal {
	r := refuse("resource_missing", param, "No such %s: '%s'", kind, id)
	r.Status = status
	return r
}

var (
	errWrongKey  = early(http.StatusUnauthorized, invalidRequest, "", "Invalid API Key provided.")
	errTooMany   = early(http.StatusTooManyRequests, invalidRequest, "rate_limit", "Request rate limit exceeded.")
	errKeyReused = early(http.StatusBadRequest, idempotencyError, "", "Keys for idempotent requests can only be used with "+
		"the same parameters they were first used with.")
	errKeyInUse = early(http.StatusConflict, idempotencyError, "idempotency_key_in_use", "There is currently another in-progress "+
		"request using this idempotent key.")
	errBroken = &refusal{Status: http.StatusInternalServerError, Type: apiError, Message: "An unknown error occurred."}
)

func (r *refusal) wire() wire { return wire{"error": r} }

func (r *refusal) reply() reply {
	body, _ := json.Marshal(r.wire()) // only strings
	return reply{Status: r.Status, Body: body}
}
