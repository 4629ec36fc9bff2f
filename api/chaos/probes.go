package chaos

import (
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

func seriesOf(run chaos.Run, samples []target.Sample) ProbeSeries {
	series := ProbeSeries{Checks: namesOf(target.Checks()), Samples: make([]Probe, len(samples))}
	for i, sample := range samples {
		series.Samples[i] = probeOf(sample, baseOf(run, samples))
	}
	return series
}

// baseOf is the moment from which a run's probes are counted.
func baseOf(run chaos.Run, samples []target.Sample) time.Time {
	switch {
	case run.InjectedAt != nil:
		return *run.InjectedAt
	case len(samples) > 0:
		return samples[0].At
	}
	return run.RequestedAt
}

func probeOf(s target.Sample, base time.Time) Probe {
	failing := []int{}
	for place, check := range target.Checks() {
		if s.Failing.Has(check) {
			failing = append(failing, place)
		}
	}
	return Probe{MS: sinceThen(s.At, base), TookMS: int(s.Took.Milliseconds()), Failing: failing, Process: s.Process}
}

func namesOf(checks []target.Check) []string {
	names := make([]string, len(checks))
	for i, check := range checks {
		names[i] = string(check)
	}
	return names
}

// sinceThen counts as verdicts do, so that a probe's time is the time that a verdict names.
func sinceThen(at, base time.Time) int {
	return int(at.Truncate(time.Millisecond).Sub(base.Truncate(time.Millisecond)).Milliseconds())
}
