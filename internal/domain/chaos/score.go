package chaos

import "slices"

// Formula describes the score in words.
const Formula = "Each fault has a share: the runs that healed in time and half of those that healed late, " +
	"divided by all its runs that healed in time, healed late or failed. The score is 100 times the mean of " +
	"the shares, in which each fault counts by its weight. Runs that were aborted count nowhere, " +
	"and a fault without runs does not count."

// Score is the score of many runs.
type Score struct {
	Value  *float64 // 0 to 100; nil without counted runs
	Runs   int      // without aborted ones
	Faults []FaultScore
}

// FaultScore is the score of one fault. Times are nearest-rank percentiles in milliseconds, nil without data.
type FaultScore struct {
	Fault                               Fault
	Runs                                int // without aborted ones
	Healed, HealedLate, Failed, Aborted int
	Share                               *float64 // 0 to 1; nil without counted runs
	DetectP50, DetectP95                *int
	HealP50, HealP95                    *int
}

// ScoreOf scores the runs of each fault, in the order of faults. Runs of other faults and unfinished runs
// are ignored.
func ScoreOf(runs []Run, faults []Fault) Score {
	var s Score
	var sum float64
	var weights int
	for _, fault := range faults {
		line := scoreOf(runs, fault)
		s.Faults = append(s.Faults, line)
		s.Runs += line.Runs
		if line.Share != nil {
			sum += float64(fault.Weight) * *line.Share
			weights += fault.Weight
		}
	}
	if weights > 0 {
		value := 100 * sum / float64(weights)
		s.Value = &value
	}
	return s
}

func scoreOf(runs []Run, fault Fault) FaultScore {
	var detect, heal []int
	counts := map[Verdict]int{}
	for _, r := range runs {
		if r.Fault == fault.Name {
			counts[r.Verdict]++
			detect, heal = add(detect, r.DetectMS), add(heal, r.HealMS)
		}
	}
	line := FaultScore{
		Fault: fault, Healed: counts[Healed], HealedLate: counts[HealedLate], Failed: counts[Failed], Aborted: counts[Aborted],
	}
	line.Runs = line.Healed + line.HealedLate + line.Failed
	if line.Runs > 0 {
		share := (float64(line.Healed) + float64(line.HealedLate)/2) / float64(line.Runs)
		line.Share = &share
	}
	line.DetectP50, line.DetectP95 = rank(detect, 50), rank(detect, 95)
	line.HealP50, line.HealP95 = rank(heal, 50), rank(heal, 95)
	return line
}

func add(all []int, one *int) []int {
	if one == nil {
		return all
	}
	return append(all, *one)
}

// rank is the nearest-rank percentile.
func rank(times []int, percent int) *int {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	return &times[(len(times)*percent+99)/100-1]
}
