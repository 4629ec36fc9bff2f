package rig

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Report is what was found on one database.
type Report struct {
	Figures  []Figure
	Verdicts []Verdict
}

// Figure is a number with its name.
type Figure struct{ Name, Value string }

// Counts are figures by name, sorted.
func Counts[K ~string](prefix string, counts map[K]int) (figures []Figure) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		figures = append(figures, Figure{prefix + string(name), strconv.Itoa(counts[name])})
	}
	return figures
}

// Verdict is a promise, and how it was broken: each breach in one line.
type Verdict struct {
	Promise  string
	Breaches []string
}

const breachesShown = 10

// print writes the table, and says whether every promise was kept.
func (r Report) print(out io.Writer, kind string) bool {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	Say(table, "\n%s", strings.ToUpper(kind))
	for _, f := range r.Figures {
		Say(table, "  %s\t%s", f.Name, f.Value)
	}
	kept := true
	for _, v := range r.Verdicts {
		verdict := "ok"
		if len(v.Breaches) > 0 {
			kept, verdict = false, fmt.Sprintf("BREACH (%d)", len(v.Breaches))
		}
		Say(table, "  %s\t%s", v.Promise, verdict)
		for _, breach := range v.Breaches[:min(len(v.Breaches), breachesShown)] {
			Say(table, "    %s", breach) // no table cell: it must not widen the column
		}
	}
	_ = table.Flush()
	return kept
}
