package stripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
)

// page is Stripe's response for a payment page; more adds or overrides fields.
func page(more string) answer {
	return answer{200, `{"object":"checkout.session","id":"cs_1","status":"open","payment_status":"unpaid","amount_total":675,
		"currency":"usd","client_reference_id":"chk_1","metadata":{"checkout":"chk_1"},
		"expires_at":1795176000,"url":"https://checkout.stripe.com/c/pay/cs_1#fid"` + more + `}`}
}

var open = checkout.Session{
	ID: "cs_1", CheckoutID: "chk_1", URL: "https://checkout.stripe.com/c/pay/cs_1#fid", Status: checkout.SessionOpen,
	TotalCents: 675, Currency: "usd", ExpiresAt: time.Unix(1795176000, 0).UTC(),
}

// but returns a changed copy of the open page.
func but(change func(*checkout.Session)) checkout.Session {
	s := open
	change(&s)
	return s
}

func TestOpenSession(t *testing.T) {
	t.Parallel()
	stripe := answering(t, page(""))
	got, err := newClient(t, stripe.url).OpenSession(t.Context(), offer, "cz-chk_1")
	require.NoError(t, err)
	require.Equal(t, open, got)

	want := map[string]string{
		"mode": "payment", "payment_method_types[0]": "card", "client_reference_id": "chk_1", "metadata[checkout]": "chk_1",
		"line_items[0][quantity]": "1", "line_items[0][price_data][currency]": "usd", "line_items[0][price_data][unit_amount]": "900",
		"line_items[0][price_data][product_data][name]": "Founding membership", "discounts[0][coupon]": "cz-chk_1",
		"expires_at": strconv.FormatInt(offer.ExpiresAt.Unix(), 10), "success_url": offer.SuccessURL, "cancel_url": offer.CancelURL,
	}
	require.Equal(t, []string{"POST /v1/checkout/sessions"}, stripe.calls())
	require.Equal(t, want, stripe.requests[0].params)
	header := stripe.requests[0].header
	require.Equal(t, "checkout:chk_1:session:2", header.Get("Idempotency-Key"))
	require.Equal(t, "Bearer "+key, header.Get("Authorization"))
	require.Equal(t, "2023-10-16", header.Get("Stripe-Version"))
	require.Empty(t, header.Get("X-Stripe-Client-Telemetry"))

	_, err = newClient(t, stripe.url).OpenSession(t.Context(), offer, "")
	require.NoError(t, err)
	delete(want, "discounts[0][coupon]")
	require.Equal(t, want, stripe.requests[1].params)
}

func TestOpenSessionForADemo(t *testing.T) {
	t.Parallel()
	demo := offer
	demo.Demo = true
	service := answering(t, page(""))
	_, err := newClient(t, service.url).OpenSession(t.Context(), demo, "")
	require.NoError(t, err)

	live := newClient(t, "", func(c *stripe.Config) { c.SecretKey = "sk_live_0123456789" })
	require.Equal(t, "stripe_live_demo", failure(t, second(live.OpenSession(t.Context(), demo, ""))).Code)
}

func TestSession(t *testing.T) {
	t.Parallel()
	const charge = `,"payment_intent":{"id":"pi_1","object":"payment_intent","latest_charge":{"id":"ch_1","amount_refunded":0,
		"balance_transaction":{"id":"txn_1","fee":50}}}`
	complete := func(s *checkout.Session) { s.Status, s.URL = checkout.SessionComplete, "" }
	for name, tt := range map[string]struct {
		more string
		want checkout.Session
	}{
		"open": {"", open},
		"paid": {
			`,"status":"complete","payment_status":"paid","url":null,"customer_details":{"email":"` + buyer + `"}` + charge,
			but(func(s *checkout.Session) {
				complete(s)
				s.Paid, s.PaymentIntent, s.FeeCents, s.Email = true, "pi_1", 50, buyer
			}),
		},
		"paid, and the fee is not known yet": {
			`,"status":"complete","payment_status":"paid","payment_intent":{"id":"pi_1","latest_charge":{"id":"ch_1","balance_transaction":null}}`,
			but(func(s *checkout.Session) { complete(s); s.Paid, s.PaymentIntent = true, "pi_1" }),
		},
		"paid, with only the payment's ID": {
			`,"status":"complete","payment_status":"paid","payment_intent":"pi_1"`,
			but(func(s *checkout.Session) { complete(s); s.Paid, s.PaymentIntent = true, "pi_1" }),
		},
		"complete without anything due": {
			`,"status":"complete","payment_status":"no_payment_required","amount_total":0,"payment_intent":null`,
			but(func(s *checkout.Session) { complete(s); s.Paid, s.TotalCents = true, 0 }),
		},
		"complete, and the money is still to come": {`,"status":"complete"`, but(complete)},
		"nothing is due, but the buyer has not agreed yet": {
			`,"payment_status":"no_payment_required","amount_total":0`, but(func(s *checkout.Session) { s.TotalCents = 0 }),
		},
		"expired":                     {`,"status":"expired","url":null`, but(func(s *checkout.Session) { s.Status, s.URL = checkout.SessionExpired, "" })},
		"known by its reference only": {`,"metadata":{"checkout":""}`, open},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripe := answering(t, page(tt.more))
			got, err := newClient(t, stripe.url).Session(t.Context(), "cs_1")
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, []string{"GET /v1/checkout/sessions/cs_1"}, stripe.calls())
			require.Equal(t, map[string]string{"expand[0]": "payment_intent.latest_charge.balance_transaction"}, stripe.requests[0].params)
		})
	}
}

