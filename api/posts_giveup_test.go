package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/storetest"
)

func TestGivingUpAPostWhoseMonthToDecideIsOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave  func(t *testing.T, w *world, id string)
		code   int
		status post.Status
		held   int
	}{
		"failed: cancelled, without a run":       {refuse, 200, post.StatusCancelled, 0},
		"unknown: it may be public, so it stays": {doubt, 409, post.StatusUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := createPost(t, w, `{"content":"hi"}`)
			_, err := w.db.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, w.db), now)
			require.NoError(t, err)
			tt.leave(t, w, p.ID)
			_, err = w.db.Posts.ClosePost(t.Context(), p.ID)
			require.NoError(t, err)
			before, err := w.db.Posts.Post(t.Context(), p.ID)
			require.NoError(t, err)

			rec := w.do(t, call{method: "DELETE", path: "/api/posts/" + p.ID})
			require.Equal(t, tt.code, rec.Code, rec.Body.String())
			after, err := w.db.Posts.Post(t.Context(), p.ID)
			require.NoError(t, err)
			require.Equal(t, tt.status, after.Status)
			usage, err := w.db.Posts.MonthUsage(t.Context(), "2026-11")
			require.NoError(t, err)
			require.Equal(t, tt.held, usage.Reserved)
			require.Equal(t, []string{"start " + p.ID}, w.runs.orders, "its run has ended")
			if tt.code == 409 {
				require.Equal(t, before, after)
				refusal := problemOf(t, rec)
				require.Equal(t, problem.PostClosed, refusal.Code)
				require.Contains(t, refusal.Message, "nobody knows whether")
			}
		})
	}
}

func refuse(t *testing.T, w *world, id string) {
	t.Helper()
	_, err := w.db.Posts.ConcludePost(t.Context(), id, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused"}, now)
	require.NoError(t, err)
}

func doubt(t *testing.T, w *world, id string) {
	t.Helper()
	_, err := w.db.Posts.DoubtPost(t.Context(), id, 1, "x_unreadable", "Nobody knows.")
	require.NoError(t, err)
}
