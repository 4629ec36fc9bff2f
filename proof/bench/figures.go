package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"
)

// figure is a line of the tables: what the product does, or needs, beside a baseline that does the
// least which anybody would have to, in the same run on the same machine. The ratio travels from
// machine to machine; the figures do not.
type figure struct {
	Subject  string  // the table that it stands in, as "Public reads"
	What     string  // as "a page of 50 posts, 16 at once"
	Unit     string  // of Baseline and Ours: "req/s", "ms", "MB"
	Baseline float64 // 0: nothing compares, and the target is one of Ours itself
	Beside   string  // what the baseline is, as "bare Gin and SQL"
	Ours     float64
	Target   target
}

// target bounds a ratio, or a figure that has no baseline. The zero target bounds nothing.
type target struct {
	At    float64
	Least bool // it is the least that is good enough: of a rate. Else the most: of a time, a size.
}

func atLeast(at float64) target { return target{at, true} }
func atMost(at float64) target  { return target{at, false} }

// held is what the target bounds.
func (f figure) held() float64 {
	if f.Baseline == 0 {
		return f.Ours
	}
	return f.Ours / f.Baseline
}

func (f figure) met() bool {
	switch {
	case f.Target == (target{}):
		return true
	case f.Target.Least:
		return f.held() >= f.Target.At
	}
	return f.held() <= f.Target.At
}

func (t target) String() string {
	switch {
	case t == (target{}):
		return ""
	case t.Least:
		return fmt.Sprintf("≥ %g", t.At)
	}
	return fmt.Sprintf("≤ %g", t.At)
}

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

// subject is what one table tells of.
type subject struct {
	Name    string
	Figures []figure
}

// bySubject sorts figures into tables, in the order in which they came.
func bySubject(figures []figure) (tables []subject) {
	places := map[string]int{}
	for _, f := range figures {
		place, known := places[f.Subject]
		if !known {
			place = len(tables)
			places[f.Subject] = place
			tables = append(tables, subject{Name: f.Subject})
		}
		tables[place].Figures = append(tables[place].Figures, f)
	}
	return tables
}

// printTables prints what was measured, for whoever looks on.
func printTables(out io.Writer, figures []figure) {
	for _, s := range bySubject(figures) {
		_, _ = fmt.Fprintf(out, "\n%s\n", s.Name)
		table := tabwriter.NewWriter(out, 0, 4, 3, ' ', 0)
		_, _ = fmt.Fprintln(table, "  what\tbeside\tbaseline\tours\tratio\ttarget\t")
		for _, f := range s.Figures {
			_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				f.What, f.Beside, f.BaselineText(), f.OursText(), f.RatioText(), f.TargetText(), f.Verdict())
		}
		_ = table.Flush()
	}
}

// BaselineText is empty where nothing compares, as are the others below where they say nothing.
func (f figure) BaselineText() string {
	if f.Baseline == 0 {
		return ""
	}
	return amount(f.Baseline, f.Unit)
}

// OursText is what the product does, or needs.
func (f figure) OursText() string { return amount(f.Ours, f.Unit) }

// RatioText is ours of the baseline.
func (f figure) RatioText() string {
	if f.Baseline == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.Ours/f.Baseline)
}

// TargetText is a ratio, or where nothing compares an amount.
func (f figure) TargetText() string {
	text := f.Target.String()
	if text == "" || f.Baseline != 0 || f.Unit == "" {
		return text
	}
	return text + " " + f.Unit
}

// Verdict says whether the target is met.
func (f figure) Verdict() string {
	switch {
	case f.Target == (target{}):
		return ""
	case f.met():
		return "met"
	}
	return "MISSED"
}

// amount tells as many digits as mean something.
func amount(of float64, unit string) string {
	digits := 2
	switch {
	case of >= 100 || of == float64(int(of)):
		digits = 0
	case of >= 10:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, of)
	if unit != "" {
		text += " " + unit
	}
	return text
}
