package stripe_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/testwait"
)

const (
	key   = "sk_test_0123456789"
	buyer = "buyer@example.test"
)

// noon is the time of the tests' offers and webhooks.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var offer = checkout.Offer{
	CheckoutID: "chk_1", ListCents: 900, DiscountPercent: 25, Attempt: 2, ExpiresAt: noon.Add(31 * time.Minute),
	SuccessURL: "https://zero.example/paid?s={CHECKOUT_SESSION_ID}", CancelURL: "https://zero.example/cancelled",
}

func newClient(t *testing.T, baseURL string, changes ...func(*stripe.Config)) *stripe.Client {
	t.Helper()
	config := stripe.Config{SecretKey: key, BaseURL: baseURL, Product: "Founding membership", Timeout: testwait.Limit}
	for _, change := range changes {
		change(&config)
	}
	client, err := stripe.New(config)
	require.NoError(t, err)
	return client
}

// failure returns the error of a call, and checks that it contains no secret.
func failure(t *testing.T, err error) *checkout.PaymentError {
	t.Helper()
	require.Error(t, err)
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	require.True(t, ok, "%T", err)
	require.NotEmpty(t, failed.Message)
	require.Regexp(t, `^stripe_[a-z0-9_]+$`, failed.Code)
	for _, secret := range []string{key, key[8:], buyer, "cs_test_token", "127.0.0.1", "<html"} {
		require.NotContains(t, failed.Error(), secret)
	}
	return failed
}

type request struct {
	call   string // GET /v1/…
	params map[string]string
	header http.Header
}

type answer struct {
	status int
	body   string
}

// stub is a server that returns its answers in order, repeating the last.
type stub struct {
	url      string
	mu       sync.Mutex
	answers  []answer
	requests []request
}

func answering(t *testing.T, answers ...answer) *stub {
	t.Helper()
	s := &stub{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	params := map[string]string{}
	for name, values := range r.Form {
		params[name] = values[0]
	}
	s.requests = append(s.requests, request{call: r.Method + " " + r.URL.Path, params: params, header: r.Header})
	now := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	w.WriteHeader(now.status)
	_, _ = io.WriteString(w, now.body)
}

// refusing is an error response in Stripe's format.
func refusing(status int, kind, code, message string) answer {
	return answer{status, `{"error":{"type":"` + kind + `","code":"` + code + `","message":"` + message + `"}}`}
}

func (s *stub) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []string
	for _, r := range s.requests {
		calls = append(calls, r.call)
	}
	return calls
}
