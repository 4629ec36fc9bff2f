package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/audit"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestAuditIsListedNewestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		grace := xAccount(t, s, "1", "grace")
		whole := audit.Entry{
			ID: "keys-1", At: november.Add(time.Hour), AccountID: &grace.ID, Actor: "@grace", Action: audit.ReplaceProviderKeys,
			Outcome: audit.Begun, Detail: "New keys are tried.", WorkflowID: "keys:1", RunID: "run-1",
		}
		require.NoError(t, s.Audit(t.Context(), whole))
		for _, detail := range []string{"first", "second", "third"} { // of the same moment
			require.NoError(t, s.Audit(t.Context(), audit.Entry{At: november, Actor: "the founders' key", Action: audit.RetryLetter, Outcome: audit.Done, Detail: detail}))
		}
		page, total, err := s.AuditEntries(t.Context(), 3, 0)
		require.NoError(t, err)
		require.Equal(t, 4, total)
		require.Equal(t, []string{"New keys are tried.", "third", "second"}, details(page))
		require.True(t, page[0].At.Equal(whole.At))
		page[0].At = whole.At
		require.Equal(t, whole, page[0])
		page, total, err = s.AuditEntries(t.Context(), 3, 3)
		require.NoError(t, err)
		require.Equal(t, 4, total)
		require.Equal(t, []string{"first"}, details(page))
	})
}

func details(entries []audit.Entry) (words []string) {
	for _, e := range entries {
		words = append(words, e.Detail)
	}
	return words
}

// Activities are repeated; what they note is not.
func TestEntryWithANameIsNotedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, detail := range []string{"first", "repeated"} {
			require.NoError(t, s.Audit(t.Context(), audit.Entry{ID: "keys-1", At: november, Action: audit.ConnectBot, Outcome: audit.Done, Detail: detail}))
		}
		entries, total, err := s.AuditEntries(t.Context(), 10, 0)
		require.NoError(t, err)
		require.Equal(t, 1, total)
		require.Equal(t, []string{"first"}, details(entries))
	})
}
