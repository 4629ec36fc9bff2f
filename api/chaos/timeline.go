package chaos

import (
	"fmt"
	"slices"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

// timelineOf merges the run's row, its probes and the healer's incident into one list in order of time.
func timelineOf(run chaos.Run, samples []target.Sample, incident *heal.Incident, now time.Time) []ChaosMoment {
	t := chaosMoments{injected: run.InjectedAt}
	t.add(run.RequestedAt, "requested", RequestOf(run))
	if run.InjectedAt != nil {
		t.add(*run.InjectedAt, "injected", "The supervisor injected "+run.Fault+".")
		t.addProbes(run, samples)
	}
	if incident != nil {
		t.addIncident(*incident)
	}
	t.addEnd(run, now)
	slices.SortStableFunc(t.moments, func(a, b ChaosMoment) int { return a.At.Compare(b.At) })
	return t.moments
}

type chaosMoments struct {
	injected *time.Time
	moments  []ChaosMoment
}

func (t *chaosMoments) add(at time.Time, kind, text string) {
	moment := ChaosMoment{At: at, Kind: kind, Text: text}
	if t.injected != nil {
		moment.MS = new(sinceThen(at, *t.injected))
	}
	t.moments = append(t.moments, moment)
}

func (t *chaosMoments) addProbes(run chaos.Run, samples []target.Sample) {
	for _, sample := range samples {
		if !sample.Healthy() && sinceThen(sample.At, *run.InjectedAt) >= 0 {
			t.add(sample.At, "detected", "A probe detected the fault. Failing: "+sample.Failing.InWords()+".")
			break
		}
	}
	if run.HealMS != nil {
		at := run.InjectedAt.Add(time.Duration(*run.HealMS) * time.Millisecond)
		t.add(at, "healed", fmt.Sprintf("All checks pass again, %s after the injection (promised: %s).",
			Seconds(*run.HealMS), Seconds(run.PromiseMS)))
	}
}

func (t *chaosMoments) addIncident(i heal.Incident) {
	t.add(i.UnhealthyAt, "unhealthy", "The healer marked the chaos target unhealthy: 2 of 3 probes had failed.")
	for _, step := range i.Steps {
		if step.Error != "" {
			t.add(step.At, "repair_failed", "The healer could not "+repairOf(step)+".")
			continue
		}
		t.add(step.At, "repaired", fmt.Sprintf("The healer started to %s. It took %d ms.", repairOf(step), step.MS))
	}
	if i.AlarmAt != nil {
		t.add(*i.AlarmAt, "alarm", i.Alarm)
	}
}

func (t *chaosMoments) addEnd(run chaos.Run, now time.Time) {
	outstayed := run.Verdict == chaos.Failed && run.LeaseUntil != nil && !run.LeaseUntil.After(*run.EndedAt)
	overdue := run.EndedAt == nil && run.LeaseUntil != nil && !run.LeaseUntil.After(now)
	if outstayed || overdue {
		t.add(*run.LeaseUntil, "lease_ended", "The lease ended, so the supervisor reverts the fault.")
	}
	if run.EndedAt != nil {
		t.add(*run.EndedAt, "ended", EndingOf(run))
	}
}

// RequestOf describes who started a run and where.
func RequestOf(run chaos.Run) string {
	who := map[chaos.Requester]string{
		chaos.Visitors: "A visitor", chaos.Members: "A member", chaos.Founders: "A founder", chaos.Schedule: "The game day",
	}[run.RequestedBy]
	if run.ReplayOf != nil {
		return fmt.Sprintf("%s started %s again, as in run %s.", who, run.Fault, *run.ReplayOf)
	}
	return fmt.Sprintf("%s started %s (%s).", who, run.Fault, run.Source)
}

// EndingOf describes the verdict of a run.
func EndingOf(run chaos.Run) string {
	verdict := map[chaos.Verdict]string{
		chaos.Healed: "The test ended: healed in time.", chaos.HealedLate: "The test ended: healed, but late.",
		chaos.Failed: "The test ended: not healed.", chaos.Aborted: "The test ended without a verdict on the healer.",
	}[run.Verdict]
	if run.Reason == "" {
		return verdict
	}
	return verdict + " " + run.Reason
}

func repairOf(step heal.Repair) string {
	switch step.Kind {
	case heal.RestoreDatabase:
		return "restore the database from its last good snapshot"
	case heal.Restart:
		return "restart the process"
	case heal.RestoreFiles:
	}
	if len(step.Files) == 1 {
		return "restore " + step.Files[0] + " from the golden copy"
	}
	return fmt.Sprintf("restore %d files from the golden copy", len(step.Files))
}

// Seconds formats milliseconds, like "0.9 s".
func Seconds(ms int) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

func probesOf(run chaos.Run, samples []target.Sample) ProbeList {
	base := baseOf(run, samples)
	return ProbeList{namesOf(target.Checks()), httpapi.Map(samples, func(s target.Sample) Probe { return probeOf(s, base) })}
}

func baseOf(run chaos.Run, samples []target.Sample) time.Time {
	switch {
	case run.InjectedAt != nil:
		return *run.InjectedAt
	case len(samples) > 0:
		return samples[0].At
	}
	return run.RequestedAt
}

func probeOf(s target.Sample, base time.Time) Probe {
	failing := []int{}
	for i, check := range target.Checks() {
		if s.Failing.Has(check) {
			failing = append(failing, i)
		}
	}
	return Probe{MS: sinceThen(s.At, base), TookMS: int(s.Took.Milliseconds()), Failing: failing, Process: s.Process}
}

func namesOf(checks []target.Check) []string {
	return httpapi.Map(checks, func(check target.Check) string { return string(check) })
}

// sinceThen truncates both times to milliseconds, as verdicts do, so that their times match.
func sinceThen(at, base time.Time) int {
	return int(at.Truncate(time.Millisecond).Sub(base.Truncate(time.Millisecond)).Milliseconds())
}
