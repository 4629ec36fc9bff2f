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

// invariants are all promises. A new one needs a case in TestInvariants.
var invariants = []rig.Invariant[evidence]{
	{Name: "well", Promise: "the chaos target is well after every run: files, pages, heartbeat, database", Broken: sick},
	{Name: "lease", Promise: "no fault outlives its lease by more than a minute, seen from outside", Broken: overstayed},
	{Name: "closed", Promise: "no run is left open, in rows and in Temporal; no incident either", Broken: open},
	{Name: "there", Promise: "every run that was asked for is there, with a verdict", Broken: lost},
	{Name: "verdicts", Promise: "verdicts and times are those of the stored probes", Broken: misjudged},
	{Name: "tables", Promise: "the members' tables are as before", Broken: touched},
	{Name: "reason", Promise: "no answer without a reason", Broken: groundless},
}

func sick(e evidence, b *rig.Breaches) {
	for _, p := range e.played {
		b.If(len(p.sick) > 0, "after %s (%s, %s): %v", p.id, p.fault, p.manner, p.sick)
		b.If(p.damaged != "", "after %s (%s, %s) the database: %s", p.id, p.fault, p.manner, p.damaged)
	}
}

const (
	// graceAfterLease is how much longer than its lease a fault may be seen. The supervisor reverts it
	// within a second; a busy machine may take longer, and a fault that stays is seen for minutes.
	graceAfterLease = time.Minute
	// staysAway is how long a chaos target must be well for a fault to be gone: looks that failed by
	// chance on a busy machine come alone.
	staysAway = 2 * time.Second
)

func overstayed(e evidence, b *rig.Breaches) {
	for _, p := range e.played {
		r := e.row(p.id)
		if r == nil {
			continue
		}
		if first, last := p.broken(e.looks); last.Sub(first) > time.Duration(r.LeaseMS)*time.Millisecond+graceAfterLease {
			b.Add("%s (%s, %s) was seen broken for %s, with a lease of %d ms",
				p.id, p.fault, p.manner, last.Sub(first), r.LeaseMS)
		}
	}
}

// broken says from when until when the fault of a run was seen; zero: it was not.
func (p *played) broken(looks []look) (first, last time.Time) {
	for _, l := range looks {
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
		b.If(flow.Open(), "goes on: %s %s", flow.WorkflowID, flow.RunID)
	}
	b.If(e.incidents > 0, "%d incidents are open", e.incidents)
}

func lost(e evidence, b *rig.Breaches) {
	for _, p := range e.played {
		switch r := e.row(p.id); {
		case r == nil:
			b.Add("%s was begun, and is not there", p.id)
		case r.Verdict == "":
			b.Add("%s has no verdict", p.id)
		case p.stuck:
			b.Add("%s did not end in time", p.id)
		}
	}
	b.If(len(e.runs) > len(e.played), "%d runs that nobody asked for", len(e.runs)-len(e.played))
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

func groundless(e evidence, b *rig.Breaches) { b.All(e.strange) }

// misjudged judges every run again, from its stored probes.
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

// gaveUp are why a run may be aborted although its fault was there: nobody could know, or it
// was stopped. Its probes do not tell.
var gaveUp = map[string]bool{
	"The order to break the chaos target got no clear answer, so the run was given up.": true,
}

// ending is what the row and the probes say of a run's end.
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
	e.Lost = "Nobody watched it until its end."
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
