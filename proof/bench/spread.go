package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// at is the value that so large a share of the values does not exceed; 0: there are none.
func at[T cmp.Ordered](values []T, share float64) (value T) {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return value
	}
	const rounding = 1e-9 // 0.95 of 100 is 95, and not a little more
	i := int(math.Ceil(share*float64(len(sorted))-rounding)) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

// inMS is a time as figures tell it.
func inMS(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}
