package stripe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v76/webhook"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
)

const (
	completed = `{"object":"event","id":"evt_1","type":"checkout.session.completed","created":1795176000,"livemode":true,
		"data":{"object":{"object":"checkout.session","id":"cs_1","client_reference_id":"chk_1","metadata":{},"payment_intent":"pi_1"}}}`
	refunded = `{"object":"event","id":"evt_2","type":"charge.refunded","created":1795176000,"livemode":false,
		"data":{"object":{"object":"charge","id":"ch_1","payment_intent":"pi_1"},"previous_attributes":{"amount_refunded":0}}}`
)

// wantCompleted and wantRefunded are these two events as we read them.
var (
	happened      = time.Unix(1795176000, 0).UTC()
	wantCompleted = checkout.Event{ID: "evt_1", Type: "checkout.session.completed", SessionID: "cs_1", CheckoutID: "chk_1", Live: true, CreatedAt: happened}
	wantRefunded  = checkout.Event{ID: "evt_2", Type: "charge.refunded", PaymentIntent: "pi_1", CreatedAt: happened}
)

func events(more bool, events ...string) answer {
	return answer{200, fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s]}`, more, strings.Join(events, ","))}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	stripe := answering(t, events(true, refunded), events(false, completed))
	got, err := newClient(t, stripe.url).Events(t.Context(), noon, 250)
	require.NoError(t, err)
	require.Equal(t, []checkout.Event{wantCompleted, wantRefunded}, got, "oldest first")

	want := map[string]string{
		"created[gte]": strconv.FormatInt(noon.Unix(), 10), "limit": "100",
		"types[0]": "checkout.session.completed", "types[1]": "checkout.session.async_payment_succeeded", "types[2]": "charge.refunded",
		"types[3]": "charge.refund.updated", "types[4]": "refund.created", "types[5]": "refund.updated", "types[6]": "refund.failed",
		"types[7]": "charge.dispute.created", "types[8]": "charge.dispute.updated", "types[9]": "charge.dispute.closed",
		"types[10]": "charge.dispute.funds_withdrawn", "types[11]": "charge.dispute.funds_reinstated",
	}
	require.Equal(t, []string{"GET /v1/events", "GET /v1/events"}, stripe.calls())
	require.Equal(t, want, stripe.requests[0].params)
	want["starting_after"] = "evt_2"
	require.Equal(t, want, stripe.requests[1].params)
}

// TestEventsAreTheOldest: a caller that continues from the last event misses none.
// Proves: F17
func TestEventsAreTheOldest(t *testing.T) {
	t.Parallel()
	const pages = 3
	for name, tt := range map[string]struct{ most, got, calls int }{
		"none are wanted":      {most: -1, got: 0, calls: 0},
		"fewer than a page":    {most: 1, got: 1, calls: pages},
		"more than a page":     {most: 3, got: 3, calls: pages},
		"as many as there are": {most: 6, got: 6, calls: pages},
		"more than there are":  {most: 7, got: 6, calls: pages},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oldest := events(false, strings.Replace(refunded, "evt_2", "evt_0", 1), completed)
			stripe := answering(t, events(true, refunded, refunded), events(true, refunded, refunded), oldest)
			got, err := newClient(t, stripe.url).Events(t.Context(), noon, tt.most)
			require.NoError(t, err)
			require.Len(t, got, tt.got)
			require.Len(t, stripe.calls(), tt.calls)
			if tt.got > 0 {
				require.Equal(t, wantCompleted, got[0])
			}
		})
	}
}

// TestEventsStopWithTheCaller uses an endless list.
func TestEventsStopWithTheCaller(t *testing.T) {
	t.Parallel()
	endless := answering(t, events(true, refunded))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got, err := newClient(t, endless.url).Events(ctx, noon, 1)
	require.Equal(t, "stripe_timeout", failure(t, err).Code)
	require.Empty(t, got)
}

// TestEventsAreAllOrNone: a partial list looks like a complete one.
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
		got, err := newClient(t, answering(t, events(true, refunded), tt.second).url).Events(t.Context(), noon, 250)
		require.Equal(t, tt.code, failure(t, err).Code, name)
		require.Empty(t, got, name)
	}
}

const secret, older = "whsec_new", "whsec_old"

// signed returns the header that Stripe would send.
func signed(body, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(body), Secret: secret, Timestamp: at}).Header
}

// also adds the other header's signature.
func also(header, other string) string {
	return header + other[strings.Index(other, ",v1="):]
}

// Proves: F16
func TestReadEvent(t *testing.T) {
	t.Parallel()
	now := signed(completed, secret, noon)
	for name, tt := range map[string]struct {
		body, header string // empty: an event, signed now
		secrets      []string
		err          error
	}{
		"signed now":                              {},
		"signed five minutes ago":                 {header: signed(completed, secret, noon.Add(-300*time.Second))},
		"signed more than five minutes ago":       {header: signed(completed, secret, noon.Add(-301*time.Second)), err: stripe.ErrForged},
		"signed five minutes from now":            {header: signed(completed, secret, noon.Add(300*time.Second))},
		"signed more than five minutes from now":  {header: signed(completed, secret, noon.Add(301*time.Second)), err: stripe.ErrForged},
		"signed in an hour":                       {header: signed(completed, secret, noon.Add(time.Hour)), err: stripe.ErrForged},
		"signed with another secret":              {header: signed(completed, "whsec_other", noon), err: stripe.ErrForged},
		"signed with the older secret":            {header: signed(completed, older, noon), secrets: []string{secret, older}},
		"signed with a secret that is over":       {header: signed(completed, older, noon), err: stripe.ErrForged},
		"signed with both, the right one first":   {header: also(now, signed(completed, "whsec_other", noon))},
		"signed with both, the right one last":    {header: also(signed(completed, "whsec_other", noon), now)},
		"signed with neither":                     {header: also(signed(completed, "a", noon), signed(completed, "b", noon)), err: stripe.ErrForged},
		"we have no secret":                       {secrets: []string{}, err: stripe.ErrForged},
		"our secret is empty, and so is theirs":   {header: signed(completed, "", noon), secrets: []string{""}, err: stripe.ErrForged},
		"another body":                            {body: strings.Replace(completed, "cs_1", "cs_2", 1), err: stripe.ErrForged},
		"a line break at the end":                 {body: completed + "\n", err: stripe.ErrForged},
		"no body":                                 {body: " ", err: stripe.ErrForged},
		"no header":                               {header: " ", err: stripe.ErrForged},
		"no signature":                            {header: now[:strings.Index(now, ",v1=")], err: stripe.ErrForged},
		"no time":                                 {header: now[strings.Index(now, "v1="):], err: stripe.ErrForged},
		"a time that is none":                     {header: "t=noon" + now[strings.Index(now, ",v1="):], err: stripe.ErrForged},
		"an old signature under a new time":       {header: now[:12] + signed(completed, secret, noon.Add(-time.Hour))[12:], err: stripe.ErrForged},
		"an old signature, and a second time":     {header: "t=" + now[2:12] + "," + signed(completed, secret, noon.Add(-time.Hour)), err: stripe.ErrForged},
		"an old signature, and a second time too": {header: signed(completed, secret, noon.Add(-time.Hour)) + ",t=" + now[2:12], err: stripe.ErrForged},
		"a signature of another version":          {header: strings.Replace(now, "v1=", "v0=", 1), err: stripe.ErrForged},
		"an additional unknown version":           {header: now + ",v2=whatever"},
		"a part that is no pair":                  {header: now + ",flag", err: stripe.ErrForged},
		"a signature that is cut":                 {header: now[:len(now)-2], err: stripe.ErrForged},
		"a signature that is empty":               {header: now[:strings.Index(now, "v1=")+3], err: stripe.ErrForged},
		"signed, but not JSON":                    {body: "hello", header: signed("hello", secret, noon), err: stripe.ErrUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, header, secrets := completed, now, []string{secret}
			if tt.body != "" {
				body = strings.TrimPrefix(tt.body, " ")
			}
			if tt.header != "" {
				header = strings.TrimPrefix(tt.header, " ")
			}
			if tt.secrets != nil {
				secrets = tt.secrets
			}
			event, err := stripe.ReadEvent([]byte(body), header, secrets, noon)
			if tt.err != nil {
				require.ErrorIs(t, err, tt.err)
				require.Zero(t, event)
				return
			}
			require.NoError(t, err)
			require.Equal(t, wantCompleted, event)
		})
	}
}

// Proves: F16
func TestReadEventOfAnyKind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want checkout.Event
		err  error
	}{
		"a page is paid":      {body: completed, want: wantCompleted},
		"a payment goes back": {body: refunded, want: wantRefunded},
		"a page expired": {
			body: strings.Replace(completed, "completed", "expired", 1),
			want: checkout.Event{ID: "evt_1", Type: "checkout.session.expired", SessionID: "cs_1", CheckoutID: "chk_1", Live: true, CreatedAt: happened},
		},
		"a page with two checkout IDs: the metadata counts": {
			body: strings.Replace(completed, `"metadata":{}`, `"metadata":{"checkout":"chk_2"}`, 1),
			want: checkout.Event{ID: "evt_1", Type: "checkout.session.completed", SessionID: "cs_1", CheckoutID: "chk_2", Live: true, CreatedAt: happened},
		},
		"an expanded payment goes back":        {body: strings.Replace(refunded, `"pi_1"`, `{"id":"pi_1"}`, 1), want: wantRefunded},
		"a charge without a payment goes back": {body: strings.Replace(refunded, `"pi_1"`, `null`, 1), want: checkout.Event{ID: "evt_2", Type: "charge.refunded", CreatedAt: happened}},
		"a kind that we do not know": {
			body: `{"id":"evt_3","type":"person.created","created":1795176000,"api_version":"2030-01-01","data":{"object":{"id":7}}}`,
			want: checkout.Event{ID: "evt_3", Type: "person.created", CreatedAt: happened},
		},
		"a newer version of the API": {body: strings.Replace(completed, `"id":"evt_1"`, `"id":"evt_1","api_version":"2030-01-01.clover","new":[{}]`, 1), want: wantCompleted},
		"no ID":                      {body: strings.Replace(completed, "evt_1", "", 1), err: stripe.ErrUnreadable},
		"no type":                    {body: strings.Replace(completed, "checkout.session.completed", "", 1), err: stripe.ErrUnreadable},
		"no data":                    {body: `{"id":"evt_3","type":"charge.refunded"}`, err: stripe.ErrUnreadable},
		"empty data":                 {body: `{"id":"evt_3","type":"charge.refunded","data":{}}`, err: stripe.ErrUnreadable},
		"about nothing":              {body: `{"id":"evt_3","type":"charge.refunded","data":{"object":null}}`, err: stripe.ErrUnreadable},
		"about a page without ID":    {body: strings.Replace(completed, "cs_1", "", 1), err: stripe.ErrUnreadable},
		"about a number":             {body: `{"id":"evt_3","type":"charge.refunded","data":{"object":7}}`, err: stripe.ErrUnreadable},
		"null":                       {body: `null`, err: stripe.ErrUnreadable},
		"a list":                     {body: `[` + completed + `]`, err: stripe.ErrUnreadable},
		"two in one":                 {body: completed + completed, err: stripe.ErrUnreadable},
		"half of one":                {body: completed[:100], err: stripe.ErrUnreadable},
		"very deep":                  {body: strings.Repeat(`{"data":`, 100_000), err: stripe.ErrUnreadable},
	} {
		event, err := stripe.ReadEvent([]byte(tt.body), signed(tt.body, secret, noon), []string{secret}, noon)
		require.ErrorIs(t, err, tt.err, name)
		require.Equal(t, tt.want, event, name)
	}
}

// FuzzWebhook checks that only signed payloads are read, and that every event can be stored.
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
		require.NoError(t, err, "its time can be encoded")
	})
}

// isSigned reports whether a header holds a signature made with the secret within the tolerance.
func isSigned(body, header string) bool {
	for second := range 601 {
		_, mac, _ := strings.Cut(signed(body, secret, noon.Add(time.Duration(second-300)*time.Second)), "v1=")
		if strings.Contains(strings.ToLower(header), mac) {
			return true
		}
	}
	return false
}
