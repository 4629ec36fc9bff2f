package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// GORM's own cache of prepared statements has everybody wait for who prepares one first: with all
// connections in use, a replica that had just been started stood still until its visitors gave up.
// Proves: F4
func TestATransactionWaitsForNobodyWhoWaitsForItsConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) { s.AskInside(t, "SELECT count(*) FROM members") })
}

// The schema of the next version comes before its programs: those of the last one go on.
// Proves: F26
func TestColumnsAreAddedWhileAReplicaServes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Members.AddMember(t.Context(), newcomer("ada"), nil))
		tables := []string{"members", "timetables", "rate_windows", "posts", "series", "checkouts"}
		limit := account.Limit{Name: "reading", Most: 1000, Per: time.Hour, Doing: "tests"}
		work := func(int) error {
			if err := s.ReadAll(t.Context(), tables...); err != nil { // many of them in one transaction
				return err
			}
			if err := s.Limits.Consume(t.Context(), limit, "ada", november); err != nil {
				return err
			}
			_, err := s.Members.Members(t.Context(), "2026-11")
			return err
		}
		const readers = 40 // more than there are connections
		require.Equal(t, readers, atOnce(t, readers, work))
		for _, table := range tables {
			require.NoError(t, s.Exec("ALTER TABLE "+table+" ADD COLUMN of_the_next_version text"))
		}
		require.Equal(t, readers, atOnce(t, readers, work))
	})
}

// Secrets come and go while a replica starts.
func TestKeysAreCheckedWhileSecretsAreForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var coming sync.WaitGroup
		done := make(chan struct{})
		coming.Go(func() {
			defer close(done)
			for range 100 {
				for _, id := range hide(t, s, "of a moment") {
					require.NoError(t, s.Exec("DELETE FROM secrets WHERE id = ?", id))
				}
			}
		})
		for going := true; going; {
			require.NoError(t, s.CheckKeys(t.Context()))
			select {
			case <-done:
				going = false
			default:
			}
		}
		coming.Wait()
	})
}
