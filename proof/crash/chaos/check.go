package chaos

import (
	"fmt"
	"slices"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/proof/crash/rig"
)

// invariant is a promise of the product.
type invariant struct {
	promise string
	broken  func(evidence) []string // each breach in one line
}

// invariants are all promises. A new one needs a case in TestInvariants.
var invariants = []invariant{
	{"the cell is well after every run: files, pages, heartbeat, database", sick},
	{"no fault outlives its lease by more than a minute, seen from outside", overstayed},
	{"no run is left open, in rows and in Temporal; no incident either", open},
	{"every run that was asked for is there, with a verdict", lost},
	{"verdicts and times are those of the stored probes", misjudged},
	{"the members' tables are as before", touched},
	{"no file beside the cell's directory came or went", littered},
	{"no answer without a reason", groundless},
}

func sick(e evidence) (breaches []string) {
	for _, p := range e.played {
		if len(p.sick) > 0 {
			breaches = append(breaches, fmt.Sprintf("after %s (%s, %s): %v", p.id, p.fault, p.manner, p.sick))
		}
		if p.damaged != "" {
			breaches = append(breaches, fmt.Sprintf("after %s (%s, %s) the database: %s", p.id, p.fault, p.manner, p.damaged))
		}
	}
	return breaches
}

const (
	// graceAfterLease is how much longer than its lease a fault may be seen. The supervisor reverts it
	// within a second; a busy machine may take longer, and a fault that stays is seen for minutes.
	graceAfterLease = time.Minute
	// staysAway is how long a cell must be well for a fault to be gone: looks that failed by
	// chance on a busy machine come alone.
	staysAway = 2 * time.Second
)

func overstayed(e evidence) (breaches []string) {
	for _, p := range e.played {
		r := e.row(p.id)
		if r == nil {
			continue
		}
		if first, last := p.broken(e.looks); last.Sub(first) > time.Duration(r.LeaseMS)*time.Millisecond+graceAfterLease {
			breaches = append(breaches, fmt.Sprintf("%s (%s, %s) was seen broken for %s, with a lease of %d ms",
				p.id, p.fault, p.manner, last.Sub(first), r.LeaseMS))
		}
	}
	return breaches
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

func open(e evidence) (breaches []string) {
	for _, r := range e.runs {
		if r.Stage != chaos.Ended {
			breaches = append(breaches, fmt.Sprintf("%s (%s) is %s", r.ID, r.Fault, r.Stage))
		}
	}
	for _, flow := range e.flows {
		if flow.Open() {
			breaches = append(breaches, "goes on: "+flow.WorkflowID+" "+flow.RunID)
		}
	}
	if e.incidents > 0 {
		breaches = append(breaches, fmt.Sprintf("%d incidents are open", e.incidents))
	}
	return breaches
}

func lost(e evidence) (breaches []string) {
	for _, p := range e.played {
		switch r := e.row(p.id); {
		case r == nil:
			breaches = append(breaches, p.id+" was begun, and is not there")
		case r.Verdict == "":
			breaches = append(breaches, p.id+" has no verdict")
		case p.stuck:
			breaches = append(breaches, p.id+" did not end in time")
		}
	}
	if len(e.runs) > len(e.played) {
		breaches = append(breaches, fmt.Sprintf("%d runs that nobody asked for", len(e.runs)-len(e.played)))
	}
	return breaches
}

func touched(e evidence) []string    { return e.after.since(e.before) }
func littered(e evidence) []string   { return e.after.newFiles(e.before) }
func groundless(e evidence) []string { return slices.Clone(e.strange) }

// report holds the evidence against every promise.
func (w *world) report(e evidence) rig.Report {
	r := rig.Report{Figures: figures(e, w.refused)}
	for _, i := range invariants {
		r.Verdicts = append(r.Verdicts, rig.Verdict{Promise: i.promise, Breaches: i.broken(e)})
	}
	return r
}
