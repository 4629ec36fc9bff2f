package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func news(id, session, intent, checkoutID string) checkout.Event {
	return checkout.Event{
		ID: id, Type: "checkout.session.completed", SessionID: session, PaymentIntent: intent, CheckoutID: checkoutID, CreatedAt: november,
	}
}

func noteEvent(t *testing.T, s *store.DB, e checkout.Event) (checkoutID string, heeded bool) {
	t.Helper()
	id, heeded, err := s.Checkouts.NoteEvent(t.Context(), e, november)
	require.NoError(t, err)
	return id, heeded
}

// Proves: F15
func TestCheckoutEventsAreAboutTheirCheckout(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		open, quoted, paid := checkoutIn(t, s, checkout.Open), checkoutIn(t, s, checkout.Quoting), bought(t, s, "ada@example.com")
		for name, tt := range map[string]struct {
			event checkout.Event
			about string
		}{
			"of its page":                            {news("1", "cs_"+open.ID, "", open.ID), open.ID},
			"of its page, whatever the page carries": {news("2", "cs_"+open.ID, "", ""), open.ID},
			"of a page that has no row yet":          {news("3", "cs_new", "", quoted.ID), quoted.ID},
			"of another page with its name: nobody":  {news("4", "cs_other", "", open.ID), ""},
			"of a page that is not ours: nobody":     {news("5", "cs_other", "", checkout.NewID()), ""},
			"of a page without a name: nobody":       {news("6", "cs_other", "", ""), ""},
			"of a payment":                           {news("7", "", "pi_"+paid.ID, ""), paid.ID},
			"of a payment that is not ours: nobody":  {news("8", "", "pi_other", open.ID), ""},
			"of nothing that we know: nobody":        {news("9", "", "", open.ID), ""},
		} {
			t.Run(name, func(t *testing.T) {
				for range 2 { // as often as it is told
					about, heeded := noteEvent(t, s, tt.event)
					require.Equal(t, tt.about, about)
					require.False(t, heeded, "nobody has acted on it")
				}
			})
		}
	})
}

// Proves: F14
func TestCheckoutEventsAreHeededOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := news("evt_1", *c.SessionID, "", c.ID)
		require.Equal(t, 20, atOnce(t, 20, func(int) error {
			_, _, err := s.Checkouts.NoteEvent(t.Context(), e, november)
			return err
		}))
		require.Equal(t, 1, s.Count(t, "payment_events"))
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november))
		about, heeded := noteEvent(t, s, e)
		require.Equal(t, c.ID, about)
		require.True(t, heeded)

		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), e.ID, november.Add(time.Hour)))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM payment_events WHERE heeded_at = ?", november), "the first time stays")
		require.NoError(t, s.Checkouts.MarkEventHandled(t.Context(), "evt_of_nobody", november))
		_, heeded = noteEvent(t, s, news("evt_2", *c.SessionID, "", c.ID))
		require.False(t, heeded, "each for itself")
	})
}

// Before a payment is known its refund means nothing to us; once it is, it does.
// Proves: F15
func TestCheckoutEventThatComesTooEarlyIsKnownLater(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		c := checkoutIn(t, s, checkout.Open)
		e := news("evt_1", "", "pi_"+c.ID, "")
		about, _ := noteEvent(t, s, e)
		require.Empty(t, about)
		pay(t, s, c.ID, 765, "", november)
		about, _ = noteEvent(t, s, e)
		require.Equal(t, c.ID, about)
	})
}

func TestCheckoutEventsWereLookedThroughUntil(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		until, err := s.Checkouts.LookedUntil(t.Context())
		require.NoError(t, err)
		require.Nil(t, until)
		for _, at := range []time.Time{november, november.Add(time.Hour), november.Add(time.Minute)} {
			require.NoError(t, s.Checkouts.SetLookedUntil(t.Context(), at.Add(time.Nanosecond)))
			until, err = s.Checkouts.LookedUntil(t.Context())
			require.NoError(t, err)
			require.Equal(t, at, until.UTC())
		}
		require.Equal(t, 1, s.Count(t, "reconciliations"))
	})
}
