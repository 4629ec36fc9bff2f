package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/proof/crash/rig"
)

// figures tell what became of each fault, in calm and under kills.
func figures(e evidence, refused int) []rig.Figure {
	manners := map[manner]int{}
	longest, stray := time.Duration(0), 0
	for _, p := range e.played {
		manners[p.manner]++
		if r := e.row(p.id); r != nil {
			first, last := p.broken(e.looks)
			longest = max(longest, last.Sub(first)-time.Duration(r.LeaseMS)*time.Millisecond)
		}
	}
	for _, l := range e.looks {
		if len(l.failing) > 0 && !slices.ContainsFunc(e.played, func(p *played) bool { return during(p, l) }) {
			stray++
		}
	}
	lines := []rig.Figure{
		{Name: "chaos runs", Value: fmt.Sprintf("%d calm, %d with the worker killed, %d with it dead for longer than the lease", manners[calm], manners[killed], manners[expired])},
		{Name: "asked too early", Value: strconv.Itoa(refused)},
		{Name: "looks from outside", Value: fmt.Sprintf("%d, %d of them failed outside of a run", len(e.looks), stray)},
		{Name: "longest seen after a lease", Value: max(longest, 0).Round(time.Millisecond).String()},
	}
	for _, fault := range faultNames {
		for _, m := range []manner{calm, killed, expired} {
			if runs := e.of(fault, m); len(runs) > 0 {
				lines = append(lines, rig.Figure{Name: fault + ", " + string(m), Value: verdicts(runs) + "; " + times(runs)})
			}
		}
	}
	reasons := map[string]int{}
	for _, r := range e.runs {
		if r.Verdict == chaos.Aborted || r.Verdict == chaos.Failed {
			reasons[string(r.Verdict)+": "+r.Reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		lines = append(lines, rig.Figure{Name: reason, Value: strconv.Itoa(reasons[reason])})
	}
	return lines
}

func during(p *played, l look) bool { return !l.at.Before(p.asked) && !l.at.After(p.over) }

// of are the rows of a fault's runs, of one manner.
func (e evidence) of(fault string, m manner) (runs []chaos.Run) {
	for _, p := range e.played {
		if r := e.row(p.id); r != nil && p.fault == fault && p.manner == m {
			runs = append(runs, *r)
		}
	}
	return runs
}

func verdicts(runs []chaos.Run) string {
	counts := map[chaos.Verdict]int{}
	for _, r := range runs {
		counts[r.Verdict]++
	}
	return fmt.Sprintf("%2d runs: %d healed, %d late, %d failed, %d aborted",
		len(runs), counts[chaos.Healed], counts[chaos.HealedLate], counts[chaos.Failed], counts[chaos.Aborted])
}

// times are those that the rows name.
func times(runs []chaos.Run) string {
	var detect, heal []int
	for _, r := range runs {
		if r.DetectMS != nil {
			detect = append(detect, *r.DetectMS)
		}
		if r.HealMS != nil {
			heal = append(heal, *r.HealMS)
		}
	}
	return fmt.Sprintf("p50/p95 to detect %s, to heal %s", spread(detect), spread(heal))
}

func spread(ms []int) string {
	if len(ms) == 0 {
		return "-"
	}
	slices.Sort(ms)
	at := func(percent int) string {
		return fmt.Sprintf("%.2f s", float64(ms[(len(ms)*percent+99)/100-1])/1000)
	}
	return at(50) + "/" + at(95)
}
