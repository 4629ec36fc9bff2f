package chaos

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
)

var injected = time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)

// probes parses a series of probes, 250 ms apart: "." is healthy, "x" is not, "|" marks the injection.
func probes(signs string) (samples []target.Sample) {
	at := injected
	for _, sign := range signs {
		if sign == '|' {
			break
		}
		at = at.Add(-target.ProbeEvery)
	}
	for _, sign := range signs {
		if sign == '|' {
			continue
		}
		s := target.Sample{At: at, Process: 7}
		if sign == 'x' {
			s.Failing = target.Failed(target.CheckHome, target.CheckDatabase)
		}
		samples = append(samples, s)
		at = at.Add(target.ProbeEvery)
	}
	return samples
}

func broken() Run {
	until := injected.Add(30 * time.Second)
	return Run{InjectedAt: &injected, LeaseUntil: &until, PromiseMS: 2000, LeaseMS: 30_000}
}

func ms(n int) *int { return &n }

func TestJudge(t *testing.T) {
	t.Parallel()
	healthy := target.Sample{At: injected.Add(time.Minute)}
	unhealthy := target.Sample{At: injected.Add(time.Minute), Failing: target.Failed(target.CheckDatabase, target.CheckAPI)}
	const lease = "It was unhealthy when its lease of 30 s ended."
	for name, tt := range map[string]struct {
		run    func(*Run)
		series string
		ending Ending
		want   Outcome
	}{
		"it is healed in time":                     {nil, "..|.xx....", Ending{Last: healthy}, Outcome{Healed, "", true, ms(250), ms(750)}},
		"it is seen broken at once":                {nil, "|x....", Ending{Last: healthy}, Outcome{Healed, "", true, ms(0), ms(250)}},
		"healed exactly at the promise is in time": {nil, "|.xxxxxxx....", Ending{Last: healthy}, Outcome{Healed, "", true, ms(250), ms(2000)}},
		"healed one probe after the promise is late": {
			nil, "|.xxxxxxxx....", Ending{Last: healthy}, Outcome{HealedLate, "It was healthy after 2.25 s; the promise was 2 s.", true, ms(250), ms(2250)},
		},
		"healthy in between does not count as healed":            {nil, "|xx...xx....", Ending{Last: healthy}, Outcome{Healed, "", true, ms(0), ms(1750)}},
		"one healthy probe at the end is enough":                 {nil, "|xx.", Ending{Last: healthy}, Outcome{Healed, "", true, ms(0), ms(500)}},
		"failures before the injection do not count":             {nil, "xx|.....", Ending{Last: healthy}, Outcome{Aborted, "No probe failed: it recovered between two probes.", true, nil, nil}},
		"unhealthy before, then broken: only later probes count": {nil, "xx|.xx....", Ending{Last: healthy}, Outcome{Healed, "", true, ms(250), ms(750)}},
		"nothing ever failed":                                    {nil, "|........", Ending{Last: healthy}, Outcome{Aborted, "No probe failed: it recovered between two probes.", true, nil, nil}},
		"there are no probes":                                    {nil, "", Ending{Last: healthy}, Outcome{Aborted, "No probe failed: it recovered between two probes.", true, nil, nil}},
		"the lease ended first":                                  {nil, "|.xxxxx", Ending{LeaseOver: true, Last: healthy}, Outcome{Failed, lease, true, ms(250), nil}},
		"the lease ended first, and no probe failed":             {nil, "|....", Ending{LeaseOver: true, Last: healthy}, Outcome{Failed, lease, true, nil, nil}},
		"the lease ended first, and it is still unhealthy":       {nil, "|xxxx", Ending{LeaseOver: true, Last: unhealthy}, Outcome{Failed, lease, false, ms(0), nil}},
		"the lease ended first, and the watch was lost":          {nil, "|xx", Ending{LeaseOver: true, Lost: "The worker died.", Last: healthy}, Outcome{Failed, lease, true, ms(0), nil}},
		"healthy only after the end of the lease, without LeaseOver": {
			func(r *Run) {
				until := injected.Add(time.Second - time.Millisecond)
				r.LeaseUntil, r.LeaseMS = &until, 999
			},
			"|xxxx....",
			Ending{Last: healthy},
			Outcome{Failed, "It was unhealthy when its lease of 0.999 s ended.", true, ms(0), nil},
		},
		"healthy exactly at the end of the lease": {
			func(r *Run) { until := injected.Add(time.Second); r.LeaseUntil = &until },
			"|xxxx....",
			Ending{Last: healthy},
			Outcome{Healed, "", true, ms(0), ms(1000)},
		},
		"the final check is unhealthy": {nil, "|xx....", Ending{Last: unhealthy}, Outcome{Failed, "When the run ended, these checks failed: the database and the API.", false, ms(0), nil}},
		"the final check is unhealthy, and the watch was lost": {
			nil, "|xx....",
			Ending{Last: unhealthy, Lost: "The worker died."},
			Outcome{Failed, "When the run ended, these checks failed: the database and the API.", false, ms(0), nil},
		},
		"the final check was not possible": {nil, "|xx....", Ending{}, Outcome{Failed, "It could not be checked when the run ended.", false, ms(0), nil}},
		"the watch was lost":               {nil, "|xx....", Ending{Last: healthy, Lost: "The worker died."}, Outcome{Aborted, "The worker died.", true, nil, nil}},
		"no probe saw the recovery":        {nil, "|.xx", Ending{Last: healthy}, Outcome{Aborted, "It is healthy, but no probe recorded the recovery.", true, nil, nil}},
		"it could not be broken": {
			func(r *Run) { r.InjectedAt = nil }, "....", Ending{Aborted: "The chaos target was down.", Last: unhealthy}, Outcome{Aborted, "The chaos target was down.", false, nil, nil},
		},
		"it was never broken, without a reason": {
			func(r *Run) { r.InjectedAt = nil }, "xx..", Ending{LeaseOver: true, Last: healthy}, Outcome{Aborted, "No fault was injected.", true, nil, nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := broken()
			if tt.run != nil {
				tt.run(&run)
			}
			samples := probes(tt.series)
			require.Equal(t, tt.want, Judge(run, samples, tt.ending))
			slices.Reverse(samples)
			require.Equal(t, tt.want, Judge(run, samples, tt.ending), "the order of the samples does not matter")
		})
	}
}

