package store_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
)

func sha(letter string) string { return strings.Repeat(letter, 64) }

func newShot(runID string, theme verification.Theme, viewport string) verification.Shot {
	return verification.Shot{RunID: runID, Theme: theme, Viewport: viewport, ImageHash: sha("a"), TakenAt: november}
}

func saveShot(t *testing.T, s *store.DB, shot verification.Shot) {
	t.Helper()
	require.NoError(t, s.Verifications.SaveScreenshot(t.Context(), shot))
}

func shotsOf(t *testing.T, s *store.DB, ids ...string) []verification.Shot {
	t.Helper()
	shots := must(s.Verifications.Screenshots(t.Context(), ids...))(t)
	for i := range shots {
		shots[i].TakenAt = shots[i].TakenAt.UTC()
	}
	return shots
}

func compared(shot verification.Shot, baseline, diff string, share float64) verification.Shot {
	shot.BaselineID, shot.DiffHash, shot.ChangedShare = &baseline, diff, &share
	return shot
}

func TestScreenshots(t *testing.T) {
	t.Parallel()
	each(t, "a screenshot is stored as it was taken", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		failed := newShot(r.ID, verification.Light, "wide")
		failed.ImageHash, failed.Error, failed.Code = "", "It took more than 15 s.", string(problem.PageSlow)
		saveShot(t, s, failed)
		require.Equal(t, []verification.Shot{failed}, shotsOf(t, s, r.ID))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM verification_screenshots WHERE facts IS NULL"))

		seen := newShot(r.ID, verification.Light, "wide")
		seen.TakenAt = november.Add(time.Second + time.Nanosecond)
		seen.Facts = &verification.Facts{
			Status: 200, FinalURL: frontPage, Title: "Ünï\x00", Landmarks: []string{"main"}, Headings: 1,
			Axe: []verification.Violation{{Rule: "color-contrast", Targets: []string{"p"}, Count: 3}}, Masks: []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}},
			Bytes: 1 << 40, Cut: true,
		}
		saveShot(t, s, seen)
		seen.TakenAt = november.Add(time.Second)
		require.Equal(t, []verification.Shot{seen}, shotsOf(t, s, r.ID), "over what the first try left")

		notLooked := *seen.Facts
		notLooked.Axe, seen.Facts = []verification.Violation{}, &notLooked
		saveShot(t, s, seen)
		require.NotNil(t, shotsOf(t, s, r.ID)[0].Facts.Axe, "no findings differ from no check")
	})
	each(t, "screenshots are in the order of viewports", func(t *testing.T, s *store.DB) {
		a, b, other := requestRun(t, s, "a", november), requestRun(t, s, "b", november), requestRun(t, s, "c", november)
		views := verification.Views()
		var want, got []string
		for _, r := range []verification.Run{b, a} {
			for _, v := range views {
				want = append(want, r.ID+" "+verification.ViewName(v.Theme, v.Viewport.Name))
			}
			want = append(want, r.ID+" light ancient")
			saveShot(t, s, newShot(r.ID, verification.Light, "ancient"))
		}
		slices.Reverse(views) // saved in reverse order
		for _, v := range views {
			for _, r := range []verification.Run{a, other, b} {
				saveShot(t, s, newShot(r.ID, v.Theme, v.Viewport.Name))
			}
		}
		for _, shot := range shotsOf(t, s, b.ID, "nobody", a.ID, b.ID) {
			got = append(got, shot.RunID+" "+verification.ViewName(shot.Theme, shot.Viewport))
		}
		require.Equal(t, want, got)
		require.Empty(t, append(shotsOf(t, s), shotsOf(t, s, "nobody")...))
	})
	each(t, "a comparison changes nothing else", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		approveBaseline(t, s, newBaseline("b1", r.ID, verification.Light, november))
		shot, other := newShot(r.ID, verification.Light, "wide"), newShot(r.ID, verification.Dark, "wide")
		shot.Facts = &verification.Facts{Title: "seen"}
		saveShot(t, s, shot)
		saveShot(t, s, other)
		stands := func(want verification.Shot, says string) {
			t.Helper()
			require.Equal(t, []verification.Shot{want, other}, shotsOf(t, s, r.ID), says)
		}
		for range 2 {
			found := compared(newShot(r.ID, verification.Light, "wide"), "b1", sha("d"), 0.25)
			found.ImageHash, found.Error, found.TakenAt = "", "never", november.Add(time.Hour)
			require.NoError(t, s.Verifications.SaveComparison(t.Context(), found))
		}
		stands(compared(shot, "b1", sha("d"), 0.25), "only the comparison is taken over")
		require.NoError(t, s.Verifications.SaveComparison(t.Context(), shot))
		stands(shot, "there was nothing to compare with")
		require.NoError(t, s.Verifications.SaveComparison(t.Context(), compared(shot, "b1", "", 0)))
		stands(compared(shot, "b1", "", 0), "nothing changed")
		saveShot(t, s, shot)
		stands(shot, "a new picture is not compared yet")
		require.Error(t, s.Verifications.SaveComparison(t.Context(), compared(shot, "nobody", "", 0)), "there is no such baseline")
		require.Error(t, s.Verifications.SaveComparison(t.Context(), newShot(r.ID, verification.Dark, "narrow")), "it was not taken")
	})
	each(t, "screenshots of an ended run stay", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		approveBaseline(t, s, newBaseline("b1", r.ID, verification.Light, november))
		shot := newShot(r.ID, verification.Light, "wide")
		saveShot(t, s, shot)
		endVerification(t, s, r.ID, november)
		late := compared(shot, "b1", "", 1)
		late.ImageHash = sha("b")
		saveShot(t, s, late)
		saveShot(t, s, newShot(r.ID, verification.Dark, "wide"))
		require.NoError(t, s.Verifications.SaveComparison(t.Context(), late))
		require.Equal(t, []verification.Shot{shot}, shotsOf(t, s, r.ID))
	})
	each(t, "the state of the browser", func(t *testing.T, s *store.DB) {
		b := must(s.Verifications.Browser(t.Context()))(t)
		require.Equal(t, verification.BrowserState{ID: verification.TheBrowser, Message: "No worker has looked for it yet."}, b)
		noted := func(state verification.BrowserState, at time.Time) []any {
			state.SeenAt = &at
			require.NoError(t, s.Verifications.NoteBrowser(t.Context(), state))
			b := must(s.Verifications.Browser(t.Context()))(t)
			return []any{b.SeenAt.UTC(), b.Ready, b.Message, b.Version}
		}
		ready, later := verification.BrowserState{Ready: true, Version: "Chromium 1"}, november.Add(time.Minute)
		require.Equal(t, []any{november, true, "", "Chromium 1"}, noted(ready, november.Add(time.Nanosecond)))
		gone := verification.BrowserState{ID: "another", Message: "It is gone."}
		require.Equal(t, []any{later, false, "It is gone.", "Chromium 1"}, noted(gone, later), "its version is known still")
		require.Equal(t, 1, s.Count(t, "browsers"))
	})
	each(t, "the first screenshot of a moment stays", func(t *testing.T, s *store.DB) {
		put(t, s, "r", 1, nil)
		put(t, s, "other", 2, nil)
		healed, during, before := newTargetShot("r", verification.Healed), newTargetShot("r", verification.During), newTargetShot("r", verification.Before)
		during.Failing, during.Opinion = target.Failed(target.Checks()[1]), verification.LooksBroken
		before.ImageHash, before.Width, before.Height, before.Error, before.Opinion = "", 0, 0, "The browser cannot be started.", verification.LooksUnclear
		for _, shot := range []verification.TargetScreenshot{healed, during, before, newTargetShot("other", verification.During)} {
			require.NoError(t, s.Verifications.SaveChaosScreenshot(t.Context(), shot))
		}
		again := newTargetShot("r", verification.During)
		again.ImageHash, again.TakenAt = sha("d"), november.Add(time.Hour)
		require.NoError(t, s.Verifications.SaveChaosScreenshot(t.Context(), again))

		shots := must(s.Verifications.ChaosScreenshots(t.Context(), "r"))(t)
		for i := range shots {
			shots[i].TakenAt = shots[i].TakenAt.UTC()
		}
		require.Equal(t, []verification.TargetScreenshot{before, during, healed}, shots)
		require.Error(t, s.Verifications.SaveChaosScreenshot(t.Context(), newTargetShot("nobody", verification.Before)), "there is no such chaos run")
		require.Empty(t, must(s.Verifications.ChaosScreenshots(t.Context(), "nobody"))(t))
	})
	each(t, "agreements are counted", func(t *testing.T, s *store.DB) {
		require.Empty(t, must(s.Verifications.Agreements(t.Context()))(t))
		const healthy, sick = target.Failing(0), target.Failing(1 << 31)
		for i, shot := range []struct {
			by              string
			failing         target.Failing
			opinion         verification.Opinion
			moving, noImage bool
		}{
			{"model", healthy, verification.LooksWell, false, false},
			{"model", sick, verification.LooksBroken, false, false},
			{"model", sick, verification.LooksBroken, false, false},
			{"model", healthy, verification.LooksBroken, false, false},
			{"model", sick, verification.LooksWell, false, false},
			{"model", sick, verification.LooksWell, false, false},
			{"model", sick, verification.LooksUnclear, false, false},
			{"model", healthy, verification.LooksWell, true, false}, // not stable, so not compared
			{"model", sick, verification.LooksWell, true, false},
			{"model", healthy, verification.LooksBroken, true, false},
			{"model", sick, verification.LooksUnclear, true, false}, // unclear is no opinion
			{"built-in", healthy, verification.LooksWell, false, false},
			{"built-in", healthy, verification.LooksWell, false, true},
			{"built-in", sick, verification.LooksUnclear, false, true},
			{"nobody", sick, verification.LooksUnclear, false, true},
		} {
			id := string(rune('a' + i))
			put(t, s, id, i, nil)
			row := newTargetShot(id, verification.During)
			row.ReviewedBy, row.Failing, row.Opinion, row.Stable = shot.by, shot.failing, shot.opinion, !shot.moving
			if shot.noImage {
				row.ImageHash, row.Error = "", "no"
			}
			require.NoError(t, s.Verifications.SaveChaosScreenshot(t.Context(), row))
		}
		require.Equal(t, []verification.Agreement{
			{By: "built-in", Compared: 1, Agreed: 1, Healthy: 1},
			{By: "model", Compared: 6, Agreed: 3, Healthy: 2, FalseAlarms: 1, Overlooked: 2, Unclear: 2},
		}, must(s.Verifications.Agreements(t.Context()))(t))
	})
}

