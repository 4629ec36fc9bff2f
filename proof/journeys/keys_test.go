package journeys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

var (
	goodKeys  = bot.Keys{ConsumerKey: consumerKey, ConsumerSecret: consumerSecret}
	staleKeys = bot.Keys{ConsumerKey: strings.Repeat("stale-canary-key", 2)[:25], ConsumerSecret: strings.Repeat("stale-canary-secret", 3)[:50]}
)

// useKeys puts keys to use that nobody tries: those that worked until X made others.
func (w *world) useKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	t.Helper()
	proposed := w.proposeKeys(t, keys)
	used, err := w.db.Bot.ReplaceKeys(t.Context(), proposed.ID, "", time.Now())
	require.NoError(t, err)
	return used
}

func (w *world) proposeKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	t.Helper()
	w.plant(keys.ConsumerKey, keys.ConsumerSecret)
	proposed, err := w.db.Bot.ProposeKeys(t.Context(), keys, &w.grace.account.ID, time.Now())
	require.NoError(t, err)
	return proposed
}

// replaceKeys lets the diagnostic try keys, as the API does, and gives what came of them.
func (w *world) replaceKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	t.Helper()
	proposed := w.proposeKeys(t, keys)
	require.NoError(t, w.runs.ReplaceKeys(t.Context(), proposed.ID))
	return w.keys(t, proposed.ID)
}

func (w *world) keys(t *testing.T, id string) bot.ProviderKeys {
	t.Helper()
	k, err := w.db.Bot.KeysByID(t.Context(), id)
	require.NoError(t, err)
	return k
}

func refusedKeys(t *testing.T, w *world) string {
	tried := w.replaceKeys(t, staleKeys)
	require.Equal(t, bot.KeysRefused, tried.State)
	require.Equal(t, "keys_refused", tried.Code)
	require.Contains(t, tried.Reason, "Make a new API Key and Secret")
	var result workflows.ProviderKeysResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.ProviderKeysID(tried.ID), "").Get(t.Context(), &result))
	require.Equal(t, workflows.ProviderKeysResult{State: tried.State, Code: tried.Code}, result)

	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, audit.Refused, entries[0].Outcome)
	require.Equal(t, workflows.ProviderKeysID(tried.ID), entries[0].WorkflowID)
	_, found := w.diagnose(t)
	require.True(t, found.OK, "what worked goes on working")
	return workflows.ProviderKeysID(tried.ID)
}

// newKeys leaves a run that keeps the old keys for a day. It is still under way.
func newKeys(t *testing.T, w *world) string {
	w.useKeys(t, staleKeys)
	tried := w.replaceKeys(t, goodKeys)
	require.Equal(t, bot.KeysCurrent, tried.State, tried.Reason)
	id := workflows.ProviderKeysID(tried.ID)
	eventually(t, func(c *assert.CollectT) { // whoever waits for the decision has it before
		events := w.history(t.Context(), t, id).Events
		require.Equal(c, enums.EVENT_TYPE_TIMER_STARTED, events[len(events)-1].EventType)
	})
	return id
}

// X has made new keys for the app, so that the old ones are worth nothing.
// Proves: F12
func TestKeysAreReplacedAndRolledBack(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		stale := w.useKeys(t, staleKeys)
		failed := w.schedule(t, "with the old keys", 0)
		require.Equal(t, "x_bad_token", w.becomes(t, failed.ID, post.StatusFailed).Code)

		fresh := w.replaceKeys(t, goodKeys)
		require.Equal(t, bot.KeysCurrent, fresh.State, fresh.Reason)
		require.Equal(t, bot.KeysPrevious, w.keys(t, stale.ID).State)
		require.NoError(t, w.runs.RetryPost(t.Context(), w.row(t, failed.ID)))
		w.ends(t, failed.ID, post.StatusPublished)

		back, err := w.db.Bot.RollBackKeys(t.Context(), time.Now())
		require.NoError(t, err)
		require.Equal(t, stale.ID, back.ID)
		w.finds(t, "rolled back", token, "keys_refused", "Make a new API Key")
		again := w.schedule(t, "with the old keys again", 0)
		w.becomes(t, again.ID, post.StatusFailed)

		_, err = w.db.Bot.RollBackKeys(t.Context(), time.Now())
		require.NoError(t, err)
		_, result := w.diagnose(t)
		require.True(t, result.OK, "and there is a way forward again")
	})
}
