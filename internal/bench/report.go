package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// The targets are generous enough for a busy machine, and tight enough that a needless wait
// at the start, or a cache that nobody bounds, breaks them.
const (
	startTarget  = 2.0
	memoryTarget = 1.5
)

// line compares one figure of the two programs.
type line struct {
	name      string
	of        func(sample) float64
	unit      string
	target    float64 // of the ratio; 0: for information
	alone, up []sample
}

// report prints a table, and says whether every target was met.
func report(out io.Writer, r results) bool {
	table := tabwriter.NewWriter(out, 0, 4, 3, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "median of %d\tTemporal alone\tcustomerzero up\tratio\ttarget\t\t\n", len(r.alone))
	met := true
	for _, l := range []line{
		{name: "start on existing data", unit: "ms", target: startTarget, of: func(s sample) float64 {
			return float64(s.took) / float64(time.Millisecond)
		}},
		{name: "memory at rest, RSS", unit: "MB", target: memoryTarget, of: func(s sample) float64 { return float64(s.rss) / 1024 }},
		{name: "memory at rest, PSS", unit: "MB", of: func(s sample) float64 { return float64(s.pss) / 1024 }},
	} {
		l.alone, l.up = r.alone, r.up
		met = l.print(table) && met
	}
	_ = table.Flush()
	_, _ = fmt.Fprintf(out, "the cell, beside the product and not in the lines above: RSS %.0f MB, PSS %.0f MB\n",
		median(r.up, func(s sample) float64 { return float64(s.cellRSS) / 1024 }),
		median(r.up, func(s sample) float64 { return float64(s.cellPSS) / 1024 }))
	return met
}

func (l line) print(out io.Writer) bool {
	alone, up := median(l.alone, l.of), median(l.up, l.of)
	ratio := up / alone
	target, verdict, met := "", "", true
	if l.target > 0 {
		target, verdict = fmt.Sprintf("≤ %.1f", l.target), "met"
		if ratio > l.target {
			verdict, met = "MISSED", false
		}
	}
	_, _ = fmt.Fprintf(out, "%s\t%.0f %s\t%.0f %s\t%.2f\t%s\t%s\t\n", l.name, alone, l.unit, up, l.unit, ratio, target, verdict)
	return met
}

func median(samples []sample, of func(sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}
