package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimesToHealAreHeldAgainstThePromise(t *testing.T) {
	t.Parallel()
	times := func(all ...int) (runs []broken) {
		for _, ms := range all {
			runs = append(runs, broken{Stage: "ended", Verdict: "healed", HealMS: &ms})
		}
		return runs
	}
	for name, tt := range map[string]struct {
		runs   []broken
		missed int
		p95    float64
	}{
		"in time":                    {times(400, 2000, 500), 0, 2000},
		"one is late":                {times(400, 2001, 500), 1, 2001},
		"one is not healed":          {append(times(400), broken{Verdict: "failed", Reason: "It was not well."}), 1, 400},
		"it was never tried":         {nil, 1, 0},
		"one of twenty may be later": {times(append(make([]int, 19), 9000)...), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			figures := heals{{Type: "delete-og-image", PromiseMS: 2000, runs: tt.runs}}.figures()
			require.Len(t, missed(figures), tt.missed)
			require.InDelta(t, tt.p95, figures[0].Ours, 1e-9)
		})
	}
}

func TestWhyARunWasNotHealedIsTold(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	heals{{Type: "delete-og-image", runs: []broken{{Verdict: "failed", Reason: "It was not well."}}}}.tellFailures(&out)
	require.Equal(t, "delete-og-image was failed: It was not well.\n", out.String())
}
