package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"customerzero/proof/evidence"
	"customerzero/proof/faults"
)

// report is what came of all rows.
type report struct {
	options
	began    time.Time
	built    time.Duration // how long compiling took
	took     time.Duration
	dir      string
	outcomes []outcome // of the jobs of the plan
	lines    []line
}

// line is what came of one row.
type line struct {
	faults.Row
	runs     int // of its tests
	seeds    int // with which some of them ran
	took     time.Duration
	breaches []breach
}

type breach struct {
	rows            []string // that name the test
	proof           evidence.Proof
	why, again, log string
}

// finish judges, prints, writes the document, and says whether everything held.
func (r report) finish(ctx context.Context) (bool, error) {
	r.took = time.Since(r.began)
	kept := true
	jobs := plan(r.rows, r.seeds)
	for _, row := range r.rows {
		l := r.judge(row, jobs)
		r.lines, kept = append(r.lines, l), kept && len(l.breaches) == 0
	}
	r.print()
	if r.write != "" {
		if err := os.WriteFile(r.write, []byte(r.document(machine(ctx, r.root, r.began))), 0o600); err != nil {
			return false, err
		}
	}
	if !kept {
		_, _ = fmt.Fprintf(r.out, "\nA promise was broken. What the tests said: %s\n", r.dir)
		return false, nil
	}
	return true, os.RemoveAll(r.dir)
}

// judge holds a row against what its tests said. A test of the pages is not run here.
func (r report) judge(row faults.Row, jobs []job) line {
	l := line{Row: row}
	seeds := map[uint64]bool{}
	for _, p := range row.Proofs() {
		for i, j := range jobs {
			if !j.runs(p) {
				continue
			}
			if !j.once {
				seeds[j.seed] = true
			}
			l.runs++
			l.took += r.outcomes[i].timeOf(p)
			if why := r.outcomes[i].breach(p); why != "" {
				l.breaches = append(l.breaches, breach{proof: p, why: why, again: j.again(r.root, p), log: r.outcomes[i].log})
			}
		}
	}
	l.seeds = len(seeds)
	return l
}

func (l line) result() string {
	if len(l.breaches) > 0 {
		return "BREACH"
	}
	return "held"
}

// withSeeds says with how many seeds the row ran.
func (l line) withSeeds() string {
	if l.seeds == 0 {
		return "–"
	}
	return fmt.Sprint(l.seeds)
}

func (r report) print() {
	table := tabwriter.NewWriter(r.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "row\twhat is done\tmust keep\ttests\tseeds\truns\ttime\t")
	for _, l := range r.lines {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\n", l.Name(), l.Fault, strings.Join(l.Keeps, " "),
			len(l.Proofs()), l.withSeeds(), l.runs, clock(l.took), l.result())
	}
	_ = table.Flush()
	for _, b := range r.breaches() {
		_, _ = fmt.Fprintf(r.out, "\nBREACH of %s: %s %s\n  again: %s\n  log:   %s\n", strings.Join(b.rows, " "), b.proof, b.why, b.again, b.log)
	}
	_, _ = fmt.Fprintf(r.out, "\n%s\n", r.total())
}

// breaches are those of all rows, each once.
func (r report) breaches() (all []breach) {
	for _, l := range r.lines {
		for _, b := range l.breaches {
			i := slices.IndexFunc(all, func(other breach) bool { return other.again == b.again })
			if i < 0 {
				i, all = len(all), append(all, b)
			}
			all[i].rows = append(all[i].rows, l.Name())
		}
	}
	return all
}

// total is one sentence about everything.
func (r report) total() string {
	tests, runs, broken := map[evidence.Proof]bool{}, 0, []string(nil)
	for _, j := range plan(r.rows, r.seeds) {
		runs += len(j.proofs)
		for _, p := range j.proofs {
			tests[p] = true
		}
	}
	for _, l := range r.lines {
		if len(l.breaches) > 0 {
			broken = append(broken, l.Name())
		}
	}
	said := "every invariant held"
	if len(broken) > 0 {
		said = "broken: " + strings.Join(broken, ", ")
	}
	return fmt.Sprintf("%d rows, %d tests, %d runs of them, seeds %s, %s: %s",
		len(r.lines), len(tests), runs, span(r.seeds), clock(r.took), said)
}
