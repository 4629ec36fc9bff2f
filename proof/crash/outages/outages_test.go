package outages

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form: each kind of outage once.
// Proves: F3, F4, F5, F27 seeded
func TestCrash(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 5, Databases: []string{rig.Mortal}})
}

// Proves: F4
func TestPlanHasEachKindOnce(t *testing.T) {
	t.Parallel()
	plan := newPlan(7, 5)
	require.Equal(t, plan, newPlan(7, 5), "the same seed makes the same plan")
	require.NotEqual(t, newPlan(8, 10), newPlan(7, 10))
	kinds := map[kind]bool{}
	for _, o := range plan {
		kinds[o.kind] = true
	}
	require.Len(t, kinds, 5)
}

// Proves: F27
func TestLostVotesAreFound(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	vote := func(second, value int, outcome rig.Outcome) call {
		from := noon.Add(time.Duration(second) * time.Second)
		return call{from: from, until: from.Add(time.Second), vote: value, Answer: rig.Answer{Outcome: outcome}}
	}
	row := func(second, value int) castVote {
		return castVote{value, noon.Add(time.Duration(second)*time.Second + 500*time.Millisecond)}
	}
	all := []call{vote(1, 1, rig.Success), vote(2, -1, rig.Unclear), vote(4, 1, rig.Success), vote(5, 0, rig.Success)}
	for name, c := range map[string]struct {
		calls []call
		row   castVote
		none  bool
		lost  bool
	}{
		"the last acknowledged one":                  {calls: all, row: row(4, 1)},
		"an older one of the same value":             {calls: all, row: row(1, 1), lost: true},
		"another value":                              {calls: all, row: row(4, -1), lost: true},
		"no row":                                     {calls: all, none: true, lost: true},
		"a later one with an unclear outcome":        {calls: all, row: row(2, -1)},
		"no row and only an unclear outcome":         {calls: all[1:2], none: true},
		"a row of the only call, of unclear outcome": {calls: all[1:2], row: row(2, -1)},
	} {
		require.Equal(t, c.lost, lost(c.calls, c.row, !c.none) != "", name)
	}
}
