package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/analytics"
)

func TestVisitsAreCountedByOurClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.browse(t)
	look := func(page string) {
		c := call{method: http.MethodPost, path: "/api/visits", body: `{"page":"` + page + `"}`, key: "none", header: map[string]string{"Cookie": "visitor=" + string(v)}}
		require.True(t, read[api.Counted](t, w.do(t, c), ok).Counted)
	}
	w.now = now.Add(analytics.Beat)
	look("other")
	w.now = now.Add(time.Hour) // away for longer than a page may claim
	look("other")
	counted, err := w.db.Visitors.Visitor(t.Context(), account.Hash(string(v)))
	require.NoError(t, err)
	require.Equal(t, 2, counted.Visits)
	require.Equal(t, 15, counted.Seconds)
	require.True(t, counted.ViewedPricing)
	require.False(t, counted.AddedToCart)
}

func TestWhoDoesNotWantToBeCountedIsForgotten(t *testing.T) {
	t.Parallel()
	for header, why := range map[string]string{"Sec-GPC": "gpc", "DNT": "dnt"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			v := w.browse(t)
			rec := w.do(t, call{
				method: http.MethodPost, path: "/api/visits", body: `{"page":"pricing"}`, key: "none",
				header: map[string]string{"Cookie": "visitor=" + string(v), header: "1"},
			})
			got := read[api.Counted](t, rec, ok)
			require.False(t, got.Counted)
			require.Equal(t, why, got.Why)
			require.Negative(t, rec.Result().Cookies()[0].MaxAge, "the cookie goes")
			gone, err := w.db.Visitors.Visitor(t.Context(), account.Hash(string(v)))
			require.NoError(t, err)
			require.Nil(t, gone)

			offer := read[api.Pricing](t, w.do(t, call{method: http.MethodGet, path: "/api/pricing", key: "none", header: map[string]string{header: "1"}}), ok)
			require.False(t, offer.Personal)
			require.Equal(t, why, offer.WhyNot)
		})
	}
}

// Proves: V2.4.1-prices
func TestACrowdBehindOneAddressIsNotCountedAndNotRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exhaust(t, account.VisitorsPerNetwork)
	rec := w.do(t, call{method: http.MethodPost, path: "/api/visits", body: `{"page":"pricing"}`, key: "none"})
	require.False(t, read[api.Counted](t, rec, ok).Counted)
	require.Empty(t, rec.Result().Cookies())
}

// exhaust uses a limit up, for the network that everybody here comes from.
func (w *world) exhaust(t *testing.T, limit account.Limit) {
	t.Helper()
	network := w.db.Keys().Mark("192.0.2.1", "visitor") // httptest's
	for range limit.Most {
		require.NoError(t, w.db.Limits.Consume(t.Context(), limit, network, w.now))
	}
}
