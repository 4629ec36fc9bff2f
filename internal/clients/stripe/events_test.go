package stripe_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
)

const (
	completed = `{"object":"event","id":"evt_1","type":"checkout.session.completed","created":1795176000,"livemode":true,
		"data":{"object":{"object":"checkout.session","id":"cs_1","client_reference_id":"chk_1","metadata":{},"payment_intent":"pi_1"}}}`
	refunded = `{"object":"event","id":"evt_2","type":"charge.refunded","created":1795176000,"livemode":false,
		"data":{"object":{"object":"charge","id":"ch_1","payment_intent":"pi_1"},"previous_attributes":{"amount_refunded":0}}}`
)

// told are the two above, as ours.
var (
	happened      = time.Unix(1795176000, 0).UTC()
	toldCompleted = checkout.Event{ID: "evt_1", Type: "checkout.session.completed", SessionID: "cs_1", CheckoutID: "chk_1", Live: true, CreatedAt: happened}
	toldRefunded  = checkout.Event{ID: "evt_2", Type: "charge.refunded", PaymentIntent: "pi_1", CreatedAt: happened}
)

func events(more bool, events ...string) answer {
	return answer{200, fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s]}`, more, strings.Join(events, ","))}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	stripe := answering(t, events(true, refunded), events(false, completed))
	got, err := newClient(t, stripe.url).Events(t.Context(), noon, 250)
	require.NoError(t, err)
	require.Equal(t, []checkout.Event{toldCompleted, toldRefunded}, got, "Stripe gives the newest first, we the oldest")

	want := map[string]string{
		"created[gte]": strconv.FormatInt(noon.Unix(), 10), "limit": "100",
		"types[0]": "checkout.session.completed", "types[1]": "checkout.session.async_payment_succeeded", "types[2]": "charge.refunded",
	}
	require.Equal(t, []string{"GET /v1/events", "GET /v1/events"}, stripe.asked())
	require.Equal(t, want, stripe.requests[0].params)
	want["starting_after"] = "evt_2"
	require.Equal(t, want, stripe.requests[1].params)
}

// TestEventsAreTheOldest: whoever asks again from the last one on misses none.
// Proves: F17
func TestEventsAreTheOldest(t *testing.T) {
	t.Parallel()
	const pages = 3
	for name, tt := range map[string]struct{ most, got, asked int }{
		"none are wanted":      {most: -1, got: 0, asked: 0},
		"fewer than a page":    {most: 1, got: 1, asked: pages},
		"more than a page":     {most: 3, got: 3, asked: pages},
		"as many as there are": {most: 6, got: 6, asked: pages},
		"more than there are":  {most: 7, got: 6, asked: pages},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oldest := events(false, strings.Replace(refunded, "evt_2", "evt_0", 1), completed)
			stripe := answering(t, events(true, refunded, refunded), events(true, refunded, refunded), oldest)
			got, err := newClient(t, stripe.url).Events(t.Context(), noon, tt.most)
			require.NoError(t, err)
			require.Len(t, got, tt.got)
			require.Len(t, stripe.asked(), tt.asked)
			if tt.got > 0 {
				require.Equal(t, toldCompleted, got[0])
			}
		})
	}
}

// TestEventsStopWithTheCaller: a list may be longer than anybody can wait for.
func TestEventsStopWithTheCaller(t *testing.T) {
	t.Parallel()
	endless := answering(t, events(true, refunded))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got, err := newClient(t, endless.url).Events(ctx, noon, 1)
	require.Equal(t, "stripe_timeout", said(t, err).Code)
	require.Empty(t, got)
}

// TestEventsAreAllOrNone: half a list would look like a quiet day.
// Proves: F17
func TestEventsAreAllOrNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		second answer
		code   string
	}{
		"the second page fails":           {answer{500, ""}, "stripe_broken"},
		"the second page has a non-event": {events(false, `null`), "stripe_unclear"},
		"an event is about nothing":       {events(false, `{"id":"evt_3","type":"charge.refunded","data":{"object":{}}}`), "stripe_unclear"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newClient(t, answering(t, events(true, refunded), tt.second).url).Events(t.Context(), noon, 250)
			require.Equal(t, tt.code, said(t, err).Code)
			require.Empty(t, got)
		})
	}
}
