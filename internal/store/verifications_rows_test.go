package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
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
		open := askLook(t, s, "k", november)
		saveShot(t, s, newShot(open.ID, verification.Light, "wide"))
		slow := november.Add(time.Hour)
		putLook(t, s, "slow", 1, func(r *verification.Run) { r.EndedAt = &slow })
		for i, id := range []string{"b", "c", "d"} {
			putLook(t, s, id, 2+i, nil)
			for _, v := range verification.Views() {
				shot := newShot(id, v.Theme, v.Viewport.Name)
				require.NoError(t, s.Put(t, &shot))
			}
		}
		require.Equal(t, 2, prune(t, s, 2))
		require.Zero(t, prune(t, s, 2))
		runs, _ := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.Equal(t, []string{"d", "slow", open.ID}, idsOf(runs), "as they ended; what is under way stays")
		require.Empty(t, shotsOf(t, s, "b", "c"))
		require.Len(t, shotsOf(t, s, "d", open.ID), 5)

		require.Equal(t, 2, prune(t, s, 0))
		require.Equal(t, []int{1, 1}, []int{s.Count(t, "verifications"), s.Count(t, "verification_screenshots")})
	})
	each(t, "baselines keep their pictures", func(t *testing.T, s *store.DB) {
		first, second := askLook(t, s, "one", november), askLook(t, s, "two", november)
		approveLook(t, s, newBaseline("b1", first.ID, verification.Light, november))
		saveShot(t, s, compared(newShot(second.ID, verification.Light, "wide"), "b1", sha("d"), 0.5))
		must(s.Verifications.EndVerification(t.Context(), first.ID, outcome(verification.Active), true, november))(t)
		endLook(t, s, second.ID, november)
		require.Equal(t, 2, prune(t, s, 0))
		require.Equal(t, 1, s.Number(t, "SELECT active FROM verification_days"), "days are kept without their runs")
		require.Equal(t, map[string]bool{sha("b"): true}, must(s.Verifications.ImagesInUse(t.Context(), 0))(t))
		// Its picture may be gone with the run.
		requireCode(t, problem.NotFound, s.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{newBaseline("b2", first.ID, verification.Light, november)}))
		require.Equal(t, []string{"b1"}, currentLooks(t, s, "/"))
	})
	each(t, "many runs are deleted at once", func(t *testing.T, s *store.DB) {
		for i := range 1010 { // more than two batches
			putLook(t, s, fmt.Sprintf("r%04d", i), i, nil)
		}
		require.Equal(t, 1008, prune(t, s, 2))
		runs, total := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.Equal(t, []string{"r1009", "r1008"}, idsOf(runs))
		require.Equal(t, 2, total)
	})
	each(t, "the last scheduled runs are kept", func(t *testing.T, s *store.DB) {
		byClock := func(r *verification.Run) { r.RequestedBy = verification.Schedule }
		for i := range 5 {
			putLook(t, s, fmt.Sprintf("clock%d", i), i, byClock)
			putLook(t, s, fmt.Sprintf("visitor%d", i), 10+i, nil)
		}
		require.Equal(t, 5, prune(t, s, 2))
		runs, _ := must2(s.Verifications.Verifications(t.Context(), 10, 0))(t)
		require.ElementsMatch(t, []string{"visitor4", "visitor3", "clock4", "clock3", "clock2"}, idsOf(runs))
	})
	each(t, "pictures in use are kept", func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		replaced, current := newBaseline("b1", r.ID, verification.Light, november), newBaseline("b2", r.ID, verification.Light, november)
		replaced.ImageHash, current.ImageHash = sha("1"), sha("2")
		approveLook(t, s, replaced, current)
		shot, failed := compared(newShot(r.ID, verification.Light, "wide"), "b1", sha("4"), 0.5), newShot(r.ID, verification.Dark, "wide")
		shot.ImageHash, failed.ImageHash, failed.Error = sha("3"), "", "no"
		saveShot(t, s, shot)
		saveShot(t, s, failed)
		for i, chaosID := range []string{"old", "a", "b"} {
			put(t, s, chaosID, 1+i, nil)
			for j, moment := range []verification.Moment{verification.Before, verification.Healed} {
				cellShot := newCellShot(chaosID, moment)
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

// A run that somebody holds, to approve it, is left to the next time. SQLite has one writer.
func TestForgettingWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	putLook(t, s, "held", 1, nil)
	putLook(t, s, "old", 2, nil)
	letGo := s.Hold(t, "UPDATE verifications SET url = url WHERE id = 'held'")
	soon, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	require.Equal(t, 1, must(s.Verifications.PruneVerifications(soon, 0))(t))
	letGo()
	require.Equal(t, 1, prune(t, s, 0))
}

func TestVerificationRows(t *testing.T) {
	t.Parallel()
	// The database refuses what the code would never write, too.
	each(t, "runs", func(t *testing.T, s *store.DB) {
		putLook(t, s, "fine", 1, nil)
		open := askLook(t, s, "open", november)
		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: "c1", Outcome: model.Answered, CreatedAt: november}))
		call, nobody, other, none := "c1", "nobody", "other", ""
		reopen := func(r *verification.Run) {
			r.Stage, r.OpenKey, r.ChecksVerdict, r.Verdict, r.EndedAt = verification.Looking, &other, "", "", nil
		}
		judged := func(checked, verdict verification.Verdict) func(*verification.Run) {
			return func(r *verification.Run) { r.ChecksVerdict, r.Verdict = checked, verdict }
		}
		refused := map[string]func(*verification.Run){
			"the same run another time": func(r *verification.Run) { r.ID = "fine" },
			"an unknown asker":          func(r *verification.Run) { r.RequestedBy = "robot" },
			"an unknown stage":          func(r *verification.Run) { reopen(r); r.Stage = "thinking" },
			"an unknown verdict":        judged(verification.Active, verification.Unknown),
			"unknown to the checks":     judged(verification.Unknown, verification.Broken),
			"too long a prompt":         func(r *verification.Run) { r.Prompt = strings.Repeat("ü", verification.MaxPrompt+1) },
			"a key that another has":    func(r *verification.Run) { reopen(r); r.OpenKey = open.OpenKey },
			"an empty key":              func(r *verification.Run) { reopen(r); r.OpenKey = &none },
			"open without a key":        func(r *verification.Run) { reopen(r); r.OpenKey = nil },
			"open with a time":          func(r *verification.Run) { ended := *r.EndedAt; reopen(r); r.EndedAt = &ended },
			"open with a verdict":       func(r *verification.Run) { reopen(r); r.Verdict = verification.Active },
			"open, and checked":         func(r *verification.Run) { reopen(r); r.ChecksVerdict = verification.Active },
			"ended, and open":           func(r *verification.Run) { r.OpenKey = &other },
			"ended without a time":      func(r *verification.Run) { r.EndedAt = nil },
			"ended without a verdict":   judged(verification.Active, ""),
			"ended without its checks":  judged("", verification.Broken),
			"error, raised to warning":  judged(verification.Broken, verification.Warning),
			"error, raised to active":   judged(verification.Broken, verification.Active),
			"warning, raised to active": judged(verification.Warning, verification.Active),
			"active with failures":      func(r *verification.Run) { r.Failed = 1 },
			"fewer than no failures":    func(r *verification.Run) { judged(verification.Broken, verification.Broken)(r); r.Failed = -1 },
			"fewer than none passed":    func(r *verification.Run) { r.Passed = -1 },
			"checks that are not there": func(r *verification.Run) { r.Checks = nil },
			"a call nobody made":        func(r *verification.Run) { r.Comment, r.CallID = &verification.Comment{}, &nobody },
			"a call without a comment":  func(r *verification.Run) { r.CallID = &call },
		}
		accepted := map[string]func(*verification.Run){
			"active":                     nil,
			"lowered to error":           judged(verification.Active, verification.Broken),
			"warning, with failures":     func(r *verification.Run) { judged(verification.Warning, verification.Warning)(r); r.Failed = 2 },
			"a prompt as long as it may": func(r *verification.Run) { r.Prompt = strings.Repeat("ü", verification.MaxPrompt) },
			"open under another key":     reopen,
			"with a call":                func(r *verification.Run) { r.Comment, r.CallID = &verification.Comment{}, &call },
		}
		for name, alter := range refused {
			require.Error(t, s.Put(t, endedLook("new", alter)), name)
		}
		for name, alter := range accepted {
			require.NoError(t, s.Put(t, endedLook(name, alter)), name)
		}
		require.Equal(t, 2+len(accepted), s.Count(t, "verifications"))
	})
	each(t, "screenshots", func(t *testing.T, s *store.DB) {
		putLook(t, s, "r", 1, nil)
		putLook(t, s, "other", 1, nil)
		approveLook(t, s, newBaseline("b", "r", verification.Light, november))
		fine := newShot("r", verification.Light, "wide")
		require.NoError(t, s.Put(t, &fine))
		look, nobody, share, less, more := "b", "nobody", 0.5, -0.01, 1.01
		for name, alter := range map[string]func(*verification.Shot){
			"the same view again":         func(r *verification.Shot) { r.RunID = "r" },
			"of no run":                   func(r *verification.Shot) { r.RunID = "nobody" },
			"an unknown theme":            func(r *verification.Shot) { r.Theme = "blue" },
			"a picture with half a name":  func(r *verification.Shot) { r.ImageHash = "abc" },
			"a picture, and why not":      func(r *verification.Shot) { r.Error = "no" },
			"no picture, and no reason":   func(r *verification.Shot) { r.ImageHash = "" },
			"changed from nothing":        func(r *verification.Shot) { r.ChangedShare = &share },
			"compared with what is not":   func(r *verification.Shot) { r.BaselineID, r.ChangedShare = &nobody, &share },
			"changed by less than none":   func(r *verification.Shot) { r.BaselineID, r.ChangedShare = &look, &less },
			"changed by more than all":    func(r *verification.Shot) { r.BaselineID, r.ChangedShare = &look, &more },
			"a difference with half name": func(r *verification.Shot) { r.BaselineID, r.ChangedShare, r.DiffHash = &look, &share, "abc" },
			"a difference from nothing":   func(r *verification.Shot) { r.DiffHash = sha("d") },
		} {
			shot := newShot("other", verification.Light, "wide")
			alter(&shot)
			require.Error(t, s.Put(t, &shot), name)
		}
		compared := newShot("other", verification.Light, "wide")
		compared.BaselineID, compared.ChangedShare, compared.DiffHash = &look, &share, sha("d")
		require.NoError(t, s.Put(t, &compared))
		require.Error(t, s.Exec("DELETE FROM verifications WHERE id = 'r'"), "a run goes with its views only")
		require.Error(t, s.Exec("DELETE FROM verification_baselines"), "a look that a view was compared with stays")
		require.Equal(t, 2, s.Count(t, "verification_screenshots"))
	})
	each(t, "baselines", func(t *testing.T, s *store.DB) {
		key := verification.BaselineKey("/", verification.Light, "wide")
		current := func(id string) verification.Baseline {
			b := newBaseline(id, "gone", verification.Light, november)
			b.CurrentKey, b.Masks = &key, []verification.Rect{}
			return b
		}
		fine, replaced := current("b"), current("replaced")
		replaced.CurrentKey = nil
		require.NoError(t, s.Put(t, &fine))
		require.NoError(t, s.Put(t, &replaced))
		for name, alter := range map[string]func(*verification.Baseline){
			"the same another time":    func(b *verification.Baseline) { b.ID, b.CurrentKey = "b", nil },
			"two that count":           func(*verification.Baseline) {},
			"an unknown theme":         func(b *verification.Baseline) { b.Theme, b.CurrentKey = "blue", nil },
			"no picture":               func(b *verification.Baseline) { b.ImageHash, b.CurrentKey = "", nil },
			"no width":                 func(b *verification.Baseline) { b.Width, b.CurrentKey = 0, nil },
			"no height":                func(b *verification.Baseline) { b.Height, b.CurrentKey = 0, nil },
			"no reason":                func(b *verification.Baseline) { b.Reason, b.CurrentKey = "", nil },
			"masks that are not there": func(b *verification.Baseline) { b.Masks, b.CurrentKey = nil, nil },
		} {
			b := current("new")
			alter(&b)
			require.Error(t, s.Put(t, &b), name)
		}
		require.Equal(t, 2, s.Count(t, "verification_baselines"))
	})
	each(t, "other rows", func(t *testing.T, s *store.DB) {
		require.Error(t, s.Put(t, &verification.BrowserState{ID: "another"}), "there is one browser")
		require.Error(t, s.Put(t, &verification.BrowserState{ID: verification.TheBrowser}))
		for name, d := range map[string]verification.Day{
			"a day with a time": {Day: "2026-11-20T00"}, "no day": {},
			"fewer than no active": {Day: "2026-11-20", Active: -1}, "fewer than no warning": {Day: "2026-11-20", Warning: -1},
			"fewer than no errors": {Day: "2026-11-20", Broken: -1},
		} {
			require.Error(t, s.Put(t, &d), name)
		}
		put(t, s, "r", 1, nil)
		for name, alter := range map[string]func(*verification.TargetScreenshot){
			"of no chaos run":            func(c *verification.TargetScreenshot) { c.ChaosRunID = "nobody" },
			"an unknown moment":          func(c *verification.TargetScreenshot) { c.Moment = "after" },
			"an unknown opinion":         func(c *verification.TargetScreenshot) { c.Opinion = "" },
			"a picture with half a name": func(c *verification.TargetScreenshot) { c.ImageHash = "abc" },
			"a picture, and why not":     func(c *verification.TargetScreenshot) { c.Error = "no" },
			"no picture, and no reason":  func(c *verification.TargetScreenshot) { c.ImageHash = "" },
			"a width of less than none":  func(c *verification.TargetScreenshot) { c.Width = -1 },
			"a height of less than none": func(c *verification.TargetScreenshot) { c.Height = -1 },
		} {
			c := newCellShot("r", verification.Before)
			alter(&c)
			require.Error(t, s.Put(t, &c), name)
		}
		fine := newCellShot("r", verification.Before)
		require.NoError(t, s.Put(t, &fine))
		require.Error(t, s.Put(t, &fine), "a moment is once")
		require.Error(t, s.Exec("UPDATE chaos_screenshots SET failing = -1"))
		require.Error(t, s.Exec("DELETE FROM chaos_runs"), "a run that has pictures stays")
	})
}
