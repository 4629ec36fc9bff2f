package experiment

import (
	"time"

	"customerzero/internal/domain/problem"
)

// Bounds of the verdict's date, from now.
const (
	soonest = time.Hour
	latest  = 365 * 24 * time.Hour
)

const maxThreshold = 1_000_000

// MetricInfoOf returns the description of a metric, or false.
func MetricInfoOf(m Metric) (MetricInfo, bool) {
	for _, info := range Metrics() {
		if info.Metric == m {
			return info, true
		}
	}
	return MetricInfo{}, false
}

// Judge compares a reading with the threshold.
func Judge(m Metric, threshold float64, r Reading) Verdict {
	info, _ := MetricInfoOf(m)
	switch {
	case !r.Any:
		return Unmeasured
	case info.AtMost && r.Value <= threshold, !info.AtMost && r.Value >= threshold:
		return Met
	}
	return Missed
}

// Registered returns the experiment with a registered metric, or without one if r is nil. This is only
// possible while it is being planned.
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
		return problem.New(problem.MetricLocked, "Approve the experiment before you register a metric.")
	default:
		return problem.New(problem.MetricLocked, "The metric can't be changed once the experiment is active.")
	}
}

func (r Registration) check(now time.Time) error {
	info, ok := MetricInfoOf(r.Metric)
	if !ok {
		return bounds{field: "metric"}.refuse("must be a known metric")
	}
	threshold := bounds{field: "threshold"}
	switch percent := info.Unit == "%"; {
	case percent && !(r.Threshold >= 0 && r.Threshold <= 100):
		return threshold.refuse("must be a percentage from 0 to 100")
	case r.Metric == HealTime && !(r.Threshold > 0):
		return threshold.refuse("must be more than 0 seconds")
	case !(r.Threshold >= 0 && r.Threshold <= maxThreshold): // also rejects NaN
		return threshold.refuse("must be from 0 to %d", maxThreshold)
	}
	if r.DueAt.Before(now.Add(soonest)) || r.DueAt.After(now.Add(latest)) {
		return bounds{field: "due_at"}.refuse("must be between 1 hour and 365 days from now")
	}
	return nil
}

// Settled returns the experiment with the verdict of a reading at its due date. The verdict is set once.
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

// Median returns the median of ordered numbers, or false if there are none.
func Median(ordered []float64) (float64, bool) {
	n := len(ordered)
	if n == 0 {
		return 0, false
	}
	return (ordered[(n-1)/2] + ordered[n/2]) / 2, true
}

// Metric is a metric of the product.
type Metric string

const (
	PostsPublished Metric = "posts_published" // published posts
	SuccessRate    Metric = "success_rate"    // percent of ended posts
	HealTime       Metric = "heal_time"       // seconds, median of healed chaos runs
	Members        Metric = "members"         // active members
	Conversion     Metric = "conversion"      // percent of checkouts paid
)

// MetricInfo describes a metric.
type MetricInfo struct {
	Metric      Metric
	Label       string // such as Posts published
	Unit        string // such as posts, %, s
	AtMost      bool   // lower is better
	Description string // what it counts; a sentence
}

// Metrics lists all metrics.
func Metrics() []MetricInfo {
	return []MetricInfo{
		{PostsPublished, "Posts published", "posts", false, "Posts published since the experiment became active."},
		{SuccessRate, "Success rate", "%", false, "Share of published posts among published and failed ones since the experiment became active."},
		{HealTime, "Median time to heal", "s", true, "Median time to heal of chaos runs since the experiment became active."},
		{Members, "Members", "members", false, "Active members at the due date."},
		{Conversion, "Conversion", "%", false, "Share of paid checkouts among all offers since the experiment became active, without the pricing demo."},
	}
}

// Reading is a measured metric.
type Reading struct {
	Value  float64
	Sample int  // number of posts, runs or checkouts
	Any    bool // there was something to measure
}

const aDay = 24 * time.Hour

// Day is the experiment's day in UTC, from 1 on the day it became active until it ended. It is 1 before
// the start.
func Day(started, ended *time.Time, now time.Time) int {
	if started == nil {
		return 1
	}
	if ended != nil && ended.Before(now) {
		now = *ended
	}
	return max(1, between(*started, now)+1)
}

// NoteDay is the experiment's day of a date such as 2006-01-02; 0 or less before the start.
func NoteDay(date string, started *time.Time) int {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || started == nil {
		return 0
	}
	return between(*started, day) + 1
}

// between counts midnights.
func between(from, until time.Time) int {
	return int(until.UTC().Truncate(aDay).Sub(from.UTC().Truncate(aDay)) / aDay)
}
