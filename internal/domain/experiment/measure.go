package experiment

import (
	"time"

	"customerzero/internal/domain/problem"
)

// How far away the date of a verdict may be.
const (
	soonest = time.Hour
	latest  = 365 * 24 * time.Hour
)

// maxThreshold bounds what is counted.
const maxThreshold = 1_000_000

// GaugeOf describes a metric; false: there is none of that name.
func GaugeOf(m Metric) (Gauge, bool) {
	for _, g := range Gauges() {
		if g.Metric == m {
			return g, true
		}
	}
	return Gauge{}, false
}

// Judge says what a reading comes to.
func Judge(m Metric, threshold float64, r Reading) Verdict {
	g, _ := GaugeOf(m)
	switch {
	case !r.Any:
		return Unmeasured
	case g.AtMost && r.Value <= threshold, !g.AtMost && r.Value >= threshold:
		return Met
	}
	return Missed
}

// Registered gives the experiment with what it promises; nil takes the promise back. Nobody
// does either when it has begun.
func (e Experiment) Registered(r *Registration, now time.Time) (Experiment, error) {
	if err := e.mayRegister(); err != nil {
		return e, err
	}
	e.Metric, e.Threshold, e.DueAt = "", nil, nil
	if r != nil {
		if err := r.check(now); err != nil {
			return e, err
		}
		threshold, due := r.Threshold, r.DueAt.UTC()
		e.Metric, e.Threshold, e.DueAt = r.Metric, &threshold, &due
	}
	return e.changed(now), nil
}

func (e Experiment) mayRegister() error {
	switch e.Status {
	case Planning:
		return nil
	case Waiting:
		return problem.New(problem.MetricLocked, "Approve the experiment first. A metric is registered while it is being planned.")
	case Active, Testing, Completed, Shipped, Declined:
	}
	return problem.New(problem.MetricLocked, "What is promised cannot be changed once the experiment is active.")
}

func (r Registration) check(now time.Time) error {
	gauge, ok := GaugeOf(r.Metric)
	if !ok {
		return bounds{field: "metric"}.refuse("there is none of that name")
	}
	threshold := bounds{field: "threshold"}
	switch percent := gauge.Unit == "%"; {
	case percent && !(r.Threshold >= 0 && r.Threshold <= 100):
		return threshold.refuse("it is a percentage, 0 to 100")
	case r.Metric == HealTime && !(r.Threshold > 0):
		return threshold.refuse("it is more than 0 seconds")
	case !(r.Threshold >= 0 && r.Threshold <= maxThreshold): // what is no number is refused, too
		return threshold.refuse("it is 0 to %d", maxThreshold)
	}
	if r.DueAt.Before(now.Add(soonest)) || r.DueAt.After(now.Add(latest)) {
		return bounds{field: "due_at"}.refuse("it is between an hour and 365 days from now")
	}
	return nil
}

// Settled gives the experiment with its verdict. It is set once, by what was read at its date.
func (e Experiment) Settled(r Reading, at time.Time) Experiment {
	if e.Metric == "" || !e.Status.Runs() {
		return e
	}
	e.Verdict = Judge(e.Metric, *e.Threshold, r)
	if r.Any {
		e.Measured = &r.Value
	}
	e.Status, e.Progress, e.EndedAt = Completed, 100, &at
	return e.changed(at)
}

// Median of numbers in order; false: there are none.
func Median(ordered []float64) (float64, bool) {
	n := len(ordered)
	if n == 0 {
		return 0, false
	}
	return (ordered[(n-1)/2] + ordered[n/2]) / 2, true
}
