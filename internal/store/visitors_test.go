package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
)

// Proves: S-zero-values
func TestVisitors(t *testing.T) {
	t.Parallel()
	each(t, "a visitor is counted from the first event", func(t *testing.T, s *store.DB) {
		require.Nil(t, must(s.Visitors.Visitor(t.Context(), "ada"))(t))
		must(s.Visitors.NoteVisit(t.Context(), "ada", pricing.PageViewed, november))(t)
		must(s.Visitors.NoteVisit(t.Context(), "ada", pricing.PricingViewed, november.Add(pricing.HeartbeatInterval)))(t)
		must(s.Visitors.NoteVisit(t.Context(), "bea", pricing.PageViewed, november))(t)
		later := november.Add(pricing.HeartbeatInterval + pricing.VisitTimeout)
		told := must(s.Visitors.NoteVisit(t.Context(), "ada", pricing.PageViewed, later))(t)
		ada := must(s.Visitors.Visitor(t.Context(), "ada"))(t)
		ada.FirstSeenAt, ada.LastSeenAt = ada.FirstSeenAt.UTC(), ada.LastSeenAt.UTC()
		require.Equal(t, pricing.Visitor{
			ID: "ada", Visits: 2, Seconds: 15, ViewedPricing: true, FirstSeenAt: november, LastSeenAt: later,
		}, *ada)
		require.Equal(t, ada.Behaviour(), told.Behaviour())
	})
	each(t, "events at once are counted once", func(t *testing.T, s *store.DB) {
		says := []pricing.VisitEvent{pricing.PageViewed, pricing.PricingViewed, pricing.CartViewed}
		for _, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			for _, at := range []time.Time{november, november.Add(pricing.HeartbeatInterval), november.Add(pricing.HeartbeatInterval + pricing.VisitTimeout)} {
				require.Equal(t, 20, atOnce(t, 20, func(i int) error { return errOf(s.Visitors.NoteVisit(t.Context(), name, says[i%3], at)) }))
				v := must(s.Visitors.Visitor(t.Context(), name))(t)
				require.True(t, v.ViewedPricing && v.AddedToCart, "no word is lost")
			}
			v := must(s.Visitors.Visitor(t.Context(), name))(t)
			require.Equal(t, []any{2, 15}, []any{v.Visits, v.Seconds})
		}
	})
	each(t, "a visitor is deleted", func(t *testing.T, s *store.DB) {
		for _, name := range []string{"ada", "bea"} {
			must(s.Visitors.NoteVisit(t.Context(), name, pricing.PageViewed, november))(t)
		}
		for range 2 {
			require.NoError(t, s.Visitors.ForgetVisitor(t.Context(), "ada"))
		}
		require.Nil(t, must(s.Visitors.Visitor(t.Context(), "ada"))(t))
		require.Equal(t, 1, s.Count(t, "visitors"))
	})
	// Their prices stay, for the ledger must agree; that they were theirs does not.
	each(t, "prices are anonymized with the visitor", func(t *testing.T, s *store.DB) {
		named := func() int {
			return s.Number(t, "SELECT count(*) FROM decisions WHERE visitor IS NOT NULL OR live_key IS NOT NULL")
		}
		for _, name := range []string{"ada", "bea"} {
			offered(t, s, wish(visitor(t, s, name)), 15, november)
		}
		require.Equal(t, 2, named())
		require.NoError(t, s.Visitors.ForgetVisitor(t.Context(), account.Hash("ada")))
		require.Equal(t, 1, named())
		require.Zero(t, s.Number(t, "SELECT count(*) FROM decisions WHERE visitor = '"+account.Hash("ada")+"'"))
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention-time.Second)))
		require.Equal(t, 1, named())
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention)))
		require.Zero(t, named())
		require.Equal(t, 2, s.Count(t, "decisions"))
	})
	// Who stays away is forgotten: their browser has thrown the cookie away as well.
	each(t, "a visitor who stays away is deleted", func(t *testing.T, s *store.DB) {
		must(s.Visitors.NoteVisit(t.Context(), "ada", pricing.PageViewed, november))(t)
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention-time.Second)))
		require.Equal(t, 1, s.Count(t, "visitors"))
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention)))
		require.Zero(t, s.Count(t, "visitors"))
	})
}
