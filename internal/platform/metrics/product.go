package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
	"customerzero/internal/domain/verification"
)

// Stats reads the product's counts. *store.Stats implements it.
type Stats interface {
	Read(ctx context.Context, at time.Time) (stats.Reading, error)
}

// Verifications reads verification runs. *store.Verifications implements it.
type Verifications interface {
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
}

// Product exports metrics of the product's rows, which are the same in every process. If the database does
// not respond in time, they are left out.
type Product struct {
	Stats         Stats
	Verifications Verifications
	Front         string        // URL of the front page
	Every         time.Duration // interval of its verification; 0: no schedule
	Now           func() time.Time
	Within        time.Duration // time limit of the queries

	flights singleflight.Group
	last    reading
}

// keptFor is how long a reading is reused.
const keptFor = 2 * time.Second

type reading struct {
	stats.Reading
	runs []verification.Run // of the front page, newest first
	at   time.Time
}

// read queries the database once for concurrent scrapes. It returns in time even if a driver ignores its
// context.
func (p *Product) read() (reading, bool) {
	late := time.NewTimer(p.Within)
	defer late.Stop()
	select {
	case result := <-p.flights.DoChan("", p.query):
		now, ok := result.Val.(reading)
		return now, ok && result.Err == nil
	case <-late.C:
		return reading{}, false
	}
}

func (p *Product) query() (any, error) {
	now := p.Now()
	if age := now.Sub(p.last.at); age >= 0 && age < keptFor {
		return p.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Within)
	defer cancel()
	rows, err := p.Stats.Read(ctx, now)
	if err != nil {
		return nil, err
	}
	runs, err := p.Verifications.LastVerifications(ctx, p.Front, verification.StatusRuns)
	if err != nil {
		return nil, err
	}
	p.last = reading{rows, runs, now}
	return p.last, nil
}

// Describe sends nothing, so that the registry accepts any metric.
func (p *Product) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (p *Product) Collect(out chan<- prometheus.Metric) {
	now, ok := p.read()
	sink{out}.add(scrapeOK, boolean(ok))
	if ok {
		p.export(sink{out}, now)
	}
}

// desc describes a metric that is computed during a scrape.
type desc struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

// ofRows describes a metric that is read from rows.
func ofRows(name, help string, labels ...string) desc {
	return described(prometheus.GaugeValue, name, help+" From rows: the same in every replica.", labels...)
}

func described(kind prometheus.ValueType, name, help string, labels ...string) desc {
	return desc{prometheus.NewDesc(prefix+name, help, labels, nil), kind}
}

var (
	scrapeOK = described(prometheus.GaugeValue, "scrape_ok", "1 if the database answered this scrape; 0: the metrics read from rows are missing.")

	posts         = ofRows("posts", "Posts by status.", "status")
	overdue       = ofRows("posts_overdue", "Posts whose scheduled time has passed and that nothing holds back.")
	overdueOldest = ofRows("posts_overdue_oldest_seconds", "Delay of the oldest overdue post, in seconds; 0 if none is overdue.")
	held          = ofRows("posts_held", "Posts whose scheduled time has passed while the bot is paused or not connected.")
	undecided     = ofRows("posts_unknown", "Posts whose outcome at X is unknown and that wait for a founder's decision.")
	armedOldest   = ofRows("posts_sending_oldest_seconds", "Age of the oldest post that is being sent, in seconds; 0 if none is.")
	slots         = ofRows("quota_slots", "Slots of this month by state.", "state")
	reads         = ofRows("x_reads", "Reads of X this month by kind.", "kind")

	emails       = ofRows("emails_waiting", "E-mails in the outbox.")
	emailsOldest = ofRows("emails_waiting_oldest_seconds", "Age of the oldest e-mail in the outbox, in seconds; 0 if it is empty.")
	emailsFailed = ofRows("emails_failed", "E-mails that could not be sent and that a founder may retry.")

	checkouts     = ofRows("checkouts", "Checkouts by state.", "state")
	quotingOldest = ofRows("checkouts_quoting_oldest_seconds", "Age of the oldest checkout without a quote, in seconds; 0 if none waits.")

	chaosRuns = described(prometheus.CounterValue, "chaos_runs_total",
		"Chaos runs that ended, by fault and verdict. From rows: the same in every replica.", "fault", "verdict")
	detects = ofRows("chaos_detect_duration_seconds", "Time from the injection to the first failed probe, by fault.", "fault")
	heals   = ofRows("chaos_heal_duration_seconds", "Time from the injection until the chaos target was healthy again, by fault.", "fault")

	siteStatus = ofRows("verification_status", "1 for the current verification status of the front page, 0 for the other statuses.", "status")
	siteAge    = ofRows("verification_age_seconds", "Time since the last verification of the front page ended, in seconds.")
	sitePassed = ofRows("verification_passed_ratio", "Share of checks that passed in the last verification, 0 to 1.")
)

