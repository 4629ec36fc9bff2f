package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/store"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	each(t, "entries are listed newest first", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		whole := audit.Entry{
			ID: "keys-1", At: november.Add(time.Hour), AccountID: &grace.ID, Actor: "@grace", Action: audit.ReplaceProviderKeys,
			Outcome: audit.Begun, Detail: "New keys are tried.", WorkflowID: "keys:1", RunID: "run-1",
		}
		require.NoError(t, s.AuditLog.Audit(t.Context(), whole))
		for _, detail := range []string{"first", "second", "third"} { // of the same moment
			require.NoError(t, s.AuditLog.Audit(t.Context(), audit.Entry{At: november, Actor: "the founders' key", Action: audit.RetryLetter, Outcome: audit.Done, Detail: detail}))
		}
		page, total := must2(s.AuditLog.AuditEntries(t.Context(), 3, 0))(t)
		require.Equal(t, 4, total)
		require.Equal(t, []string{"New keys are tried.", "third", "second"}, details(page))
		require.True(t, page[0].At.Equal(whole.At))
		page[0].At = whole.At
		require.Equal(t, whole, page[0])
		page, total = must2(s.AuditLog.AuditEntries(t.Context(), 3, 3))(t)
		require.Equal(t, 4, total)
		require.Equal(t, []string{"first"}, details(page))
	})
	// What is done and what is noted of it stand or fall together; meanwhile, whoever does it reads
	// what they have changed, and nobody else does.
	each(t, "the change and its entry are one transaction", func(t *testing.T, s *store.DB) {
		pause := bot.ControlsChange{Paused: new(true), Reason: "a storm"}
		paused := func(ctx context.Context) bool {
			return must(s.Bot.Brakes(ctx))(t).Paused()
		}
		do := func(then error) error {
			return s.AuditLog.Audited(t.Context(), func(ctx context.Context) ([]audit.Entry, error) {
				must2(s.Bot.SetBrakes(ctx, pause, "@grace", november))(t)
				require.True(t, paused(ctx))
				require.False(t, paused(t.Context()))
				return []audit.Entry{{At: november, Action: audit.PauseBot, Outcome: audit.Done, Detail: "one"}, {At: november, Action: audit.PauseBot, Outcome: audit.Done, Detail: "two"}}, then
			})
		}
		died := errors.New("it died")
		require.ErrorIs(t, do(died), died)
		require.False(t, paused(t.Context()))
		require.Zero(t, s.Count(t, "audit_entries"))

		require.NoError(t, do(nil))
		require.True(t, paused(t.Context()))
		require.Equal(t, 2, s.Count(t, "audit_entries"))
	})
	// Activities are repeated; what they note is not.
	each(t, "an entry with an ID is written once", func(t *testing.T, s *store.DB) {
		for _, detail := range []string{"first", "repeated"} {
			require.NoError(t, s.AuditLog.Audit(t.Context(), audit.Entry{ID: "keys-1", At: november, Action: audit.ConnectBot, Outcome: audit.Done, Detail: detail}))
		}
		entries, total := must2(s.AuditLog.AuditEntries(t.Context(), 10, 0))(t)
		require.Equal(t, 1, total)
		require.Equal(t, []string{"first"}, details(entries))
	})
}

func details(entries []audit.Entry) (words []string) {
	for _, e := range entries {
		words = append(words, e.Detail)
	}
	return words
}
