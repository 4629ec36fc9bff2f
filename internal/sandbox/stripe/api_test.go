package stripe

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestOnlyTheRightKeyIsLetIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, authorization := range map[string]string{
		"none": "", "an empty one": "Bearer ", "another": "Bearer sk_test_wrong", "a part of it": "Bearer sk_test_sandbo",
		"another scheme": "Basic c2tfdGVzdF9zYW5kYm94Og==",
	} {
		for _, path := range []string{"/v1/coupons", "/v1/events", "/v1/nothing"} {
			got := w.send(http.MethodGet, path, "", "Authorization", authorization)
			require.Equal(t, http.StatusUnauthorized, got.status, name)
			require.NotContains(t, got.body, "sk_test")
			require.Contains(t, got.body, `"type":"invalid_request_error"`)
			require.NotEmpty(t, got.header.Get("Request-Id"))
		}
	}
}

func TestCallsThatAreNotPlayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		got    answer
		status int
		part   string
	}{
		"another path":          {w.call(http.MethodGet, "/v1/customers", ""), http.StatusNotFound, "Unrecognized request URL (GET: /v1/customers)"},
		"another method":        {w.call(http.MethodDelete, "/v1/events", ""), http.StatusNotFound, "Unrecognized request URL"},
		"another version":       {w.call(http.MethodGet, "/v1/coupons", "", "Stripe-Version", "2024-06-20"), http.StatusBadRequest, "2023-10-16"},
		"a parameter of a list": {w.call(http.MethodGet, "/v1/events?ending_before=evt_1", ""), http.StatusBadRequest, "parameter_unknown"},
		"a parameter of a read": {w.call(http.MethodGet, "/v1/coupons/c?limit=1", ""), http.StatusBadRequest, "parameter_unknown"},
		"a page that is too long": {
			w.call(http.MethodGet, "/v1/events?limit=101", ""), http.StatusBadRequest, "between 1 and 100",
		},
		"a number that is none":    {w.call(http.MethodGet, "/v1/events?limit=ten", ""), http.StatusBadRequest, "parameter_invalid_integer"},
		"a page after nothing":     {w.call(http.MethodGet, "/v1/events?starting_after=evt_1", ""), http.StatusBadRequest, "resource_missing"},
		"a body that is no form":   {w.call(http.MethodPost, "/v1/refunds", "%zz"), http.StatusBadRequest, "not form-encoded"},
		"a body that is too large": {w.call(http.MethodPost, "/v1/refunds", "reason="+strings.Repeat("x", maxBody)), http.StatusRequestEntityTooLarge, "too large"},
	} {
		require.Equal(t, tt.status, tt.got.status, name)
		require.Contains(t, tt.got.body, tt.part, name)
	}
}

func TestEventsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session("") // expires
	w.clock.advance(31 * 60 * 1e9)
	payment := w.paid().PaymentIntent.ID
	_, err := w.refund(payment, 0)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		change func(*stripego.EventListParams)
		want   []string
	}{
		"all of them": {func(*stripego.EventListParams) {}, []string{
			"charge.refunded", "checkout.session.completed", "checkout.session.expired",
		}},
		"one type": {func(p *stripego.EventListParams) { p.Type = stripego.String("charge.refunded") }, []string{"charge.refunded"}},
		"two types": {func(p *stripego.EventListParams) {
			p.Types = []*string{stripego.String("charge.refunded"), stripego.String("checkout.session.expired")}
		}, []string{"charge.refunded", "checkout.session.expired"}},
		"since now": {func(p *stripego.EventListParams) {
			p.CreatedRange = &stripego.RangeQueryParams{GreaterThanOrEqual: w.clock.Now().Unix() + 1}
		}, nil},
	} {
		params := &stripego.EventListParams{}
		params.Limit = stripego.Int64(1) // so that every page but the last has more
		tt.change(params)
		var got []string
		listed := w.api.Events.List(params)
		for listed.Next() {
			got = append(got, string(listed.Event().Type))
		}
		require.NoError(t, listed.Err(), name)
		require.Equal(t, tt.want, got, name)
	}
}

// Proves: F37, V16.2.5
func TestNoSecretAndNoAddressIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w := newWorld(t, logTo(&log), onFile(t))
	w.hook.fail(2)
	w.paid()
	w.hook.await(1)
	w.spoilTheFile()
	require.Equal(t, http.StatusInternalServerError, w.call(http.MethodPost, "/v1/coupons", "percent_off=10").status)
	session := w.sandbox.Sessions()[0].ID
	require.NotEmpty(t, session)
	require.Equal(t, http.StatusConflict, w.send(http.MethodPost, root+"/refund", "session=none").status)
	require.NoError(t, w.sandbox.Close()) // so that nobody writes to the log any more
	require.Contains(t, log.String(), "cannot be written")
	for _, secret := range []string{testKey, testSecret, buyer} {
		require.NotContains(t, log.String(), secret)
	}
}