// TestSessionWithRefundsAndDisputes reads what the charge only hints at.
func TestSessionWithRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	const refunds, disputes = "GET /v1/refunds", "GET /v1/disputes"
	refund := func(status string, cents int) string {
		return fmt.Sprintf(`{"id":"re_%s","object":"refund","status":%[1]q,"amount":%d}`, status, cents)
	}
	dispute := func(status, moves string) string {
		return fmt.Sprintf(`{"id":"dp_%s","object":"dispute","status":%[1]q,"amount":675,"balance_transactions":[%s]}`, status, moves)
	}
	const withdrawn, reinstated = `{"id":"txn_1","amount":-675,"fee":1500}`, `{"id":"txn_2","amount":675,"fee":0}`
	list := func(objects ...string) answer {
		return answer{200, `{"object":"list","has_more":false,"data":[` + strings.Join(objects, ",") + `]}`}
	}
	open := checkout.Session{Dispute: checkout.DisputeOpen, DisputedCents: 675, DisputeFeeCents: 1500}
	lost := open
	lost.Dispute = checkout.DisputeLost
	for name, tt := range map[string]struct {
		charge  string
		answers []answer
		calls   []string
		want    checkout.Session // refunds and disputes only
	}{
		"neither": {charge: `"amount_refunded":0,"disputed":false`},
		"refunds, one of which failed": {
			`"amount_refunded":500`,
			[]answer{list(refund("failed", 200), refund("canceled", 100), refund("pending", 150), refund("succeeded", 50))},
			[]string{refunds},
			checkout.Session{RefundedCents: 200},
		},
		"an open dispute":                       {`"disputed":true`, []answer{list(dispute("needs_response", withdrawn))}, []string{disputes}, open},
		"a dispute that the bank examines":      {`"disputed":true`, []answer{list(dispute("under_review", withdrawn))}, []string{disputes}, open},
		"a lost dispute":                        {`"disputed":true`, []answer{list(dispute("lost", withdrawn))}, []string{disputes}, lost},
		"a won dispute whose fee stays":         {`"disputed":true`, []answer{list(dispute("won", withdrawn+","+reinstated))}, []string{disputes}, checkout.Session{Dispute: checkout.DisputeWon, DisputeFeeCents: 1500}},
		"an inquiry":                            {`"disputed":true`, []answer{list(dispute("warning_needs_response", ""))}, []string{disputes}, checkout.Session{}},
		"an inquiry, then a dispute":            {`"disputed":true`, []answer{list(dispute("needs_response", withdrawn), dispute("warning_closed", ""))}, []string{disputes}, open},
		"a lost dispute after one that we won":  {`"disputed":true`, []answer{list(dispute("lost", withdrawn), dispute("won", ""))}, []string{disputes}, lost},
		"a lost dispute before one that we won": {`"disputed":true`, []answer{list(dispute("won", ""), dispute("lost", withdrawn))}, []string{disputes}, lost},
		"a part refunded and the rest disputed": {
			`"amount_refunded":200,"disputed":true`,
			[]answer{list(refund("succeeded", 200)), list(dispute("needs_response", withdrawn))},
			[]string{refunds, disputes},
			checkout.Session{RefundedCents: 200, Dispute: checkout.DisputeOpen, DisputedCents: 675, DisputeFeeCents: 1500},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paid := page(`,"status":"complete","payment_status":"paid","url":null,"payment_intent":{"id":"pi_1","latest_charge":{"id":"ch_1",` + tt.charge + `}}`)
			stripe := answering(t, append([]answer{paid}, tt.answers...)...)
			got, err := newClient(t, stripe.url).Session(t.Context(), "cs_1")
			require.NoError(t, err)
			require.Equal(t, tt.want, checkout.Session{
				RefundedCents: got.RefundedCents, Dispute: got.Dispute, DisputedCents: got.DisputedCents, DisputeFeeCents: got.DisputeFeeCents,
			})
			require.Equal(t, append([]string{"GET /v1/checkout/sessions/cs_1"}, tt.calls...), stripe.calls())
			for i := range tt.calls {
				require.Equal(t, map[string]string{"payment_intent": "pi_1", "limit": "100"}, stripe.requests[i+1].params)
				broken := answering(t, append(append([]answer{paid}, tt.answers[:i]...), answer{500, ""})...)
				require.Equal(t, "stripe_broken", failure(t, second(newClient(t, broken.url).Session(t.Context(), "cs_1"))).Code, "all or nothing")
			}
		})
	}
}

func TestSessionThatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, more := range []string{`,"id":""`, `,"status":""`, `,"status":"resting"`} {
		require.Equal(t, "stripe_unclear", failure(t, second(newClient(t, answering(t, page(more)).url).Session(t.Context(), "cs_1"))).Code, more)
	}
}

// Proves: V3.7.2
func TestWhereBuyersAreSent(t *testing.T) {
	t.Parallel()
	hosts := []string{"checkout.stripe.com", "pay.zero.example:8443", "127.0.0.1:8080", "localhost", "[::1]:8080", "shop.example"}
	for name, tt := range map[string]struct {
		url string
		ok  bool
	}{
		"Stripe's own page":                     {"https://checkout.stripe.com/c/pay/cs_1#fid", true},
		"in capitals":                           {"HTTPS://Checkout.Stripe.com/c/pay/cs_1", true},
		"a page on our domain":                  {"https://pay.zero.example:8443/cs_1", true},
		"a sandbox on this machine":             {"http://127.0.0.1:8080/sandbox/stripe/pay/cs_1", true},
		"a sandbox on this machine, by version": {"http://[::1]:8080/pay/cs_1", true},
		"a host that may have any port":         {"http://localhost:4242/pay/cs_1", true},
		"without encryption":                    {"http://checkout.stripe.com/c/pay/cs_1", false},
		"without encryption, our host":          {"http://shop.example/pay", false},
		"another host":                          {"https://evil.example/checkout.stripe.com", false},
		"a host named alike":                    {"https://checkout.stripe.com.evil.example/", false},
		"a host below it":                       {"https://evil.checkout.stripe.com/", false},
		"a user that looks like the host":       {"https://checkout.stripe.com@evil.example/", false},
		"a user at the right host":              {"https://evil.example@checkout.stripe.com/", false},
		"a backslash":                           {`https://evil.example\\@checkout.stripe.com/`, false},
		"this machine at another port":          {"http://127.0.0.1:9090/pay/cs_1", false},
		"our domain at another port":            {"https://pay.zero.example/cs_1", false},
		"a script":                              {"javascript:alert(1)//checkout.stripe.com", false},
		"no scheme":                             {"//checkout.stripe.com/c/pay/cs_1", false},
		"no host":                               {"https:///c/pay/cs_1", false},
		"nothing":                               {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := answering(t, page(`,"url":"`+tt.url+`"`))
			client := newClient(t, service.url, func(c *stripe.Config) { c.PayHosts = hosts })
			opened, err := client.OpenSession(t.Context(), offer, "")
			read, readErr := client.Session(t.Context(), "cs_1")
			if tt.ok {
				require.NoError(t, err)
				require.NoError(t, readErr)
				require.Equal(t, tt.url, opened.URL)
				require.Equal(t, tt.url, read.URL)
				return
			}
			for _, err := range []error{err, readErr} {
				failed := failure(t, err)
				require.Equal(t, checkout.PaymentRefused, failed.Class)
				require.Equal(t, "stripe_strange_url", failed.Code)
			}
			require.Zero(t, opened)
		})
	}
}

