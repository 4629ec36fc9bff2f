package stats

import (
	"time"

	"customerzero/internal/domain/chaos"
)

// Fault is what came of all runs of a fault.
type Fault struct {
	Verdicts map[chaos.Verdict]int
	Detect   Times
	Heal     Times
}

// Add counts one more run.
func (f *Fault) Add(verdict chaos.Verdict, detectMS, healMS *int) {
	if f.Verdicts == nil {
		f.Verdicts = map[chaos.Verdict]int{}
	}
	f.Verdicts[verdict]++
	f.Detect.Add(detectMS)
	f.Heal.Add(healMS)
}

// Plus is both, and changes neither.
func (f Fault) Plus(other Fault) Fault {
	sum := Fault{Verdicts: map[chaos.Verdict]int{}, Detect: f.Detect.plus(other.Detect), Heal: f.Heal.plus(other.Heal)}
	for _, counted := range []map[chaos.Verdict]int{f.Verdicts, other.Verdicts} {
		for verdict, n := range counted {
			sum.Verdicts[verdict] += n
		}
	}
	return sum
}

// Steps bound the buckets of Times.
var Steps = [...]time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
}

// Times are how long something took, again and again.
type Times struct {
	Count  uint64
	Sum    time.Duration
	Within [len(Steps)]uint64 // how many took no longer than each of Steps
}

// Add counts one more; nil counts nothing.
func (t *Times) Add(ms *int) {
	if ms == nil {
		return
	}
	took := time.Duration(*ms) * time.Millisecond
	t.Count++
	t.Sum += took
	for i, step := range Steps {
		if took <= step {
			t.Within[i]++
		}
	}
}

func (t Times) plus(other Times) Times {
	t.Count += other.Count
	t.Sum += other.Sum
	for i, n := range other.Within {
		t.Within[i] += n
	}
	return t
}
