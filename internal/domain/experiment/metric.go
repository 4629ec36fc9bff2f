package experiment

// Metric is something of the product that can be measured.
type Metric string

const (
	PostsPublished Metric = "posts_published" // posts that went out
	SuccessRate    Metric = "success_rate"    // percent of the posts that ended
	HealTime       Metric = "heal_time"       // seconds, the median of chaos runs that healed
	Members        Metric = "members"         // active ones
	Conversion     Metric = "conversion"      // percent of the checkouts that were paid
)

// Gauge describes a metric.
type Gauge struct {
	Metric Metric
	Label  string // like Posts published
	Unit   string // like posts, %, s
	AtMost bool   // good is low
	Says   string // what is counted, in a sentence
}

// Gauges are all metrics.
func Gauges() []Gauge {
	return []Gauge{
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
