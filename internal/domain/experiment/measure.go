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

// MetricInfoOf describes a metric; false: there is none of that name.
func MetricInfoOf(m Metric) (MetricInfo, bool) {
	for _, g := range Metrics() {
		if g.Metric == m {
			return g, true
		}
	}
	return MetricInfo{}, false
}

// Judge says what a reading comes to.
func Judge(m Metric, threshold float64, r Reading) Verdict {
	g, _ := MetricInfoOf(m)
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
	gauge, ok := MetricInfoOf(r.Metric)
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

// Metric is something of the product that can be measured.
type Metric string

const (
	PostsPublished Metric = "posts_published" // posts that went out
	SuccessRate    Metric = "success_rate"    // percent of the posts that ended
	HealTime       Metric = "heal_time"       // seconds, the median of chaos runs that healed
	Members        Metric = "members"         // active ones
	Conversion     Metric = "conversion"      // percent of the checkouts that were paid
)

// MetricInfo describes a metric.
type MetricInfo struct {
	Metric Metric
	Label  string // like Posts published
	Unit   string // like posts, %, s
	AtMost bool   // good is low
	Says   string // what is counted, in a sentence
}

// Metrics are all metrics.
func Metrics() []MetricInfo {
	return []MetricInfo{
		{PostsPublished, "Posts published", "posts", false, "Posts that went out since the experiment became active."},
		{SuccessRate, "Success rate", "%", false, "Published posts of all that were published or failed since the experiment became active."},
		{HealTime, "Median time to heal", "s", true, "The median of the chaos runs that healed since the experiment became active."},
		{Members, "Members", "members", false, "Active members at that moment."},
		{Conversion, "Conversion", "%", false, "Paid checkouts of all that were offered since the experiment became active. The pricing demo does not count."},
	}
}

// Reading is a metric as it was read.
type Reading struct {
	Value  float64
	Sample int  // how many posts, runs or checkouts it is made of
	Any    bool // there was something to measure
}

const aDay = 24 * time.Hour

// Day counts days, in UTC, from the one on which the experiment became active, which is 1. They
// stop when it ends. Before it begins it is 1.
func Day(started, ended *time.Time, now time.Time) int {
	if started == nil {
		return 1
	}
	if ended != nil && ended.Before(now) {
		now = *ended
	}
	return max(1, between(*started, now)+1)
}

// NoteDay is the day of a date like 2006-01-02; 0 and less: before it began, or it has not.
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
