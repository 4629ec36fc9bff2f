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

// Stats reads the numbers of the whole product. *store.Stats implements it.
type Stats interface {
	Read(ctx context.Context, at time.Time) (stats.Reading, error)
}

// Verifications are the runs that looked at our own pages. *store.Verifications implements it.
type Verifications interface {
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
}

// Product tells how the product stands by its rows, which is the same in every replica. A
// database that does not answer leaves its metrics out, and holds nobody up.
type Product struct {
	Stats         Stats
	Verifications Verifications
	Front         string        // the page by which the site is judged
	Every         time.Duration // between looks at it; 0: there is no schedule
	Now           func() time.Time
	// Within is how long the database may take.
	Within time.Duration

	flights singleflight.Group
	last    standing
}

// keptFor is how long one reading does for all who ask.
const keptFor = 2 * time.Second

// standing is one reading.
type standing struct {
	stats.Reading
	looks []verification.Run // at the front page, newest first
	at    time.Time
}

// read asks the database, once for all who ask at the same time. It does not wait longer than
// it may, even for a driver that does not hear that it is too late.
func (p *Product) read() (standing, bool) {
	late := time.NewTimer(p.Within)
	defer late.Stop()
	select {
	case came := <-p.flights.DoChan("", p.ask):
		now, ok := came.Val.(standing)
		return now, ok && came.Err == nil
	case <-late.C:
		return standing{}, false
	}
}

func (p *Product) ask() (any, error) {
	now := p.Now()
	if age := now.Sub(p.last.at); age >= 0 && age < keptFor {
		return p.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Within)
	defer cancel()
	reading, err := p.Stats.Read(ctx, now)
	if err != nil {
		return nil, err
	}
	looks, err := p.Verifications.LastVerifications(ctx, p.Front, verification.Telling)
	if err != nil {
		return nil, err
	}
	p.last = standing{reading, looks, now}
	return p.last, nil
}

// Describe names nothing in advance.
func (p *Product) Describe(chan<- *prometheus.Desc) {}

// Collect asks, and tells.
func (p *Product) Collect(out chan<- prometheus.Metric) {
	now, ok := p.read()
	teller{out}.say(scrapeOK, yes(ok))
	if ok {
		p.tell(teller{out}, now)
	}
}

// desc describes a metric that is told when somebody asks.
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

// teller says numbers to whoever collects.
type teller struct{ out chan<- prometheus.Metric }

func (t teller) say(d desc, value float64, labels ...string) {
	t.out <- prometheus.MustNewConstMetric(d.Desc, d.kind, value, labels...)
}

func (t teller) times(d desc, times stats.Times, labels ...string) {
	within := map[float64]uint64{}
	for i, step := range stats.Steps {
		within[step.Seconds()] = times.Within[i]
	}
	t.out <- prometheus.MustNewConstHistogram(d.Desc, times.Count, times.Sum.Seconds(), within, labels...)
}

func (p *Product) tell(t teller, now standing) {
	for _, status := range post.Statuses {
		t.say(posts, float64(now.Posts[status]), string(status))
	}
	t.say(overdue, float64(now.Overdue.Count))
	t.say(overdueOldest, now.Overdue.Longest(now.at).Seconds())
	t.say(held, float64(now.Held))
	t.say(armedOldest, now.Armed.Longest(now.at).Seconds())
	t.say(undecided, float64(now.Undecided))
	t.say(slots, float64(now.Slots.Spent), "spent")
	t.say(slots, float64(now.Slots.Reserved), "reserved")
	t.say(slots, float64(now.Slots.Free()), "free")
	t.say(reads, float64(now.Reads.Used), "engagement")
	t.say(reads, float64(now.Reads.ReconciliationReads), "safety")
	t.say(emails, float64(now.Emails.Count))
	t.say(emailsOldest, now.Emails.Longest(now.at).Seconds())
	t.say(emailsFailed, float64(now.FailedEmails))
	for _, state := range checkout.States {
		t.say(checkouts, float64(now.Checkouts[state]), string(state))
	}
	t.say(quotingOldest, now.Quoting.Longest(now.at).Seconds())
	t.faults(now.Faults)
	p.tellSite(t, now.looks, now.at)
}

func (t teller) faults(faults map[string]stats.Fault) {
	for name, fault := range faults {
		for _, verdict := range chaos.Verdicts {
			t.say(chaosRuns, float64(fault.Verdicts[verdict]), name, string(verdict))
		}
		t.times(detects, fault.Detect, name)
		t.times(heals, fault.Heal, name)
	}
}

// tellSite says how the site stands, as its own page does.
func (p *Product) tellSite(t teller, looks []verification.Run, at time.Time) {
	var verdicts []verification.Verdict
	for _, look := range looks {
		verdicts = append(verdicts, look.ForEverybody())
	}
	stands, _ := verification.Status(verdicts)
	if len(looks) > 0 {
		last := looks[0]
		t.say(siteAge, at.Sub(*last.EndedAt).Seconds())
		t.say(sitePassed, verification.SuccessRate(last.Passed, last.Failed)/100)
		if stands == verification.Active && verification.Stale(*last.EndedAt, p.Every, at) {
			stands = verification.Warning
		}
	}
	for _, status := range []verification.Verdict{verification.Active, verification.Warning, verification.Broken, verification.Unknown} {
		t.say(siteStatus, yes(status == stands), string(status))
	}
}
