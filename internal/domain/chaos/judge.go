package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/domain/target"
)

// Outcome is the result of a run.
type Outcome struct {
	Verdict  Verdict
	Reason   string // a sentence; empty if healed in time
	Restored bool   // the final check was healthy
	DetectMS *int
	HealMS   *int
}

// Ending is the information about a run's end besides its probes.
type Ending struct {
	Aborted   string        // why no fault was injected; a sentence
	LeaseOver bool          // the lease ended before the recovery
	Lost      string        // why the probes are incomplete; a sentence
	Last      target.Sample // the final check; zero: not possible
}

// Judge derives a run's outcome from its probes. All times are those of the probes' responses, which may be
// long after the requests. An unhealthy end, or a recovery after the lease, outweighs incomplete probes.
func Judge(r Run, samples []target.Sample, e Ending) Outcome {
	o := Outcome{Restored: !e.Last.At.IsZero() && e.Last.Healthy()}
	if e.Aborted != "" || r.InjectedAt == nil {
		return o.end(Aborted, cmp.Or(e.Aborted, "No fault was injected."))
	}
	seen := since(*r.InjectedAt, samples)
	detected, healed := transitions(seen)
	if detected >= 0 {
		o.DetectMS = after(*r.InjectedAt, seen[detected])
	}
	switch {
	case e.LeaseOver, healed >= 0 && r.LeaseUntil != nil && answered(seen[healed]).After(*r.LeaseUntil):
		return o.end(Failed, "It was unhealthy when its lease of "+words(r.LeaseMS)+" ended.")
	case !o.Restored:
		return o.end(Failed, stillBroken(e.Last))
	case e.Lost != "":
		return o.end(Aborted, e.Lost)
	case detected < 0:
		return o.end(Aborted, "No probe failed: it recovered between two probes.")
	case healed < 0:
		return o.end(Aborted, "It is healthy, but no probe recorded the recovery.")
	}
	o.HealMS = after(*r.InjectedAt, seen[healed])
	*o.HealMS = max(*o.HealMS, *o.DetectMS) // probes of two watchers may overlap
	if *o.HealMS <= r.PromiseMS {
		return o.end(Healed, "")
	}
	return o.end(HealedLate, "It was healthy after "+words(*o.HealMS)+"; the promise was "+words(r.PromiseMS)+".")
}

// end sets the verdict. Aborted runs have no times.
func (o Outcome) end(v Verdict, reason string) Outcome {
	o.Verdict, o.Reason = v, reason
	if v == Aborted {
		o.DetectMS = nil
	}
	return o
}

// since returns the probes from a time on, sorted, at the millisecond precision of stored probes.
func since(from time.Time, samples []target.Sample) []target.Sample {
	from = from.Truncate(time.Millisecond)
	seen := slices.DeleteFunc(slices.Clone(samples), func(s target.Sample) bool { return s.At.Truncate(time.Millisecond).Before(from) })
	slices.SortStableFunc(seen, func(a, b target.Sample) int { return a.At.Compare(b.At) })
	return seen
}

// transitions returns the index of the first failed probe and of the first healthy probe after the last failed
// one, or -1.
func transitions(seen []target.Sample) (detected, healed int) {
	detected, healed = -1, -1
	for i, s := range seen {
		switch {
		case !s.Healthy():
			healed = -1
			if detected < 0 {
				detected = i
			}
		case detected >= 0 && healed < 0:
			healed = i
		}
	}
	return detected, healed
}

func after(injected time.Time, s target.Sample) *int {
	ms := int(answered(s).Sub(injected.Truncate(time.Millisecond)).Milliseconds())
	return &ms
}

// answered is the time of a probe's response.
func answered(s target.Sample) time.Time {
	return s.At.Truncate(time.Millisecond).Add(s.Took.Truncate(time.Millisecond))
}

func stillBroken(last target.Sample) string {
	if last.At.IsZero() {
		return "It could not be checked when the run ended."
	}
	return fmt.Sprintf("When the run ended, these checks failed: %s.", last.Failing.InWords())
}

// words formats a duration: "2 s", "0.9 s".
func words(ms int) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" }

// StayWell is the number of healthy probes in a row that count as a recovery.
const StayWell = 4

// Unseen is how long a run waits for the first failed probe.
const Unseen = 3 * time.Second

// Recovered reports whether a run can stop probing: the target recovered, or no probe failed within Unseen.
func Recovered(injected time.Time, samples []target.Sample) bool {
	seen := since(injected, samples)
	detected, healed := transitions(seen)
	if detected < 0 {
		return len(seen) > 0 && seen[len(seen)-1].At.Sub(injected) >= Unseen
	}
	return healed >= 0 && len(seen)-healed >= StayWell
}