// TestRedirectsAreNotFollowed: a redirect would leak the key.
// Proves: V15.3.2
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := answering(t, page(""))
	server := httptest.NewServer(http.RedirectHandler(elsewhere.url, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	require.Equal(t, "stripe_unclear", failure(t, second(newClient(t, server.URL).Session(t.Context(), "cs_1"))).Code)
	require.Empty(t, elsewhere.calls())
}

func TestCreateCoupon(t *testing.T) {
	t.Parallel()
	stripe := answering(t, answer{200, `{"object":"coupon","id":"cz-chk_1","percent_off":25}`})
	id, err := newClient(t, stripe.url).CreateCoupon(t.Context(), offer)
	require.NoError(t, err)
	require.Equal(t, "cz-chk_1", id)
	require.Equal(t, id, checkout.CouponID(offer.CheckoutID), "the ID is known before the coupon exists")

	require.Equal(t, []string{"POST /v1/coupons"}, stripe.calls())
	require.Equal(t, map[string]string{
		"id": "cz-chk_1", "name": "Your personal discount", "percent_off": "25.0000", "duration": "once", "max_redemptions": "1",
		"redeem_by": strconv.FormatInt(offer.ExpiresAt.Unix(), 10), "metadata[checkout]": "chk_1",
	}, stripe.requests[0].params)
	require.Equal(t, "checkout:chk_1:coupon:2", stripe.requests[0].header.Get("Idempotency-Key"))
}

// TestUndoing checks that repeating a step that was already done is no error.
func TestUndoing(t *testing.T) {
	t.Parallel()
	const (
		create, find, remove   = "POST /v1/coupons", "GET /v1/coupons/cz-chk_1", "DELETE /v1/coupons/cz-chk_1"
		expire, read, giveBack = "POST /v1/checkout/sessions/cs_1/expire", "GET /v1/checkout/sessions/cs_1", "POST /v1/refunds"

		invalid = "invalid_request_error"
		refused = checkout.PaymentRefused
	)
	broken := answer{500, ""}
	taken := refusing(400, invalid, "resource_already_exists", "Coupon already exists.")
	missing := refusing(404, invalid, "resource_missing", "No such thing")
	notOpen := refusing(400, invalid, "", `Only Checkout Sessions with a status in [\"open\"] can be expired.`)
	coupon := func(more string) answer { return answer{200, `{"object":"coupon","id":"cz-chk_1",` + more + `}`} }
	refund := func(status string) answer {
		return answer{200, `{"object":"refund","id":"re_1","status":"` + status + `"}`}
	}
	for name, tt := range map[string]struct {
		answers []answer
		calls   []string
		result  string // the coupon's ID, or the page's status
		class   checkout.PaymentClass
		code    string
	}{
		"a coupon that is there, from an earlier try": {[]answer{taken, coupon(`"percent_off":25`)}, []string{create, find}, "cz-chk_1", "", ""},
		"a coupon with another discount is there":     {[]answer{taken, coupon(`"percent_off":30`)}, []string{create, find}, "", refused, "stripe_resource_already_exists"},
		"a coupon of a sum is there":                  {[]answer{taken, coupon(`"amount_off":25`)}, []string{create, find}, "", refused, "stripe_resource_already_exists"},
		"a coupon that is gone again":                 {[]answer{taken, missing}, []string{create, find}, "", checkout.PaymentGone, "stripe_gone"},
		"a coupon that cannot be read":                {[]answer{taken, broken}, []string{create, find}, "", checkout.PaymentBroken, "stripe_broken"},

		"a coupon is deleted":                       {[]answer{coupon(`"deleted":true`)}, []string{remove}, "", "", ""},
		"a coupon is gone already":                  {[]answer{missing}, []string{remove}, "", "", ""},
		"a coupon is gone only when Stripe says so": {[]answer{{404, "<html>"}}, []string{remove}, "", checkout.PaymentUnreachable, "stripe_unclear"},
		"a coupon that may not be deleted":          {[]answer{refusing(400, invalid, "", "")}, []string{remove}, "", refused, "stripe_invalid_request_error"},

		"an open page":                         {[]answer{page(`,"status":"expired"`)}, []string{expire}, "expired", "", ""},
		"a page that was paid in the meantime": {[]answer{notOpen, page(`,"status":"complete"`)}, []string{expire, read}, "complete", "", ""},
		"a page that expired already":          {[]answer{notOpen, page(`,"status":"expired"`)}, []string{expire, read}, "expired", "", ""},
		"a page that stays open":               {[]answer{notOpen, page("")}, []string{expire, read}, "", refused, "stripe_invalid_request_error"},
		"a page that cannot be read then":      {[]answer{notOpen, broken}, []string{expire, read}, "", checkout.PaymentBroken, "stripe_broken"},
		"a page that Stripe does not know":     {[]answer{missing}, []string{expire}, "", checkout.PaymentGone, "stripe_gone"},
		"a page whose state is unknown":        {[]answer{broken}, []string{expire}, "", checkout.PaymentBroken, "stripe_broken"},

		"money is given back":                  {[]answer{refund("succeeded")}, []string{giveBack}, "", "", ""},
		"money is on its way":                  {[]answer{refund("pending")}, []string{giveBack}, "", "", ""},
		"money was given back already":         {[]answer{refusing(400, invalid, "charge_already_refunded", "")}, []string{giveBack}, "", "", ""},
		"money could not be given back":        {[]answer{refund("failed")}, []string{giveBack}, "", refused, "stripe_refund_failed"},
		"money was taken back":                 {[]answer{refund("canceled")}, []string{giveBack}, "", refused, "stripe_refund_failed"},
		"money that the bank disputes already": {[]answer{refusing(400, invalid, "charge_disputed", "")}, []string{giveBack}, "", refused, "stripe_charge_disputed"},
		"money of which there is no payment":   {[]answer{missing}, []string{giveBack}, "", checkout.PaymentGone, "stripe_gone"},
		"a refund whose state is unknown":      {[]answer{broken}, []string{giveBack}, "", checkout.PaymentBroken, "stripe_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripe := answering(t, tt.answers...)
			client := newClient(t, stripe.url)
			var result string
			var err error
			switch tt.calls[0] {
			case create:
				result, err = client.CreateCoupon(t.Context(), offer)
			case remove:
				err = client.DeleteCoupon(t.Context(), "cz-chk_1")
			case expire:
				var closed checkout.Session
				closed, err = client.ExpireSession(t.Context(), "cs_1")
				result = string(closed.Status)
			case giveBack:
				err = client.Refund(t.Context(), "pi_1", "refund:chk_1")
				require.Equal(t, map[string]string{"payment_intent": "pi_1"}, stripe.requests[0].params)
				require.Equal(t, "refund:chk_1", stripe.requests[0].header.Get("Idempotency-Key"))
			}
			require.Equal(t, tt.calls, stripe.calls())
			require.Equal(t, tt.result, result)
			if tt.class == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.class, failure(t, err).Class)
			require.Equal(t, tt.code, failure(t, err).Code)
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	const sandbox, real = "http://127.0.0.1:4242", "https://api.stripe.com"
	for name, tt := range map[string]struct {
		key, base string
		live      bool
		err       string
	}{
		"a test key":                           {key: "sk_test_a1", base: sandbox},
		"a restricted test key":                {key: "rk_test_a1", base: sandbox},
		"a test key that has live in it":       {key: "sk_test_sk_live_", base: sandbox},
		"a test key for the real Stripe":       {key: "sk_test_a1"},
		"a live key":                           {key: "sk_live_a1", live: true},
		"a live key, and the address in full":  {key: "sk_live_a1", base: real + "/", live: true},
		"a restricted live key":                {key: "rk_live_a1", base: real, live: true},
		"a live key for a sandbox":             {key: "sk_live_a1", base: sandbox, err: "STRIPE_SECRET_KEY is a live key"},
		"a restricted live key for a sandbox":  {key: "rk_live_a1", base: sandbox, err: "STRIPE_SECRET_KEY is a live key"},
		"a live key for a place named alike":   {key: "sk_live_a1", base: real + ".evil.example", err: "STRIPE_SECRET_KEY is a live key"},
		"a live key without encryption":        {key: "sk_live_a1", base: "http://api.stripe.com", err: "STRIPE_SECRET_KEY is a live key"},
		"no key":                               {base: sandbox, err: "STRIPE_SECRET_KEY is not set"},
		"a key that is made to be public":      {key: "pk_test_a1", base: sandbox, err: "not a secret key"},
		"a key for webhooks":                   {key: "whsec_a1", base: sandbox, err: "not a secret key"},
		"a key with nothing behind its prefix": {key: "sk_test_", base: sandbox, err: "not a secret key"},
		"a key with a line break":              {key: "sk_test_a1\n", base: sandbox, err: "not a secret key"},
		"an address without a scheme":          {key: "sk_test_a1", base: "127.0.0.1:4242", err: "STRIPE_BASE_URL"},
		"an address with a password":           {key: "sk_test_a1", base: "http://user:a1@127.0.0.1", err: "STRIPE_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := stripe.New(stripe.Config{SecretKey: tt.key, BaseURL: tt.base, Product: "Founding membership"})
			if tt.err == "" {
				require.NoError(t, err)
				require.Equal(t, tt.live, client.Live())
				return
			}
			require.ErrorContains(t, err, tt.err)
			require.NotContains(t, err.Error(), "a1")
			require.NotContains(t, err.Error(), "127.0.0.1")
		})
	}
	_, err := stripe.New(stripe.Config{SecretKey: key})
	require.ErrorContains(t, err, "product")
}
