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
		runs  []broken
		met   bool
		words string
	}{
		"in time":                    {times(400, 2000, 500), true, "500 ms   2000 ms"},
		"one is late":                {times(400, 2001, 500), false, "2001 ms"},
		"one is not healed":          {append(times(400), broken{Verdict: "failed", Reason: "It was not well."}), false, "delete-og-image was failed: It was not well."},
		"it was never tried":         {nil, false, "0 ms"},
		"one of twenty may be later": {times(append(make([]int, 19), 9000)...), true, "0 ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			require.Equal(t, tt.met, heals{{Type: "delete-og-image", PromiseMS: 2000, runs: tt.runs}}.report(&out))
			require.Equal(t, tt.met, !strings.Contains(out.String(), "MISSED"))
			require.Contains(t, out.String(), tt.words)
		})
	}
}
