package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// sha is a name of a picture: an e-mail, many times.
func sha(letter string) string { return strings.Repeat(letter, 64) }

func newShot(runID string, theme verification.Theme, viewport string) verification.Shot {
	return verification.Shot{RunID: runID, Theme: theme, Viewport: viewport, Picture: sha("a"), TakenAt: november}
}

func saveShot(t *testing.T, s *store.DB, shot verification.Shot) {
	t.Helper()
	require.NoError(t, s.Verifications.SaveShot(t.Context(), shot))
}

func shotsOf(t *testing.T, s *store.DB, ids ...string) []verification.Shot {
	t.Helper()
	shots, err := s.Verifications.Shots(t.Context(), ids...)
	require.NoError(t, err)
	for i := range shots {
		shots[i].TakenAt = shots[i].TakenAt.UTC()
	}
	return shots
}

func TestAShotIsKeptAsItWasSeen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		failed := newShot(r.ID, verification.Light, "wide")
		failed.Picture, failed.Error, failed.Code = "", "It took more than 15 s.", string(problem.PageSlow)
		saveShot(t, s, failed)
		require.Equal(t, []verification.Shot{failed}, shotsOf(t, s, r.ID))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM verification_shots WHERE facts IS NULL"))

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
		require.NotNil(t, shotsOf(t, s, r.ID)[0].Facts.Axe, "nothing found is not the same as not looked for")
	})
}

func TestShotsAreInTheOrderOfViews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		a, b, other := askLook(t, s, "a", november), askLook(t, s, "b", november), askLook(t, s, "c", november)
		views := verification.Views()
		var want, got []string
		for _, r := range []verification.Run{b, a} {
			for _, v := range views {
				want = append(want, r.ID+" "+verification.ViewName(v.Theme, v.Viewport.Name))
			}
			want = append(want, r.ID+" light ancient")
			saveShot(t, s, newShot(r.ID, verification.Light, "ancient"))
		}
		for i := range views { // saved in another order
			v := views[len(views)-1-i]
			for _, r := range []verification.Run{a, other, b} {
				saveShot(t, s, newShot(r.ID, v.Theme, v.Viewport.Name))
			}
		}
		for _, shot := range shotsOf(t, s, b.ID, "nobody", a.ID, b.ID) {
			got = append(got, shot.RunID+" "+verification.ViewName(shot.Theme, shot.Viewport))
		}
		require.Equal(t, want, got)
		require.Empty(t, shotsOf(t, s))
		require.Empty(t, shotsOf(t, s, "nobody"))
	})
}

func TestAShotIsComparedAndNothingElse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		approveLook(t, s, newBaseline("b1", r.ID, verification.Light, november))
		shot, other := newShot(r.ID, verification.Light, "wide"), newShot(r.ID, verification.Dark, "wide")
		shot.Facts = &verification.Facts{Title: "seen"}
		saveShot(t, s, shot)
		saveShot(t, s, other)

		id, share := "b1", 0.25
		for range 2 {
			compared := newShot(r.ID, verification.Light, "wide")
			compared.Picture, compared.Error, compared.TakenAt = "", "never", november.Add(time.Hour)
			compared.BaselineID, compared.Diff, compared.Changed = &id, sha("d"), &share
			require.NoError(t, s.Verifications.CompareShot(t.Context(), compared))
		}
		want := shot
		want.BaselineID, want.Diff, want.Changed = &id, sha("d"), &share
		require.Equal(t, []verification.Shot{want, other}, shotsOf(t, s, r.ID))

		require.NoError(t, s.Verifications.CompareShot(t.Context(), shot))
		require.Equal(t, []verification.Shot{shot, other}, shotsOf(t, s, r.ID), "there was nothing to compare with")
		none := 0.0
		same := shot
		same.BaselineID, same.Changed = &id, &none
		require.NoError(t, s.Verifications.CompareShot(t.Context(), same))
		require.Equal(t, []verification.Shot{same, other}, shotsOf(t, s, r.ID), "nothing changed")
		saveShot(t, s, shot)
		require.Equal(t, []verification.Shot{shot, other}, shotsOf(t, s, r.ID), "a new picture is not compared yet")

		nobody := "nobody"
		same.BaselineID = &nobody
		require.Error(t, s.Verifications.CompareShot(t.Context(), same), "there is no such look")
		require.Error(t, s.Verifications.CompareShot(t.Context(), newShot(r.ID, verification.Dark, "narrow")), "it was not seen")
	})
}

func TestWhatWasJudgedStaysAsItWasSeen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		approveLook(t, s, newBaseline("b1", r.ID, verification.Light, november))
		shot := newShot(r.ID, verification.Light, "wide")
		saveShot(t, s, shot)
		endLook(t, s, r.ID, november)

		late := shot
		id, share := "b1", 1.0
		late.Picture, late.BaselineID, late.Changed = sha("b"), &id, &share
		require.NoError(t, s.Verifications.SaveShot(t.Context(), late))
		require.NoError(t, s.Verifications.SaveShot(t.Context(), newShot(r.ID, verification.Dark, "wide")))
		require.NoError(t, s.Verifications.CompareShot(t.Context(), late))
		require.Equal(t, []verification.Shot{shot}, shotsOf(t, s, r.ID))
	})
}

