package journeys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// A run of the same name has ended well before; the restored post has another, and goes out once.
func TestARestoredPostGoesOut(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "on second thoughts", time.Hour)
		require.NoError(t, w.runs.CancelPost(t.Context(), p))
		given := w.ends(t, p.ID, post.StatusCancelled)
		w.holds(t, 0, 0)

		restored, err := w.db.Posts.RestorePost(t.Context(), p.ID, false, time.Now())
		require.NoError(t, err)
		_, err = w.runs.StartPost(t.Context(), restored)
		require.NoError(t, err)
		eventually(t, func(c *assert.CollectT) {
			row, err := w.db.Posts.Post(t.Context(), p.ID)
			require.NoError(c, err)
			require.NotEmpty(c, row.RunID)
		})
		require.NoError(t, w.runs.ReschedulePost(t.Context(), restored, soon()))
		ended := w.ends(t, p.ID, post.StatusPublished)
		require.NotEqual(t, given.RunID, ended.RunID)
		w.isPublic(t, "on second thoughts", 1)
	})
}

// Founders stop the bot, and nothing goes out until they let it go on.
func TestAPausedBotSendsNothing(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		paused, on := true, false
		_, _, err := w.db.Bot.SetBrakes(t.Context(), bot.BrakeChange{Paused: &paused}, "grace", time.Now())
		require.NoError(t, err)
		p := w.schedule(t, "after the storm", 0)
		eventually(t, func(c *assert.CollectT) {
			row, err := w.db.Posts.Post(t.Context(), p.ID)
			require.NoError(c, err)
			require.Equal(c, post.CodePaused, row.Code)
		})
		require.Zero(t, w.sends.Load())
		_, _, err = w.db.Bot.SetBrakes(t.Context(), bot.BrakeChange{Paused: &on}, "grace", time.Now())
		require.NoError(t, err)
		require.NoError(t, w.runs.WakePost(t.Context(), p))
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "after the storm", 1)
	})
}

func soon() workflows.RescheduleOrder {
	return workflows.RescheduleOrder{ScheduledAt: time.Now().Add(time.Second)}
}
