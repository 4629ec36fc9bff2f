package api_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/post"
)

func (w *world) brakes(t *testing.T, body string) api.Brakes {
	t.Helper()
	return read[api.Brakes](t, w.do(t, call{method: "PUT", path: "/api/brakes", body: body}), 200)
}

// noted lists what the audit says was done, the oldest first.
func (w *world) noted(t *testing.T) (actions []audit.Action) {
	t.Helper()
	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 100, 0)
	require.NoError(t, err)
	for _, e := range entries {
		actions = append([]audit.Action{e.Action}, actions...)
	}
	return actions
}

func TestPauseIsSaidEverywhereAndLetsGoOfWhatWaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	due := createPost(t, w, `{"content":"due"}`)
	createPost(t, w, `{"content":"later","scheduledAt":"2026-12-01T09:00:00Z"}`)
	for range 2 { // the same again is harmless
		paused := w.brakes(t, `{"paused":true,"reason":"a storm"}`)
		require.True(t, paused.Paused)
		require.Equal(t, []any{"the founders' key", "a storm", 1}, []any{paused.PausedBy, paused.PauseReason, paused.Overdue})
		require.WithinDuration(t, now, *paused.PausedAt, 0)
	}
	status := read[api.BotStatus](t, w.do(t, call{method: "GET", path: "/api/bot-status", key: "none"}), 200)
	require.True(t, status.Paused)
	require.Equal(t, "limited", status.Status)
	require.Equal(t, "The bot is paused: a storm.", status.Reason)

	held, err := w.db.Posts.ArmPost(t.Context(), due.ID, 1, w.runs.connection, now)
	require.NoError(t, err)
	require.Equal(t, post.CodePaused, held.Code)
	w.runs.orders = nil
	for range 2 {
		require.Equal(t, api.Brakes{Overdue: 1}, w.brakes(t, `{"paused":false}`))
	}
	require.Equal(t, []string{"wake " + due.ID}, w.runs.orders, "what is due is told, once")
	require.Equal(t, []audit.Action{audit.PauseBot, audit.ResumeBot}, w.noted(t))
}

// The row has let the posts go: a run that is not told looks again by itself.
// Proves: F5
func TestBotGoesOnThoughTemporalIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	createPost(t, w, `{"content":"due"}`)
	w.brakes(t, `{"paused":true}`)
	w.runs.err = errors.New("dial tcp: connection refused")
	require.False(t, w.brakes(t, `{"paused":false}`).Paused)
}

func TestApprovalIsSwitchedOnAndOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.True(t, w.brakes(t, `{"approval":true}`).Approval)
	require.True(t, w.brakes(t, `{}`).Approval, "what is absent stays")
	require.False(t, w.brakes(t, `{"approval":false}`).Approval)
	require.Equal(t, []audit.Action{audit.RequireApproval, audit.DropApproval}, w.noted(t))
}
