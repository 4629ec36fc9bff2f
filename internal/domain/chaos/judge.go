package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/domain/target"
)

// Outcome is what a run has come to.
type Outcome struct {
	Verdict  Verdict
	Reason   string // a sentence; empty when it was healed in time
	Restored bool   // the chaos target was well at the last look
	DetectMS *int
	HealMS   *int
}

// Ending is what is known of a run's end beside its probes.
type Ending struct {
	Aborted   string        // why nothing was broken; a sentence
	LeaseOver bool          // the lease ended before it was well
	Lost      string        // why the watch cannot be trusted; a sentence
	Last      target.Sample // the final look; zero: nobody could look
}

// Judge says what a run has come to. Its times are those of its probes, and nothing else's: what a
// probe saw is known when it has its answer, which may be long after it was made.
// That the chaos target is sick at the end, or was until its lease was, weighs more than a lost watch.
func Judge(r Run, samples []target.Sample, e Ending) Outcome {
	o := Outcome{Restored: !e.Last.At.IsZero() && e.Last.Healthy()}
	if e.Aborted != "" || r.InjectedAt == nil {
		return o.end(Aborted, cmp.Or(e.Aborted, "Nothing was broken."))
	}
	seen := since(*r.InjectedAt, samples)
	detected, healed := turns(seen)
	if detected >= 0 {
		o.DetectMS = after(*r.InjectedAt, seen[detected])
	}
	switch {
	case e.LeaseOver, healed >= 0 && r.LeaseUntil != nil && answered(seen[healed]).After(*r.LeaseUntil):
		return o.end(Failed, "It was not well when its lease of "+words(r.LeaseMS)+" ended.")
	case !o.Restored:
		return o.end(Failed, stillBroken(e.Last))
	case e.Lost != "":
		return o.end(Aborted, e.Lost)
	case detected < 0:
		return o.end(Aborted, "No probe saw it broken: it was healed between two probes.")
	case healed < 0:
		return o.end(Aborted, "It is well, but no probe saw when it became so.")
	}
	o.HealMS = after(*r.InjectedAt, seen[healed])
	*o.HealMS = max(*o.HealMS, *o.DetectMS) // probes of two watches may overlap
	if *o.HealMS <= r.PromiseMS {
		return o.end(Healed, "")
	}
	return o.end(HealedLate, "It was well after "+words(*o.HealMS)+"; "+words(r.PromiseMS)+" were promised.")
}

// end gives a verdict. One that says that nobody can tell has no times.
func (o Outcome) end(v Verdict, reason string) Outcome {
	o.Verdict, o.Reason = v, reason
	if v == Aborted {
		o.DetectMS = nil
	}
	return o
}

// since gives the probes from a time on, in order of time. Probes and times are whole
// milliseconds when they are stored, so that is how finely they are compared.
func since(from time.Time, samples []target.Sample) []target.Sample {
	from = from.Truncate(time.Millisecond)
	var seen []target.Sample
	for _, s := range samples {
		if !s.At.Truncate(time.Millisecond).Before(from) {
			seen = append(seen, s)
		}
	}
	slices.SortStableFunc(seen, func(a, b target.Sample) int { return a.At.Compare(b.At) })
	return seen
}

// turns gives the places of the first probe that failed, and of the first of those that
// stayed well after the last that failed; -1: there is none.
func turns(seen []target.Sample) (detected, healed int) {
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

// answered is when a probe had its answer.
func answered(s target.Sample) time.Time {
	return s.At.Truncate(time.Millisecond).Add(s.Took.Truncate(time.Millisecond))
}

func stillBroken(last target.Sample) string {
	if last.At.IsZero() {
		return "Nobody could look at it when the run ended."
	}
	return fmt.Sprintf("When the run ended, these failed their checks: %s.", last.Failing.InWords())
}

// words says a time as people read it: "2 s", "0.9 s".
func words(ms int) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" }

// StayWell is how many probes in a row must be well before a run believes it.
const StayWell = 4

// Unseen is how long a run waits for the first probe that fails.
const Unseen = 3 * time.Second

// Recovered says whether a watch is over: a probe failed and StayWell in a row are well since,
// or none has failed for the time Unseen.
func Recovered(injected time.Time, samples []target.Sample) bool {
	seen := since(injected, samples)
	detected, healed := turns(seen)
	if detected < 0 {
		return len(seen) > 0 && seen[len(seen)-1].At.Sub(injected) >= Unseen
	}
	return healed >= 0 && len(seen)-healed >= StayWell
}
