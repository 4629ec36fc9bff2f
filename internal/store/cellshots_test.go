package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

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
