package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/analytics"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestVisitorIsCountedFromTheFirstWord(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		nobody, err := s.Visitors.Visitor(t.Context(), "ada")
		require.NoError(t, err)
		require.Nil(t, nobody)

		_, err = s.Visitors.NoteVisit(t.Context(), "ada", analytics.Seen, november)
		require.NoError(t, err)
		_, err = s.Visitors.NoteVisit(t.Context(), "ada", analytics.Pricing, november.Add(analytics.Beat))
		require.NoError(t, err)
		_, err = s.Visitors.NoteVisit(t.Context(), "bea", analytics.Seen, november)
		require.NoError(t, err)
		later := november.Add(analytics.Beat + analytics.Apart)
		told, err := s.Visitors.NoteVisit(t.Context(), "ada", analytics.Seen, later)
		require.NoError(t, err)

		ada, err := s.Visitors.Visitor(t.Context(), "ada")
		require.NoError(t, err)
		ada.FirstSeenAt, ada.LastSeenAt = ada.FirstSeenAt.UTC(), ada.LastSeenAt.UTC()
		require.Equal(t, analytics.Visitor{
			ID: "ada", Visits: 2, Seconds: 15, ViewedPricing: true, FirstSeenAt: november, LastSeenAt: later,
		}, *ada)
		require.Equal(t, ada.Behaviour(), told.Behaviour())
	})
}

// Proves: S-zero-values
func TestVisitorWhoSpeaksAtOnceIsCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		says := []analytics.Event{analytics.Seen, analytics.Pricing, analytics.Cart}
		for _, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			for _, at := range []time.Time{november, november.Add(analytics.Beat), november.Add(analytics.Beat + analytics.Apart)} {
				require.Equal(t, 20, atOnce(t, 20, func(i int) error {
					_, err := s.Visitors.NoteVisit(t.Context(), name, says[i%3], at)
					return err
				}))
				v, err := s.Visitors.Visitor(t.Context(), name)
				require.NoError(t, err)
				require.True(t, v.ViewedPricing && v.AddedToCart, "no word is lost")
			}
			v, err := s.Visitors.Visitor(t.Context(), name)
			require.NoError(t, err)
			require.Equal(t, 2, v.Visits)
			require.Equal(t, 15, v.Seconds)
		}
	})
}

func TestVisitorIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, name := range []string{"ada", "bea"} {
			_, err := s.Visitors.NoteVisit(t.Context(), name, analytics.Seen, november)
			require.NoError(t, err)
		}
		for range 2 {
			require.NoError(t, s.Visitors.ForgetVisitor(t.Context(), "ada"))
		}
		ada, err := s.Visitors.Visitor(t.Context(), "ada")
		require.NoError(t, err)
		require.Nil(t, ada)
		require.Equal(t, 1, s.Count(t, "visitors"))
	})
}

// Their prices stay, for the ledger must agree; that they were theirs does not.
// Proves: S-zero-values
func TestVisitorsPricesAreForgottenWithThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
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
		require.NoError(t, s.Tidy(t.Context(), november.Add(analytics.Keep-time.Second)))
		require.Equal(t, 1, named())
		require.NoError(t, s.Tidy(t.Context(), november.Add(analytics.Keep)))
		require.Zero(t, named())
		require.Equal(t, 2, s.Count(t, "decisions"))
	})
}

// Who stays away is forgotten: their browser has thrown the cookie away as well.
func TestVisitorWhoStaysAwayIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Visitors.NoteVisit(t.Context(), "ada", analytics.Seen, november)
		require.NoError(t, err)
		require.NoError(t, s.Tidy(t.Context(), november.Add(analytics.Keep-time.Second)))
		require.Equal(t, 1, s.Count(t, "visitors"))
		require.NoError(t, s.Tidy(t.Context(), november.Add(analytics.Keep)))
		require.Zero(t, s.Count(t, "visitors"))
	})
}
