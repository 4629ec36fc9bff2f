package rig

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/proof/crash/watch"
)

func TestHarmExcusesFailures(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	h := &harms{}
	h.Add(harm{at(10), at(13)})
	for name, c := range map[string]struct {
		from, until float64
		excused     bool
	}{
		"before":                      {8, 9.9, false},
		"started before, overlaps":    {9, 10.1, true},
		"during":                      {11, 11.1, true},
		"began in time, ended later":  {12.9, 20, true},
		"after":                       {13, 13.1, false},
		"started before, ended later": {5, 20, true},
	} {
		require.Equal(t, c.excused, h.excuse(watch.Failure{From: at(c.from), Until: at(c.until)}), name)
	}
	require.False(t, (&harms{}).excuse(watch.Failure{From: at(10), Until: at(12)}), "nothing was harmed")
}
