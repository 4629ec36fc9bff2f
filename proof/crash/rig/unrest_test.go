package rig

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/proof/crash/watch"
)

func TestOnlyHarmExcusesAFailure(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	h := &harms{}
	h.note(at(10), at(13))
	for name, c := range map[string]struct {
		from, until float64
		excused     bool
	}{
		"before":                      {8, 9.9, false},
		"under way when it began":     {9, 10.1, true},
		"during":                      {11, 11.1, true},
		"began in time, ended later":  {12.9, 20, true},
		"after":                       {13, 13.1, false},
		"all around it, so it waited": {5, 20, true},
	} {
		require.Equal(t, c.excused, h.excuse(watch.Failure{From: at(c.from), Until: at(c.until)}), name)
	}
	require.False(t, (&harms{}).excuse(watch.Failure{From: at(10), Until: at(12)}), "nothing was harmed")
}

func TestWithoutKillsNothingIsHarmed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{0, 1, 1, 3}, []int{Fewer(0, 3), Fewer(1, 3), Fewer(5, 3), Fewer(10, 3)})
	chance := rand.New(rand.NewPCG(1, 0))
	require.Empty(t, PlanKills(chance, TheAPI, Fewer(0, 3), time.Minute, []Moment{AnyTime}))
	require.Empty(t, PlanCuts(chance, Fewer(0, 2), time.Minute))
	which := map[int]bool{}
	for _, kill := range PlanKills(chance, TheAPI, 20, time.Minute, []Moment{AnyTime}) {
		which[kill.Which%2] = true
	}
	require.Len(t, which, 2, "of two replicas, chance takes either")
}
