package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

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
		_, _ = fmt.Fprintln(table, "  what\tbeside\tfloor\tours\tratio\ttarget\t")
		for _, f := range s.Figures {
			_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				f.What, f.Beside, f.FloorText(), f.OursText(), f.RatioText(), f.TargetText(), f.Verdict())
		}
		_ = table.Flush()
	}
}

// FloorText is empty where nothing compares, as are the others below where they say nothing.
func (f figure) FloorText() string {
	if f.Floor == 0 {
		return ""
	}
	return amount(f.Floor, f.Unit)
}

// OursText is what the product does, or needs.
func (f figure) OursText() string { return amount(f.Ours, f.Unit) }

// RatioText is ours of the floor.
func (f figure) RatioText() string {
	if f.Floor == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.Ours/f.Floor)
}

// TargetText is a ratio, or where nothing compares an amount.
func (f figure) TargetText() string {
	text := f.Target.String()
	if text == "" || f.Floor != 0 || f.Unit == "" {
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
