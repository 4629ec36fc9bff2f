package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
	"customerzero/internal/domain/verification"
)

// teller says numbers to whoever collects.
type teller struct{ out chan<- prometheus.Metric }

func (t teller) gauge(d desc, value float64, labels ...string) {
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
		t.gauge(posts, float64(now.Posts[status]), string(status))
	}
	t.gauge(overdue, float64(now.Overdue.Count))
	t.gauge(overdueOldest, now.Overdue.Longest(now.at).Seconds())
	t.gauge(held, float64(now.Held))
	t.gauge(armedOldest, now.Armed.Longest(now.at).Seconds())
	t.gauge(undecided, float64(now.Undecided))
	t.gauge(slots, float64(now.Slots.Spent), "spent")
	t.gauge(slots, float64(now.Slots.Reserved), "reserved")
	t.gauge(slots, float64(now.Slots.Free()), "free")
	t.gauge(reads, float64(now.Reads.Used), "engagement")
	t.gauge(reads, float64(now.Reads.Safety), "safety")
	t.gauge(letters, float64(now.Letters.Count))
	t.gauge(lettersOldest, now.Letters.Longest(now.at).Seconds())
	t.gauge(lettersDead, float64(now.DeadLetters))
	for _, state := range checkout.States {
		t.gauge(checkouts, float64(now.Checkouts[state]), string(state))
	}
	t.gauge(quotingOldest, now.Quoting.Longest(now.at).Seconds())
	t.faults(now.Faults)
	p.tellSite(t, now.looks, now.at)
}

func (t teller) faults(faults map[string]stats.Fault) {
	for name, fault := range faults {
		for _, verdict := range chaos.Verdicts {
			t.gauge(chaosRuns, float64(fault.Verdicts[verdict]), name, string(verdict))
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
		t.gauge(siteAge, at.Sub(*last.EndedAt).Seconds())
		t.gauge(sitePassed, verification.SuccessRate(last.Passed, last.Failed)/100)
		if stands == verification.Active && verification.Stale(*last.EndedAt, p.Every, at) {
			stands = verification.Warning
		}
	}
	for _, status := range []verification.Verdict{verification.Active, verification.Warning, verification.Broken, verification.Unknown} {
		t.gauge(siteStatus, yes(status == stands), string(status))
	}
}
