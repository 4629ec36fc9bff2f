package chaos

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
	"customerzero/proof/crash/rig"
)

// invariants are the promises. A new one needs a case in TestInvariants.
var invariants = []rig.Invariant[evidence]{
	{Name: "healthy", Promise: "the chaos target is healthy after every run: files, pages, heartbeat, database", Broken: unhealthy},
	{Name: "lease", Promise: "no fault outlives its lease by more than a minute, seen from outside", Broken: overstayed},
	{Name: "closed", Promise: "no run or incident stays open, in rows and in Temporal", Broken: open},
	{Name: "there", Promise: "every run that was started exists, with a verdict", Broken: lost},
	{Name: "verdicts", Promise: "verdicts and times are those of the stored probes", Broken: misjudged},
	{Name: "tables", Promise: "the members' tables are unchanged", Broken: touched},
	{Name: "reason", Promise: "no unexpected response", Broken: func(e evidence, b *rig.Breaches) { b.All(e.unexpected) }},
}

func unhealthy(e evidence, b *rig.Breaches) {
	for _, p := range e.executed {
		b.If(len(p.unhealthy) > 0, "after %s (%s, %s): %v", p.id, p.fault, p.manner, p.unhealthy)
		b.If(p.damaged != "", "after %s (%s, %s) the database: %s", p.id, p.fault, p.manner, p.damaged)
	}
}

const (
	// graceAfterLease is how long after its lease a fault may be observed. The supervisor reverts it within a
	// second, a busy machine may take longer, and a fault that stays is observed for minutes.
	graceAfterLease = time.Minute
	// staysAway is how long a chaos target must be healthy for a fault to be over. Single failed observations
	// on a busy machine do not count.
	staysAway = 2 * time.Second
)

func overstayed(e evidence, b *rig.Breaches) {
	for _, p := range e.executed {
		r := e.row(p.id)
		if r == nil {
			continue
		}
		if first, last := p.broken(e.observations); last.Sub(first) > time.Duration(r.LeaseMS)*time.Millisecond+graceAfterLease {
			b.Add("%s (%s, %s) was seen broken for %s, with a lease of %d ms",
				p.id, p.fault, p.manner, last.Sub(first), r.LeaseMS)
		}
	}
}

// broken returns the first and last observation of a run's fault, or zero times without one.
func (p *executed) broken(observations []observation) (first, last time.Time) {
	for _, l := range observations {
		switch {
		case l.at.Before(p.asked) || len(l.failing) == 0 || !p.over.IsZero() && l.at.After(p.over):
		case first.IsZero():
			first, last = l.at, l.at
		case l.at.Sub(last) < staysAway:
			last = l.at
		}
	}
	return first, last
}

func open(e evidence, b *rig.Breaches) {
	for _, r := range e.runs {
		b.If(r.Stage != chaos.Ended, "%s (%s) is %s", r.ID, r.Fault, r.Stage)
	}
	for _, flow := range e.flows {
		b.If(flow.Open(), "is open: %s %s", flow.WorkflowID, flow.RunID)
	}
	b.If(e.incidents > 0, "%d incidents are open", e.incidents)
}

func lost(e evidence, b *rig.Breaches) {
	for _, p := range e.executed {
		switch r := e.row(p.id); {
		case r == nil:
			b.Add("%s was started and has no row", p.id)
		case r.Verdict == "":
			b.Add("%s has no verdict", p.id)
		case p.stuck:
			b.Add("%s did not end in time", p.id)
		}
	}
	b.If(len(e.runs) > len(e.executed), "%d runs were not started here", len(e.runs)-len(e.executed))
}

func touched(e evidence, b *rig.Breaches) {
	names := slices.Sorted(maps.Keys(e.before))
	for _, name := range slices.Sorted(maps.Keys(e.after)) {
		if _, known := e.before[name]; !known {
			names = append(names, name)
		}
	}
	for _, name := range names {
		b.If(e.after[name] != e.before[name], "%s: %q, before %q", name, e.after[name], e.before[name])
	}
}

// misjudged compares every verdict with the one computed from the stored probes.
func misjudged(e evidence, b *rig.Breaches) {
	for _, r := range e.runs {
		if r.Stage != chaos.Ended {
			continue
		}
		samples, err := chaos.Samples(e.parts[r.ID])
		if err != nil {
			b.Add("the probes of %s: %v", r.ID, err)
			continue
		}
		o := chaos.Judge(r, samples, ending(r, samples))
		was, is := words(r.Verdict, r.Restored, r.DetectMS, r.HealMS), words(o.Verdict, o.Restored, o.DetectMS, o.HealMS)
		b.If(was != is, "%s (%s) is %s (%q), its %d probes say %s (%q)",
			r.ID, r.Fault, was, r.Reason, len(samples), is, o.Reason)
	}
}

// gaveUp are the reasons for which a run is aborted although its fault may have been injected. They cannot be
// derived from its probes.
var gaveUp = map[string]bool{
	"The supervisor did not confirm the fault, so the test was aborted.": true,
}

// ending derives the end of a run from its row and probes.
func ending(r chaos.Run, samples []target.Sample) chaos.Ending {
	e := chaos.Ending{Last: target.Sample{At: *r.EndedAt}}
	if !r.Restored {
		e.Last.Failing = target.Failed(target.CheckSupervisor)
	}
	if r.InjectedAt == nil || r.Verdict == chaos.Aborted && gaveUp[r.Reason] {
		e.Aborted = r.Reason
		return e
	}
	if chaos.Recovered(*r.InjectedAt, samples) {
		return e
	}
	e.Lost = "The probes stopped before the test ended."
	if len(samples) > 0 && r.LeaseUntil != nil {
		last := samples[0]
		for _, s := range samples {
			if s.At.After(last.At) {
				last = s
			}
		}
		e.LeaseOver = !last.Healthy() && !last.At.Before(*r.LeaseUntil)
	}
	return e
}

func words(v chaos.Verdict, restored bool, detect, heal *int) string {
	text := fmt.Sprintf("%s, restored %t", v, restored)
	if detect != nil {
		text += fmt.Sprintf(", detect %d ms", *detect)
	}
	if heal != nil {
		text += fmt.Sprintf(", heal %d ms", *heal)
	}
	return text
}
