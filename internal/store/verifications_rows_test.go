package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func prune(t *testing.T, s *store.DB, keep int) int {
	t.Helper()
	return must(s.Verifications.PruneVerifications(t.Context(), keep))(t)
}

func TestPruning(t *testing.T) {
	t.Parallel()
	each(t, "the newest runs are kept", func(t *testing.T, s *store.DB) {
		require.Zero(t, prune(t, s, 2))
		open := requestRun(t, s, "k", november)
		saveShot(t, s, newShot(open.ID, verification.Light, "wide"))
		slow := november.Add(time.Hour)
		putVerification(t, s, "slow", 1, func(r *verification.Run) { r.EndedAt = &slow })
		for i, id := range []string{"b", "c", "d"} {
			putVerification(t, s, id, 2+i, nil)
			for _, v := range verification.Views() {
				shot := newShot(id, v.Theme, v.Viewport.Name)
				require.NoError(t, s.Put(t, &shot))
			}
		}
		require.Equal(t, 2, prune(t, s, 2))
		require.Zero(t, prune(t, s, 2))
		runs, _ := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.Equal(t, []string{"d", "slow", open.ID}, idsOf(runs), "in order of their ends; open runs are kept")
		require.Empty(t, shotsOf(t, s, "b", "c"))
		require.Len(t, shotsOf(t, s, "d", open.ID), 5)

		require.Equal(t, 2, prune(t, s, 0))
		require.Equal(t, []int{1, 1}, []int{s.Count(t, "verifications"), s.Count(t, "verification_screenshots")})
	})
	each(t, "baselines keep their pictures", func(t *testing.T, s *store.DB) {
		first, second := requestRun(t, s, "one", november), requestRun(t, s, "two", november)
		approveBaseline(t, s, newBaseline("b1", first.ID, verification.Light, november))
		saveShot(t, s, compared(newShot(second.ID, verification.Light, "wide"), "b1", sha("d"), 0.5))
		must(s.Verifications.EndVerification(t.Context(), first.ID, outcome(verification.Active), true, november))(t)
		endVerification(t, s, second.ID, november)
		require.Equal(t, 2, prune(t, s, 0))
		require.Equal(t, 1, s.Number(t, "SELECT active FROM verification_days"), "days are kept without their runs")
		require.Equal(t, map[string]bool{sha("b"): true}, must(s.Verifications.ImagesInUse(t.Context(), 0))(t))
		// Its image may be deleted with the run.
		requireCode(t, problem.NotFound, s.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{newBaseline("b2", first.ID, verification.Light, november)}))
		require.Equal(t, []string{"b1"}, currentBaselines(t, s, "/"))
	})
	each(t, "many runs are deleted at once", func(t *testing.T, s *store.DB) {
		for i := range 1010 { // more than two batches
			putVerification(t, s, fmt.Sprintf("r%04d", i), i, nil)
		}
		require.Equal(t, 1008, prune(t, s, 2))
		runs, total := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.Equal(t, []string{"r1009", "r1008"}, idsOf(runs))
		require.Equal(t, 2, total)
	})
	each(t, "the last scheduled runs are kept", func(t *testing.T, s *store.DB) {
		byClock := func(r *verification.Run) { r.RequestedBy = verification.Schedule }
		for i := range 5 {
			putVerification(t, s, fmt.Sprintf("clock%d", i), i, byClock)
			putVerification(t, s, fmt.Sprintf("visitor%d", i), 10+i, nil)
		}
		require.Equal(t, 5, prune(t, s, 2))
		runs, _ := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.ElementsMatch(t, []string{"visitor4", "visitor3", "clock4", "clock3", "clock2"}, idsOf(runs))
	})
	each(t, "pictures in use are kept", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		replaced, current := newBaseline("b1", r.ID, verification.Light, november), newBaseline("b2", r.ID, verification.Light, november)
		replaced.ImageHash, current.ImageHash = sha("1"), sha("2")
		approveBaseline(t, s, replaced, current)
		shot, failed := compared(newShot(r.ID, verification.Light, "wide"), "b1", sha("4"), 0.5), newShot(r.ID, verification.Dark, "wide")
		shot.ImageHash, failed.ImageHash, failed.Error = sha("3"), "", "no"
		saveShot(t, s, shot)
		saveShot(t, s, failed)
		for i, chaosID := range []string{"old", "a", "b"} {
			put(t, s, chaosID, 1+i, nil)
			for j, moment := range []verification.Moment{verification.Before, verification.Healed} {
				cellShot := newTargetShot(chaosID, moment)
				cellShot.ImageHash = sha(string(rune('5' + 2*i + j)))
				if i+j == 3 {
					cellShot.ImageHash, cellShot.Error = "", "no"
				}
				require.NoError(t, s.Verifications.SaveChaosScreenshot(t.Context(), cellShot))
			}
		}
		want := map[string]bool{sha("1"): true, sha("2"): true, sha("3"): true, sha("4"): true}
		for runs, more := range [][]string{nil, {"9"}, {"7", "8"}, {"5", "6"}, nil} {
			for _, letter := range more {
				want[sha(letter)] = true
			}
			require.Equal(t, want, must(s.Verifications.ImagesInUse(t.Context(), runs))(t), "with %d chaos runs", runs)
		}
	})
}

// TestPruningSkipsLockedRows runs on Postgres only, because SQLite has one writer.
func TestPruningSkipsLockedRows(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	putVerification(t, s, "held", 1, nil)
	putVerification(t, s, "old", 2, nil)
	letGo := s.Hold(t, "UPDATE verifications SET url = url WHERE id = 'held'")
	soon, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	require.Equal(t, 1, must(s.Verifications.PruneVerifications(soon, 0))(t))
	letGo()
	require.Equal(t, 1, prune(t, s, 0))
}
