package stripe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"

	"customerzero/internal/platform/testwait"
)

// TestStripesOwnDescription replays every request at Stripe's own mock, which implements Stripe's published API
// description, and compares the structure of the responses.
func TestStripesOwnDescription(t *testing.T) {
	t.Parallel()
	mock := startMock(t)
	recorder := &recorder{}
	w := newWorld(t)
	w.api = w.client(&http.Client{Transport: recorder, Timeout: testwait.Limit})
	w.playEverything()

	seen := map[string]bool{}
	for _, e := range recorder.exchanges {
		theirs := mock.replay(t, e)
		check(t, e.method+" "+e.path, decode(t, e.answer), theirs)
		seen[e.method+" "+e.path] = true
	}
	require.GreaterOrEqual(t, len(seen), len(endpoints()))
	for _, event := range w.sandbox.Events() {
		object := decode(t, event.Payload)["data"].(wire)["object"].(wire)
		path := map[string]string{
			"checkout.session": "/v1/checkout/sessions/x", "payment_intent": "/v1/payment_intents/x", "charge": "/v1/charges/x",
			"refund": "/v1/refunds/x", "dispute": "/v1/disputes/x",
		}[object["object"].(string)]
		check(t, event.Type, object, mock.replay(t, exchange{method: http.MethodGet, path: path}))
	}
}

// playEverything makes every supported call.
func (w *world) playEverything() {
	t := w.t
	t.Helper()
	labelled := w.couponParams("cz-1", 25)
	labelled.Name = stripego.String("For you")
	labelled.AddMetadata("checkout", "chk_1")
	_, err := w.api.Coupons.New(labelled)
	require.NoError(t, err)
	w.readCoupon()

	ended := w.session("cz-1")
	w.pay(ended.ID, badCard, buyer)
	w.read(ended.ID)
	_, err = w.api.CheckoutSessions.Expire(ended.ID, nil)
	require.NoError(t, err)
	paid := w.paid()
	_, err = w.refund(paid.PaymentIntent.ID)
	require.NoError(t, err)
	for _, action := range []string{"fail-refund", "dispute", "win-dispute"} {
		require.NoError(t, w.sandbox.Act(action, paid.ID))
	}
	require.True(t, w.api.Refunds.List(&stripego.RefundListParams{PaymentIntent: &paid.PaymentIntent.ID}).Next())
	require.True(t, w.api.Disputes.List(&stripego.DisputeListParams{PaymentIntent: &paid.PaymentIntent.ID}).Next())
	events := &stripego.EventListParams{
		Types:        []*string{stripego.String("checkout.session.completed"), stripego.String("charge.refunded")},
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: 1},
	}
	events.Limit = stripego.Int64(50)
	require.True(t, w.api.Events.List(events).Next())
	_, err = w.api.Coupons.Del("cz-1", nil)
	require.NoError(t, err)
}

// exchange is a request and its response.
type exchange struct {
	method, path, query string
	body, answer        []byte
}

// recorder is a transport that records exchanges.
type recorder struct {
	mu        sync.Mutex
	exchanges []exchange
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	e := exchange{method: request.Method, path: request.URL.Path, query: request.URL.RawQuery}
	if request.Body != nil {
		e.body, _ = io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(e.body))
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	e.answer, err = io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(e.answer))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, e)
	return response, err
}

// mock is Stripe's mock server.
type mock struct{ url string }

// startMock builds the mock that tools/go.mod names, and runs it until the test ends.
func startMock(t *testing.T) mock {
	t.Helper()
	program, err := filepath.Abs("../../../bin/stripe-mock")
	require.NoError(t, err)
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../../../tools", "-o", program, "github.com/stripe/stripe-mock")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := exec.CommandContext(t.Context(), program, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	stdout, err := run.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait() // it was killed
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if address, found := strings.CutPrefix(lines.Text(), "Listening for HTTP at address: "); found {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return mock{url: "http://" + address}
		}
	}
	require.Fail(t, "the mock printed no address")
	return mock{}
}

// replay sends a request to the mock and returns its response, which must be a success.
func (m mock) replay(t *testing.T, e exchange) wire {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), e.method, m.url+e.path+"?"+e.query, bytes.NewReader(e.body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer sk_test_123")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := testwait.Client.Do(request)
	require.NoError(t, err)
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "%s %s?%s %s: %s", e.method, e.path, e.query, e.body, content)
	return decode(t, content)
}

func decode(t *testing.T, raw []byte) (object wire) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &object), "%s", raw)
	return object
}

// unchecked are the parts whose fields the mock does not show: metadata and the objects of events.
var unchecked = regexp.MustCompile(`(\.metadata|^GET /v1/events\.data\.data\.object)$`)

// check fails if our value has fields that theirs lacks, or another type. Null matches everything.
func check(t *testing.T, path string, ours, theirs any) {
	t.Helper()
	if ours == nil || theirs == nil {
		return
	}
	require.Equal(t, fmt.Sprintf("%T", theirs), fmt.Sprintf("%T", ours), path)
	switch mine := ours.(type) {
	case wire:
		for name, value := range mine {
			other, known := theirs.(wire)[name]
			require.True(t, known || unchecked.MatchString(path), "%s.%s is not in the description", path, name)
			check(t, path+"."+name, value, other)
		}
	case []any:
		if others := theirs.([]any); len(others) > 0 {
			for _, value := range mine {
				check(t, path, value, others[0])
			}
		}
	}
}
