package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/problem"
)

const hookSecret = "whsec_canary0of0the0webhooks"

// wired reads webhooks as the product does.
type wired struct{}

func (wired) ReadEvent(payload []byte, signature string, now time.Time) (checkout.Event, error) {
	return stripe.ReadEvent(payload, signature, []string{hookSecret}, now)
}

// sign is Stripe's way: the digest of the time and the body, under a secret.
func sign(body, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// stripesWords is an event about a checkout's page, as Stripe words it.
func stripesWords(checkoutID, version string) string {
	return fmt.Sprintf(`{"id":"evt_1","object":"event","api_version":%q,"type":"checkout.session.completed","created":%d,"data":{"object":{"id":"cs_%s","client_reference_id":%q}}}`,
		version, now.Unix(), checkoutID, checkoutID)
}

// awaitsPayment is a world with a checkout whose page is open.
func awaitsPayment(t *testing.T) (w *world, checkoutID string) {
	t.Helper()
	w = newWorld(t)
	w.server.Webhooks = wired{}
	w.canaries.add(hookSecret)
	return w, read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
}

// Whoever forges a webhook changes nothing, is told nothing, and leaves one line.
// Proves: F16
func TestForgedWebhooksLeaveOneLineAndNoTrace(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(body string) (signature, sent string){
		"by another's secret": func(body string) (string, string) { return sign(body, "whsec_other", now), body },
		"by no secret":        func(body string) (string, string) { return sign(body, "", now), body },
		"five minutes late":   func(body string) (string, string) { return sign(body, hookSecret, now.Add(-301*time.Second)), body },
		"from the future":     func(body string) (string, string) { return sign(body, hookSecret, now.Add(301*time.Second)), body },
		"with another body": func(body string) (string, string) {
			return sign(body, hookSecret, now), strings.Replace(body, "evt_1", "evt_2", 1)
		},
		"with a blank more": func(body string) (string, string) { return sign(body, hookSecret, now), body + " " },
		"with no signature": func(body string) (string, string) { return "", body },
		"with an old version": func(body string) (string, string) {
			return strings.Replace(sign(body, hookSecret, now), "v1", "v0", 1), body
		},
		"with another time": func(body string) (string, string) {
			return "t=1," + strings.SplitAfter(sign(body, hookSecret, now), ",")[1], body
		},
		"with a line break": func(body string) (string, string) {
			return sign(body, "whsec_other", now) + `,x="\n level=INFO msg=paid"`, body
		},
		"with its own secret":  func(body string) (string, string) { return sign(body, body, now), body },
		"with a cut signature": func(body string) (string, string) { s := sign(body, hookSecret, now); return s[:len(s)-2], body },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, id := awaitsPayment(t)
			before, orders := w.rows(t), w.runs.told()
			signature, body := forge(stripesWords(id, "2023-10-16"))
			rec := w.hook(t, signature, body)
			require.Equal(t, http.StatusBadRequest, rec.Code)
			p := problemOf(t, rec)
			require.Equal(t, problem.SignatureInvalid, p.Code)
			require.Equal(t, before, w.rows(t))
			require.Equal(t, orders, w.runs.told())

			var lines []string
			for line := range strings.Lines(journal.String()) {
				if strings.Contains(line, p.RequestID) && !strings.Contains(line, "level=DEBUG") {
					lines = append(lines, line)
				}
			}
			require.Len(t, lines, 1, "whoever looks for it finds it, once")
			require.Contains(t, lines[0], "a webhook was refused")
			require.False(t, signature != "" && strings.Contains(lines[0], signature), "and nothing of what a stranger wrote")
		})
	}
}

// Stripe may speak another version of its API, and say a thing twenty times at once: it is believed
// by its signature, and heeded once.
// Proves: F14
func TestTwentyWebhooksAtOnceAreOneFact(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2023-10-16", "2031-01-01.tulip"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w, id := awaitsPayment(t)
			body := stripesWords(id, version)
			signature := sign(body, hookSecret, now)
			var all sync.WaitGroup
			statuses := make([]int, 20)
			for i := range statuses {
				req := w.request(t, call{method: http.MethodPost, path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": signature}})
				all.Go(func() { statuses[i] = w.answer(t, req).Code })
			}
			all.Wait()
			for _, status := range statuses {
				require.Equal(t, ok, status)
			}
			require.Equal(t, 1, w.count(t, "SELECT count(*) FROM payment_events WHERE heeded_at IS NOT NULL"))
			require.Contains(t, w.runs.told(), "heed payment "+id)
			heeded := len(w.runs.told())
			require.Equal(t, ok, w.hook(t, signature, body).Code)
			require.Len(t, w.runs.told(), heeded, "what was heeded is not heeded again")
		})
	}
}