func newTargetShot(chaosID string, moment verification.Moment) verification.TargetScreenshot {
	return verification.TargetScreenshot{
		ChaosRunID: chaosID, Moment: moment, Path: "/", ImageHash: sha("c"), Width: 1280, Height: 800, Stable: true,
		Opinion: verification.LooksWell, Review: "It looks good.", ReviewedBy: verification.BuiltIn, TakenAt: november,
	}
}

func newBaseline(id, runID string, theme verification.Theme, at time.Time) verification.Baseline {
	return verification.Baseline{
		ID: id, Path: "/", Theme: theme, Viewport: "wide", ImageHash: sha("b"), Width: 1280, Height: 800,
		RunID: runID, Reason: "It is new.", ApprovedBy: "grace", ApprovedAt: at,
	}
}

func approveBaseline(t *testing.T, s *store.DB, baselines ...verification.Baseline) {
	t.Helper()
	require.NoError(t, s.Verifications.ApproveBaselines(t.Context(), baselines))
}

func currentBaselines(t *testing.T, s *store.DB, path string) []string {
	t.Helper()
	return idsOf(must(s.Verifications.CurrentBaselines(t.Context(), path))(t))
}

func TestBaselines(t *testing.T) {
	t.Parallel()
	each(t, "an approved baseline replaces another", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		first := newBaseline("b1", r.ID, verification.Light, november.Add(time.Nanosecond))
		first.Masks = []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}
		wrong := "nonsense"
		first.CurrentKey = &wrong
		approveBaseline(t, s, first)
		baselines := must(s.Verifications.CurrentBaselines(t.Context(), "/"))(t)
		require.Len(t, baselines, 1)
		key := verification.BaselineKey("/", verification.Light, "wide")
		first.CurrentKey, first.ApprovedAt, baselines[0].ApprovedAt = &key, november, baselines[0].ApprovedAt.UTC()
		require.Equal(t, first, baselines[0])

		approveBaseline(t, s, newBaseline("b2", r.ID, verification.Light, november.Add(time.Minute)))
		require.Equal(t, []string{"b2"}, currentBaselines(t, s, "/"))
		baselines = must(s.Verifications.BaselinesNamed(t.Context(), []string{"b2", "b1", "nobody"}))(t)
		require.Equal(t, []string{"b1", "b2"}, idsOf(baselines))
		first.CurrentKey, baselines[0].ApprovedAt = nil, baselines[0].ApprovedAt.UTC()
		require.Equal(t, first, baselines[0], "it stays as it was, but for counting")
		require.Equal(t, []verification.Rect{}, baselines[1].Masks)
		require.Empty(t, must(s.Verifications.BaselinesNamed(t.Context(), nil))(t))
	})
	each(t, "baselines are approved all or none", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		approveBaseline(t, s, newBaseline("old", r.ID, verification.Light, november))
		bad := newBaseline("bad", r.ID, verification.Dark, november)
		bad.Reason = ""
		lost := newBaseline("lost", "gone", verification.Dark, november)
		for _, other := range []verification.Baseline{bad, lost} {
			require.Error(t, s.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{newBaseline("new", r.ID, verification.Light, november), other}))
			require.Equal(t, []string{"old"}, currentBaselines(t, s, "/"))
			require.Equal(t, 1, s.Count(t, "verification_baselines"))
		}
	})
	each(t, "baselines are listed", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		about := newBaseline("about", r.ID, verification.Light, november.Add(time.Minute))
		about.Path = "/about"
		narrow := newBaseline("narrow", r.ID, verification.Light, november)
		narrow.Viewport = "narrow"
		approveBaseline(t, s, narrow, newBaseline("dark", r.ID, verification.Dark, november), newBaseline("old", r.ID, verification.Light, november.Add(-time.Minute)))
		approveBaseline(t, s, about)
		approveBaseline(t, s, newBaseline("new", r.ID, verification.Light, november.Add(2*time.Minute)))
		baselines, total := must2(s.Verifications.Baselines(t.Context(), "", 10, 1))(t)
		require.Equal(t, []any{[]string{"about", "narrow", "dark", "old"}, 5}, []any{idsOf(baselines), total})
		baselines, total = must2(s.Verifications.Baselines(t.Context(), "/", 10, 0))(t)
		require.Equal(t, []any{[]string{"new", "narrow", "dark", "old"}, 4}, []any{idsOf(baselines), total})
		require.Equal(t, []string{"new", "dark", "narrow"}, currentBaselines(t, s, "/"), "in the order of views")
		require.Equal(t, []string{"about"}, currentBaselines(t, s, "/about"))
	})
	// Concurrent approvals of different runs in different orders are serialized.
	each(t, "baselines approved at once replace one another", func(t *testing.T, s *store.DB) {
		const founders = 20
		runs := []verification.Run{requestRun(t, s, "one", november), requestRun(t, s, "two", november)}
		require.Equal(t, founders, atOnce(t, founders, func(i int) error {
			baselines := []verification.Baseline{
				newBaseline("light"+strconv.Itoa(i), runs[i%2].ID, verification.Light, november),
				newBaseline("dark"+strconv.Itoa(i), runs[i%2].ID, verification.Dark, november),
			}
			if i%3 == 0 {
				slices.Reverse(baselines)
			}
			if i%5 == 0 {
				baselines[1].RunID = runs[(i+1)%2].ID
			}
			return s.Verifications.ApproveBaselines(t.Context(), baselines)
		}))
		require.Equal(t, 2*founders, s.Count(t, "verification_baselines"))
		now := currentBaselines(t, s, "/")
		require.Len(t, now, 2)
		require.Equal(t, now[0][len("light"):], now[1][len("dark"):], "both are of the same founder")
	})
}
