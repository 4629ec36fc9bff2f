package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
)

// photographed keeps a picture of the chaos target in a chaos run.
func (w *world) photographed(t *testing.T, shot verification.CellShot) {
	t.Helper()
	if shot.Error == "" {
		shot.Picture, shot.Width, shot.Height = w.picture(t, "the cell "+string(shot.Moment)), 1280, 800
	}
	shot.Path = "/"
	require.NoError(t, w.db.Verifications.SaveCellShot(t.Context(), shot))
}

func TestAChaosRunShowsItsPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.healed(t)
	require.Equal(t, []api.CellCapture{}, w.chaos(t, id).Captures)
	later := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	w.photographed(t, verification.CellShot{
		ChaosID: id, Moment: verification.Healed, Opinion: verification.LooksWell, Says: "It looks as before.", SaidBy: verification.BuiltIn, Steady: true, TakenAt: later(3),
	})
	w.photographed(t, verification.CellShot{
		ChaosID: id, Moment: verification.Before, Opinion: verification.LooksUnclear, Says: "There is nothing to say.", SaidBy: "a model", Steady: true, TakenAt: later(1),
	})
	w.photographed(t, verification.CellShot{
		ChaosID: id, Moment: verification.During, Error: "The page did not answer.", Failing: crashed, Opinion: verification.LooksUnclear, SaidBy: verification.BuiltIn, TakenAt: later(2),
	})
	place := func(m verification.Moment) string { return pictures + w.picture(t, "the cell "+string(m)) + ".png" }
	require.Equal(t, []api.CellCapture{
		{Moment: "before", Path: "/", Picture: place("before"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "unclear", Says: "There is nothing to say.", Analyst: "a model", TakenAt: later(1)},
		{Moment: "broken", Path: "/", Error: "The page did not answer.", Failing: []string{"process", "page:/"}, Opinion: "unclear", Analyst: "built-in", TakenAt: later(2)},
		{Moment: "healed", Path: "/", Picture: place("healed"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "well", Says: "It looks as before.", Analyst: "built-in", TakenAt: later(3)},
	}, w.chaos(t, id).Captures)
	require.Equal(t, 200, w.do(t, call{method: "GET", path: place("healed"), key: "none"}).Code)
}

func TestHowOftenCommentsAgreedWithTheChecks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agreement := func() api.Agreements {
		return read[api.Agreements](t, w.do(t, call{method: "GET", path: "/api/verification/agreement", key: "none"}), 200)
	}
	none := agreement()
	require.Equal(t, []api.Agreement{}, none.Analysts)
	require.Contains(t, none.Formula, "The share is those that agree of those that count")

	say := func(by string, m verification.Moment, failing target.Failing, said verification.Opinion, steady bool, id string) {
		w.photographed(t, verification.CellShot{ChaosID: id, Moment: m, Failing: failing, Opinion: said, Says: "So.", SaidBy: by, Steady: steady, TakenAt: now})
	}
	first, second := w.healed(t), w.healed(t)
	say("built-in", verification.Before, 0, verification.LooksWell, true, first)          // right
	say("built-in", verification.During, crashed, verification.LooksWell, true, first)    // overlooked
	say("built-in", verification.Healed, 0, verification.LooksBroken, true, first)        // a false alarm
	say("built-in", verification.Before, 0, verification.LooksUnclear, true, second)      // no opinion
	say("built-in", verification.During, crashed, verification.LooksBroken, true, second) // right
	say("a model", verification.Healed, 0, verification.LooksUnclear, true, second)       // no opinion
	half := 0.5
	require.ElementsMatch(t, []api.Agreement{
		{Analyst: "built-in", Compared: 4, Agreed: 2, Share: &half, FalseAlarms: 1, Overlooked: 1, Unclear: 1},
		{Analyst: "a model", Unclear: 1},
	}, agreement().Analysts)
}
