package stripe_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
)

// calls makes every call of the client.
func calls(c *stripe.Client) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"create coupon":  func(ctx context.Context) error { return second(c.CreateCoupon(ctx, offer)) },
		"delete coupon":  func(ctx context.Context) error { return c.DeleteCoupon(ctx, "cz-chk_1") },
		"open session":   func(ctx context.Context) error { return second(c.OpenSession(ctx, offer, "")) },
		"read session":   func(ctx context.Context) error { return second(c.Session(ctx, "cs_1")) },
		"expire session": func(ctx context.Context) error { return second(c.ExpireSession(ctx, "cs_1")) },
		"refund":         func(ctx context.Context) error { return c.Refund(ctx, "pi_1", "refund:1") },
		"events":         func(ctx context.Context) error { return second(c.Events(ctx, noon, 10)) },
	}
}

// second returns the error of a call with a result.
func second[T any](_ T, err error) error { return err }

// allFail makes every call and checks its error.
func allFail(t *testing.T, client *stripe.Client, class checkout.PaymentClass, code, message string) {
	t.Helper()
	for name, call := range calls(client) {
		failed := failure(t, call(t.Context()))
		require.Equal(t, class, failed.Class, name)
		require.Equal(t, code, failed.Code, name)
		require.Contains(t, failed.Message, message, name)
	}
}

// Proves: F19
func TestAnswersThatSayNo(t *testing.T) {
	t.Parallel()
	const invalid = "invalid_request_error"
	page := "<html>" + buyer + key + "</html>"
	for name, tt := range map[string]struct {
		answer answer
		class  checkout.PaymentClass
		code   string
	}{
		"Stripe is broken":                    {refusing(500, "api_error", "", "Oops"), checkout.PaymentBroken, "stripe_broken"},
		"something before Stripe is broken":   {answer{502, page}, checkout.PaymentBroken, "stripe_broken"},
		"Stripe is away":                      {answer{503, ""}, checkout.PaymentBroken, "stripe_broken"},
		"too many requests":                   {refusing(429, invalid, "rate_limit", ""), checkout.PaymentLimited, "stripe_limited"},
		"too many requests, not in JSON":      {answer{429, page}, checkout.PaymentLimited, "stripe_limited"},
		"the key is in use":                   {refusing(409, "idempotency_error", "idempotency_key_in_use", ""), checkout.PaymentUnreachable, "stripe_in_progress"},
		"the key is wrong":                    {refusing(401, invalid, "", "Invalid API Key provided: "+key), checkout.PaymentForbidden, "stripe_forbidden"},
		"the key may not do this":             {refusing(403, invalid, "", "The key "+key+" does not have"), checkout.PaymentForbidden, "stripe_forbidden"},
		"something it names is missing":       {refusing(400, invalid, "resource_missing", "No such coupon"), checkout.PaymentRefused, "stripe_resource_missing"},
		"there is no such address":            {refusing(404, invalid, "", "Unrecognized request URL"), checkout.PaymentRefused, "stripe_invalid_request_error"},
		"the key was used for something else": {refusing(400, "idempotency_error", "", ""), checkout.PaymentBroken, "stripe_idempotency_error"},
		"the price is too low":                {refusing(400, invalid, "amount_too_small", ""), checkout.PaymentRefused, "stripe_amount_too_small"},
		"an invalid code":                     {refusing(400, invalid, buyer, ""), checkout.PaymentRefused, "stripe_refused"},
		"a page instead of JSON":              {answer{200, page}, checkout.PaymentUnreachable, "stripe_unclear"},
		"a page for what is not there":        {answer{404, page}, checkout.PaymentUnreachable, "stripe_unclear"},
		"JSON of another service":             {answer{200, `{"status":"ok"}`}, checkout.PaymentUnreachable, "stripe_unclear"},
		"another service's error":             {answer{404, `{"error":"not found, ` + buyer + `"}`}, checkout.PaymentUnreachable, "stripe_unreachable"},
		"half of JSON":                        {answer{200, `{"object":"coupon","id"`}, checkout.PaymentUnreachable, "stripe_unclear"},
		"nothing":                             {answer{200, ""}, checkout.PaymentUnreachable, "stripe_unclear"},
		"another kind of thing":               {answer{200, `{"object":"x","id":{"` + buyer + `":1},"data":1}`}, checkout.PaymentUnreachable, "stripe_unreachable"},
		"a redirect":                          {answer{302, `{"object":"coupon","id":"cz-chk_1"}`}, checkout.PaymentUnreachable, "stripe_unclear"},
		"an answer without end":               {answer{200, `{"object":"coupon","name":"` + strings.Repeat("a", 5<<20) + `"}`}, checkout.PaymentUnreachable, "stripe_unclear"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			allFail(t, newClient(t, answering(t, tt.answer).url), tt.class, tt.code, "")
		})
	}
}

