package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func runs(fault string, verdicts ...Verdict) (all []Run) {
	for _, v := range verdicts {
		all = append(all, Run{Fault: fault, Verdict: v})
	}
	return all
}

func TestScoreOf(t *testing.T) {
	t.Parallel()
	faults := []Fault{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}
	for name, tt := range map[string]struct {
		runs  []Run
		score *float64
		count int
	}{
		"no runs":                                  {nil, nil, 0},
		"aborted runs only":                        {runs("a", Aborted, Aborted), nil, 0},
		"one that has not ended":                   {runs("a", ""), nil, 0},
		"runs of a fault that is no more":          {runs("c", Failed), nil, 0},
		"all in time":                              {append(runs("a", Healed), runs("b", Healed)...), value(100), 2},
		"none in time":                             {runs("a", Failed), value(0), 1},
		"late is half":                             {runs("a", HealedLate), value(50), 1},
		"aborted runs do not dilute":               {runs("a", Healed, Failed, Aborted, ""), value(50), 2},
		"by weight, not by number of runs":         {append(runs("a", Failed, Failed, Failed), runs("b", Healed)...), value(75), 4},
		"a fault without runs has no part in it":   {runs("a", Healed), value(100), 1},
		"one of two healed, the other half a loss": {append(runs("a", Healed, Failed), runs("b", HealedLate, Healed)...), value(100 * (0.5 + 3*0.75) / 4), 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := ScoreOf(tt.runs, faults)
			require.Equal(t, tt.score, s.Value)
			require.Equal(t, tt.count, s.Runs)
			require.Len(t, s.Faults, 2)
			require.Equal(t, []string{"a", "b"}, []string{s.Faults[0].Fault.Name, s.Faults[1].Fault.Name})
		})
	}
}

func value(f float64) *float64 { return &f }

func TestScoreCountsVerdicts(t *testing.T) {
	t.Parallel()
	line := ScoreOf(runs("a", Healed, Healed, Healed, HealedLate, HealedLate, Failed, Aborted, ""), []Fault{{Name: "a", Weight: 1}}).Faults[0]
	require.Equal(t, FaultScore{
		Fault: Fault{Name: "a", Weight: 1}, Runs: 6, Healed: 3, HealedLate: 2, Failed: 1, Aborted: 1, Share: value(4.0 / 6),
	}, line)
}

func TestTimesAreByNearestRank(t *testing.T) {
	t.Parallel()
	var all []Run
	for i := 20; i > 0; i-- { // in no helpful order
		all = append(all, Run{Fault: "a", Verdict: Healed, DetectMS: ms(i), HealMS: ms(i * 10)})
	}
	all = append(all, Run{Fault: "a", Verdict: Failed, DetectMS: ms(1000)}, Run{Fault: "a", Verdict: Aborted})
	line := ScoreOf(all, []Fault{{Name: "a", Weight: 1}}).Faults[0]
	require.Equal(t, []int{11, 20, 100, 190}, []int{*line.DetectP50, *line.DetectP95, *line.HealP50, *line.HealP95})
	one := ScoreOf([]Run{{Fault: "a", Verdict: Healed, HealMS: ms(7)}}, []Fault{{Name: "a", Weight: 1}}).Faults[0]
	require.Equal(t, []*int{nil, nil, ms(7), ms(7)}, []*int{one.DetectP50, one.DetectP95, one.HealP50, one.HealP95})
}
