package chaos

import (
	"fmt"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

// misjudged judges every run again, from its stored probes.
func misjudged(e evidence) (breaches []string) {
	for _, r := range e.runs {
		if r.Stage != chaos.Ended {
			continue
		}
		samples, err := chaos.Samples(e.parts[r.ID])
		if err != nil {
			breaches = append(breaches, fmt.Sprintf("the probes of %s: %v", r.ID, err))
			continue
		}
		o := chaos.Judge(r, samples, ending(r, samples))
		was, is := words(r.Verdict, r.Restored, r.DetectMS, r.HealMS), words(o.Verdict, o.Restored, o.DetectMS, o.HealMS)
		if was != is {
			breaches = append(breaches, fmt.Sprintf("%s (%s) is %s (%q), its %d probes say %s (%q)",
				r.ID, r.Fault, was, r.Reason, len(samples), is, o.Reason))
		}
	}
	return breaches
}

// gaveUp are why a run may be aborted although its fault was there: nobody could know, or it
// was stopped. Its probes do not tell.
var gaveUp = map[string]bool{
	"The order to break the cell got no clear answer, so the run was given up.": true,
}

// ending is what the row and the probes say of a run's end.
func ending(r chaos.Run, samples []target.Sample) chaos.Ending {
	e := chaos.Ending{Last: target.Sample{At: *r.EndedAt}}
	if !r.Restored {
		e.Last.Failing = target.Failed(target.CheckKeeper)
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