func TestStripesWords(t *testing.T) {
	t.Parallel()
	const own = "Stripe refused the request without giving a reason."
	for name, tt := range map[string]struct{ words, message string }{
		"messages about cards are not repeated, as they may name the buyer": {"The card of Ann Example was declined", own},

		"harmless words are repeated": {"Invalid integer: 9.5", "Stripe refused the request: Invalid integer: 9.5"},
		"white space is put in order": {`Invalid\n\t integer`, "Stripe refused the request: Invalid integer"},
		"long words are cut":          {strings.Repeat("no ", 100), "Stripe refused the request: " + strings.TrimSpace(strings.Repeat("no ", 67))[:200] + "…"},
		"an address is hidden":        {"Invalid email: " + buyer, own},
		"an encoded address too":      {"Invalid email: buyer%40example.test", own},
		"a key is hidden":             {"Invalid value: " + key, own},
		"a key in part too":           {"Invalid value: ****6789", own},
		"a link is hidden":            {"Not a valid URL: https://zero.example/paid", own},
		"a key behind much else":      {strings.Repeat("no ", 100) + key, own},
		"a token is hidden":           {"No such token: tok_1", own},
		"no message":                  {"", own},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := "invalid_request_error"
			if strings.Contains(tt.words, "card") {
				kind = "card_error"
			}
			client := newClient(t, answering(t, refusing(402, kind, "parameter_invalid", tt.words)).url)
			failed := failure(t, second(client.OpenSession(t.Context(), offer, "")))
			require.Equal(t, tt.message, failed.Message)
			require.Equal(t, "stripe_parameter_invalid", failed.Code)
		})
	}
}

// TestNoAnswer checks that the outcome is unknown if there is no complete response.
// Proves: F19
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	for name, tt := range map[string]struct {
		serve func(net.Conn)
		code  string
	}{
		"Stripe never answers":           {func(net.Conn) {}, "stripe_timeout"},
		"the answer never ends":          {func(conn net.Conn) { _, _ = io.WriteString(conn, head+"{") }, "stripe_timeout"},
		"the connection is cut":          {leaving(""), "stripe_unreachable"},
		"the answer is cut":              {leaving(head + `{"object":"coupon"`), "stripe_unreachable"},
		"what comes is not HTTP":         {leaving("220 hello\r\n"), "stripe_unreachable"},
		"a refusal is cut":               {leaving("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n" + `{"error":`), "stripe_unreachable"},
		"a cut answer says it is broken": {leaving("HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{"), "stripe_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, wire(t, tt.serve), func(c *stripe.Config) {
				if tt.code == "stripe_timeout" {
					c.Timeout = 100 * time.Millisecond
				}
			})
			class := checkout.PaymentUnreachable
			if tt.code == "stripe_broken" {
				class = checkout.PaymentBroken
			}
			allFail(t, client, class, tt.code, "")
		})
	}
}

// Proves: F19
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	for url, hint := range map[string]string{
		"http://127.0.0.1:1":    "refused",
		"http://no..such..name": "name is not found",
		strings.Replace(wire(t, leaving("220 hello\r\n")), "http", "https", 1): "not secure",
	} {
		allFail(t, newClient(t, url), checkout.PaymentUnreachable, "stripe_unreachable", hint)
	}
}

// Proves: F19
func TestTheCallersTime(t *testing.T) {
	t.Parallel()
	for name := range calls(nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			client := newClient(t, wire(t, func(net.Conn) { cancel() }))
			failed := failure(t, calls(client)[name](ctx))
			require.Equal(t, checkout.PaymentUnreachable, failed.Class)
			require.Contains(t, failed.Message, "shutting down")

			ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()
			require.Equal(t, "stripe_timeout", failure(t, calls(client)[name](ctx)).Code)
		})
	}
}

// TestNothingIsTriedTwice: retries are up to the callers.
// Proves: F19
func TestNothingIsTriedTwice(t *testing.T) {
	t.Parallel()
	for name := range calls(nil) {
		for _, status := range []int{409, 429, 500, 503} {
			stripe := answering(t, refusing(status, "api_error", "lock_timeout", ""))
			require.Error(t, calls(newClient(t, stripe.url))[name](t.Context()))
			require.Len(t, stripe.calls(), 1, "%s %d", name, status)
		}
	}
}

// wire is a server that reads a request from each connection and then calls serve.
func wire(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			t.Cleanup(func() { _ = conn.Close() })
			serve(conn)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// leaving sends text and closes the connection.
func leaving(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}