// TestJudgeComparesWholeMilliseconds covers an injection time that is finer than stored probes.
func TestJudgeComparesWholeMilliseconds(t *testing.T) {
	t.Parallel()
	run, finer := broken(), injected.Add(900*time.Microsecond)
	run.InjectedAt = &finer
	o := Judge(run, probes("|x...."), Ending{Last: target.Sample{At: injected}})
	require.Equal(t, Outcome{Healed, "", true, ms(0), ms(250)}, o)
}

// TestJudgeCountsToTheAnswer covers slow probes: the target counts as healthy from the response on.
func TestJudgeCountsToTheAnswer(t *testing.T) {
	t.Parallel()
	healthy := Ending{Last: target.Sample{At: injected}}
	samples := probes("|.xx....")
	samples[1].Took, samples[3].Took = 30*time.Millisecond, 1300*time.Millisecond
	late := Judge(broken(), samples, healthy)
	require.Equal(t, Outcome{HealedLate, "It was healthy after 2.05 s; the promise was 2 s.", true, ms(280), ms(2050)}, late)

	samples[1].Took, samples[3].Took = time.Second, 0 // from a watcher that outlived its replacement
	require.Equal(t, Outcome{Healed, "", true, ms(1250), ms(1250)}, Judge(broken(), samples, healthy))

	run, until := broken(), injected.Add(time.Second)
	run.LeaseUntil, samples[3].Took = &until, 251*time.Millisecond
	require.Equal(t, Failed, Judge(run, samples, healthy).Verdict, "the answer came after the lease")
}

func TestRecovered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		series string
		want   bool
	}{
		"no probes yet":                                  {"", false},
		"not long without a failing one":                 {"|............", false},
		"three seconds without a failing one":            {"|.............", true},
		"failing still":                                  {"|.xxxx", false},
		"healthy three times":                            {"|xx...", false},
		"healthy four times":                             {"|xx....", true},
		"four times healthy in between":                  {"|xx....x...", false},
		"four times healthy before the injection":        {"....|.", false},
		"failing before, healthy three times since":      {"x...|...", false},
		"late, and broken for longer than three seconds": {"|............xx...", false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Recovered(injected, probes(tt.series)))
		})
	}
}

func TestReplayRepeatsTheInputOnly(t *testing.T) {
	t.Parallel()
	first := broken()
	first.ID, first.Fault, first.Source, first.RequestedBy, first.WorkflowID, first.RunID = "a", "crash-api", "page", Visitors, "w", "r"
	first.Stage, first.Verdict, first.Reason, first.Restored, first.DetectMS, first.HealMS = Ended, Failed, "so", true, ms(1), ms(2)
	id := "a"
	require.Equal(t, Run{
		ID: "b", Fault: "crash-api", Source: "replay", RequestedBy: Founders, ReplayOf: &id,
		Stage: Requested, PromiseMS: 2000, LeaseMS: 30_000, RequestedAt: injected,
	}, first.Replay("b", "replay", Founders, injected))
}
