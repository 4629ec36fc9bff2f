package stripe_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
)

// Only who has the secret is heard, and what is heard can be written down.
func FuzzWebhook(f *testing.F) {
	now := signed(completed, secret, noon)
	for _, header := range []string{
		"", now, now[:len(now)-2], "t=1,v1=", strings.Replace(now, "v1=", "v1=00,v1=", 1), "t=9223372036854775807,v1=00", "t=,,=,v1", "v1=" + strings.Repeat("0", 64),
	} {
		f.Add(completed, header)
	}
	for _, body := range []string{
		`{}`, `null`, `[]`, `{"id":"evt_1","type":"charge.refunded"}`, `{"id":"evt_1","type":"charge.refunded","data":null}`,
		`{"id":"evt_1","type":"checkout.session.completed","data":{"object":{"id":7}}}`, `{"id":"evt_1","type":"x","data":{"object":{}},"created":99999999999999}`,
		`{"id":"evt_1","type":"charge.refunded","data":{"object":{"id":"ch_1","payment_intent":{"id":"pi_1"}}}}`, `{"id":"evt_1","type":"charge.x","data":{"object":"ch_1"}}`,
		strings.Repeat("[", 10_001), "\xff",
	} {
		f.Add(body, "")
	}
	f.Fuzz(func(t *testing.T, body, header string) {
		event, err := stripe.ReadEvent([]byte(body), header, []string{secret}, noon)
		if !errors.Is(err, stripe.ErrForged) {
			require.True(t, isSigned(body, header), header)
		} else {
			require.Zero(t, event)
		}
		event, err = stripe.ReadEvent([]byte(body), signed(body, secret, noon), []string{older, secret}, noon)
		if err != nil {
			require.ErrorIs(t, err, stripe.ErrUnreadable)
			require.Equal(t, checkout.Event{}, event)
			return
		}
		require.NotEmpty(t, event.ID)
		require.NotEmpty(t, event.Type)
		_, err = json.Marshal(event)
		require.NoError(t, err, "its time can be written")
	})
}

// isSigned says whether a header holds a signature that was made with the secret in these ten minutes.
func isSigned(body, header string) bool {
	for second := range 601 {
		_, mac, _ := strings.Cut(signed(body, secret, noon.Add(time.Duration(second-300)*time.Second)), "v1=")
		if strings.Contains(strings.ToLower(header), mac) {
			return true
		}
	}
	return false
}
