package stripe

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"customerzero/internal/platform/telemetry"
)

const maxAnswer = 4 << 20 // bytes; a full page of events is a tenth of it. What is longer is cut, and then no JSON

// listener lets through to the library only what Stripe said: whole answers of a sane size, in
// Stripe's form. The library keeps the status of nothing else, and quotes it in its errors. So
// the rest is classified here, where its status is known, and ends as a *checkout.PaymentError.
//
// Under it, net/http may send again what failed on a worn connection. That is harmless: the
// idempotency key is the same.
type listener struct{ next http.RoundTripper }

func newListener() listener {
	return listener{next: telemetry.Transport(http.DefaultTransport.(*http.Transport).Clone())}
}

func (l listener) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close() // read, or given up
	switch failed := failureOf(resp.StatusCode); {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case !isStripes(resp.StatusCode, body):
		return nil, unclear()
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// isStripes tells Stripe's answers from those of whatever else may stand at the address.
func isStripes(status int, body []byte) bool {
	var said struct {
		Object string          `json:"object"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return false
	}
	return status/100 == 2 && said.Object != "" || status/100 == 4 && said.Error != nil
}