// sink sends metrics to a scrape.
type sink struct{ out chan<- prometheus.Metric }

func (t sink) add(d desc, value float64, labels ...string) {
	t.out <- prometheus.MustNewConstMetric(d.Desc, d.kind, value, labels...)
}

func (t sink) addTimes(d desc, times stats.Times, labels ...string) {
	within := map[float64]uint64{}
	for i, step := range stats.Steps {
		within[step.Seconds()] = times.Within[i]
	}
	t.out <- prometheus.MustNewConstHistogram(d.Desc, times.Count, times.Sum.Seconds(), within, labels...)
}

func (p *Product) export(t sink, now reading) {
	for _, status := range post.Statuses {
		t.add(posts, float64(now.Posts[status]), string(status))
	}
	t.add(overdue, float64(now.Overdue.Count))
	t.add(overdueOldest, now.Overdue.Longest(now.at).Seconds())
	t.add(held, float64(now.Held))
	t.add(armedOldest, now.Armed.Longest(now.at).Seconds())
	t.add(undecided, float64(now.Undecided))
	t.add(slots, float64(now.Slots.Spent), "spent")
	t.add(slots, float64(now.Slots.Reserved), "reserved")
	t.add(slots, float64(now.Slots.Free()), "free")
	t.add(reads, float64(now.Reads.Used), "engagement")
	t.add(reads, float64(now.Reads.ReconciliationReads), "safety")
	t.add(emails, float64(now.Emails.Count))
	t.add(emailsOldest, now.Emails.Longest(now.at).Seconds())
	t.add(emailsFailed, float64(now.FailedEmails))
	for _, state := range checkout.States {
		t.add(checkouts, float64(now.Checkouts[state]), string(state))
	}
	t.add(quotingOldest, now.Quoting.Longest(now.at).Seconds())
	t.addFaults(now.Faults)
	p.exportSite(t, now.runs, now.at)
}

func (t sink) addFaults(faults map[string]stats.Fault) {
	for name, fault := range faults {
		for _, verdict := range chaos.Verdicts {
			t.add(chaosRuns, float64(fault.Verdicts[verdict]), name, string(verdict))
		}
		t.addTimes(detects, fault.Detect, name)
		t.addTimes(heals, fault.Heal, name)
	}
}

// exportSite exports the site's status as the status page shows it.
func (p *Product) exportSite(t sink, runs []verification.Run, at time.Time) {
	var verdicts []verification.Verdict
	for _, run := range runs {
		verdicts = append(verdicts, run.ForEverybody())
	}
	current, _ := verification.Status(verdicts)
	if len(runs) > 0 {
		last := runs[0]
		t.add(siteAge, at.Sub(*last.EndedAt).Seconds())
		t.add(sitePassed, verification.SuccessRate(last.Passed, last.Failed)/100)
		if current == verification.Active && verification.Stale(*last.EndedAt, p.Every, at) {
			current = verification.Warning
		}
	}
	for _, status := range []verification.Verdict{verification.Active, verification.Warning, verification.Broken, verification.Unknown} {
		t.add(siteStatus, boolean(status == current), string(status))
	}
}