func TestTheBrowserIsNoted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		b, err := s.Verifications.Browser(t.Context())
		require.NoError(t, err)
		require.Equal(t, verification.BrowserState{ID: verification.TheBrowser, Message: "No worker has looked for it yet."}, b)

		at := november.Add(time.Nanosecond)
		require.NoError(t, s.Verifications.NoteBrowser(t.Context(), verification.BrowserState{Ready: true, Version: "Chromium 1", SeenAt: &at}))
		b, err = s.Verifications.Browser(t.Context())
		require.NoError(t, err)
		require.Equal(t, november, b.SeenAt.UTC())
		require.Equal(t, []any{true, "", "Chromium 1"}, []any{b.Ready, b.Message, b.Version})

		later := november.Add(time.Minute)
		require.NoError(t, s.Verifications.NoteBrowser(t.Context(), verification.BrowserState{ID: "another", Message: "It is gone.", SeenAt: &later}))
		b, err = s.Verifications.Browser(t.Context())
		require.NoError(t, err)
		require.Equal(t, later, b.SeenAt.UTC())
		require.Equal(t, []any{false, "It is gone.", "Chromium 1"}, []any{b.Ready, b.Message, b.Version}, "its version is known still")
		require.Equal(t, 1, s.Count(t, "browsers"))
	})
}

func newCellShot(chaosID string, moment verification.Moment) verification.CellShot {
	return verification.CellShot{
		ChaosID: chaosID, Moment: moment, Path: "/", Picture: sha("c"), Width: 1280, Height: 800, Steady: true,
		Opinion: verification.LooksWell, Says: "It looks well.", SaidBy: verification.BuiltIn, TakenAt: november,
	}
}

func TestTheFirstCellShotOfAMomentStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		put(t, s, "r", 1, nil)
		put(t, s, "other", 2, nil)
		healed, during, before := newCellShot("r", verification.Healed), newCellShot("r", verification.During), newCellShot("r", verification.Before)
		during.Failing, during.Opinion = target.Failed(target.Checks()[1]), verification.LooksBroken
		before.Picture, before.Width, before.Height, before.Error, before.Opinion = "", 0, 0, "The browser cannot be started.", verification.LooksUnclear
		for _, shot := range []verification.CellShot{healed, during, before, newCellShot("other", verification.During)} {
			require.NoError(t, s.Verifications.SaveCellShot(t.Context(), shot))
		}
		again := newCellShot("r", verification.During)
		again.Picture, again.TakenAt = sha("d"), november.Add(time.Hour)
		require.NoError(t, s.Verifications.SaveCellShot(t.Context(), again))

		shots, err := s.Verifications.CellShots(t.Context(), "r")
		require.NoError(t, err)
		for i := range shots {
			shots[i].TakenAt = shots[i].TakenAt.UTC()
		}
		require.Equal(t, []verification.CellShot{before, during, healed}, shots)
		require.Error(t, s.Verifications.SaveCellShot(t.Context(), newCellShot("nobody", verification.Before)), "there is no such chaos run")
		shots, err = s.Verifications.CellShots(t.Context(), "nobody")
		require.NoError(t, err)
		require.Empty(t, shots)
	})
}

func TestAgreementsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		none, err := s.Verifications.Agreements(t.Context())
		require.NoError(t, err)
		require.Empty(t, none)

		const well, sick = target.Failing(0), target.Failing(1 << 31)
		for i, shot := range []struct {
			by      string
			failing target.Failing
			opinion verification.Opinion
			steady  bool
			picture string
		}{
			{"model", well, verification.LooksWell, true, sha("a")},
			{"model", sick, verification.LooksBroken, true, sha("a")},
			{"model", sick, verification.LooksBroken, true, sha("a")},
			{"model", well, verification.LooksBroken, true, sha("a")},
			{"model", sick, verification.LooksWell, true, sha("a")},
			{"model", sick, verification.LooksWell, true, sha("a")},
			{"model", sick, verification.LooksUnclear, true, sha("a")},
			{"model", well, verification.LooksWell, false, sha("a")},    // it was changing
			{"model", sick, verification.LooksWell, false, sha("a")},    // likewise
			{"model", well, verification.LooksBroken, false, sha("a")},  // likewise
			{"model", sick, verification.LooksUnclear, false, sha("a")}, // no opinion all the same
			{"built-in", well, verification.LooksWell, true, sha("a")},
			{"built-in", well, verification.LooksWell, true, ""},
			{"built-in", sick, verification.LooksUnclear, true, ""},
			{"nobody", sick, verification.LooksUnclear, true, ""},
		} {
			id := string(rune('a' + i))
			put(t, s, id, i, nil)
			row := newCellShot(id, verification.During)
			row.SaidBy, row.Failing, row.Opinion, row.Steady, row.Picture = shot.by, shot.failing, shot.opinion, shot.steady, shot.picture
			if shot.picture == "" {
				row.Error = "no"
			}
			require.NoError(t, s.Verifications.SaveCellShot(t.Context(), row))
		}
		got, err := s.Verifications.Agreements(t.Context())
		require.NoError(t, err)
		require.Equal(t, []verification.Agreement{
			{By: "built-in", Compared: 1, Agreed: 1},
			{By: "model", Compared: 6, Agreed: 3, FalseAlarms: 1, Overlooked: 2, Unclear: 2},
		}, got)
	})
}
