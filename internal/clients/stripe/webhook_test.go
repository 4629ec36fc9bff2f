package stripe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v76/webhook"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
)

const secret, older = "whsec_new", "whsec_old"

// signed is the header that Stripe would send.
func signed(body, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(body), Secret: secret, Timestamp: at}).Header
}

// also adds the signature in one header to another.
func also(header, other string) string {
	return header + other[strings.Index(other, ",v1="):]
}

// Proves: F16
func TestReadEvent(t *testing.T) {
	t.Parallel()
	now := signed(completed, secret, noon)
	for name, tt := range map[string]struct {
		body, header string // left out: an event, signed now
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
		"a version we do not know besides":        {header: now + ",v2=whatever,flag"},
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
			require.Equal(t, toldCompleted, event)
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
		"a page is paid":      {body: completed, want: toldCompleted},
		"a payment goes back": {body: refunded, want: toldRefunded},
		"a page expired": {
			body: strings.Replace(completed, "completed", "expired", 1),
			want: checkout.Event{ID: "evt_1", Type: "checkout.session.expired", SessionID: "cs_1", CheckoutID: "chk_1", Live: true, CreatedAt: happened},
		},
		"a page that carries its checkout twice, ours counts": {
			body: strings.Replace(completed, `"metadata":{}`, `"metadata":{"checkout":"chk_2"}`, 1),
			want: checkout.Event{ID: "evt_1", Type: "checkout.session.completed", SessionID: "cs_1", CheckoutID: "chk_2", Live: true, CreatedAt: happened},
		},
		"a payment that is told in full goes back": {body: strings.Replace(refunded, `"pi_1"`, `{"id":"pi_1"}`, 1), want: toldRefunded},
		"a charge without a payment goes back": {
			body: strings.Replace(refunded, `"pi_1"`, `null`, 1),
			want: checkout.Event{ID: "evt_2", Type: "charge.refunded", CreatedAt: happened},
		},
		"a kind that we do not know": {
			body: `{"id":"evt_3","type":"person.created","created":1795176000,"api_version":"2030-01-01","data":{"object":{"id":7}}}`,
			want: checkout.Event{ID: "evt_3", Type: "person.created", CreatedAt: happened},
		},
		"a newer version of the API": {
			body: strings.Replace(completed, `"id":"evt_1"`, `"id":"evt_1","api_version":"2030-01-01.clover","new":[{}]`, 1), want: toldCompleted,
		},
		"no ID":                   {body: strings.Replace(completed, "evt_1", "", 1), err: stripe.ErrUnreadable},
		"no type":                 {body: strings.Replace(completed, "checkout.session.completed", "", 1), err: stripe.ErrUnreadable},
		"no data":                 {body: `{"id":"evt_3","type":"charge.refunded"}`, err: stripe.ErrUnreadable},
		"empty data":              {body: `{"id":"evt_3","type":"charge.refunded","data":{}}`, err: stripe.ErrUnreadable},
		"about nothing":           {body: `{"id":"evt_3","type":"charge.refunded","data":{"object":null}}`, err: stripe.ErrUnreadable},
		"about a page without ID": {body: strings.Replace(completed, "cs_1", "", 1), err: stripe.ErrUnreadable},
		"about a number":          {body: `{"id":"evt_3","type":"charge.refunded","data":{"object":7}}`, err: stripe.ErrUnreadable},
		"null":                    {body: `null`, err: stripe.ErrUnreadable},
		"a list":                  {body: `[` + completed + `]`, err: stripe.ErrUnreadable},
		"two in one":              {body: completed + completed, err: stripe.ErrUnreadable},
		"half of one":             {body: completed[:100], err: stripe.ErrUnreadable},
		"very deep":               {body: strings.Repeat(`{"data":`, 100_000), err: stripe.ErrUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, err := stripe.ReadEvent([]byte(tt.body), signed(tt.body, secret, noon), []string{secret}, noon)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, event)
		})
	}
}
