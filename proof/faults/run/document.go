package main

import (
	"fmt"
	"strings"

	"customerzero/proof/evidence"
	"customerzero/proof/faults"
)

const preface = `# Faults

What is done to the product, and what must hold nevertheless. ` + "`make faults`" + ` does it: it runs the tests of every row, those
that draw random numbers with ten seeds, and writes this file. Tests that do the same on different databases take turns: each seed runs one
of them.

` + "`make test`" + ` has most of these tests too, each once, with a seed of its own; those that do the same on both databases run on one of
them there. Each fails when its promise is broken, and so does ` + "`make faults`" + `, which then prints the
line that repeats the failure with its seed:

    FAULTS_SEED=7 scripts/with-postgres go test -count=1 -run '^TestTorture$' ./proof/crash/posts

The seed decides what is planned: texts, times, orders, faults, and when processes are killed. It does not decide how the system's scheduler
mixes what happens at once, so a rare failure may need the line more than once. One row alone: ` + "`scripts/with-postgres bin/faults -rows F1`" + `;
the rows and their tests are in ` + "`proof/faults`" + `, where a test holds that every test is there and every row has some.
`

// document is the file that tells of this run.
func (r report) document(machine string) string {
	var d strings.Builder
	d.WriteString(preface)
	fmt.Fprintf(&d, "\n## The run\n\n%s.\n%s; %s of it compiling.\n", machine, r.total(), clock(r.built))
	d.WriteString("\n| row | what is done | what must hold | keeps | seeds | runs | time | |\n| --- | --- | --- | --- | ---: | ---: | ---: | --- |\n")
	for _, l := range r.lines {
		fmt.Fprintf(&d, "| %s | %s | %s | %s | %s | %d | %s | %s |\n",
			l.Name(), cell(l.Fault), cell(l.Holds), strings.Join(l.Keeps, " "), l.withSeeds(), l.runs, clock(l.took), l.result())
	}
	d.WriteString("\nThe time is that of the row's tests, one after the other; rows share tests, and several run at once.\n\n## Invariants\n\n")
	for _, i := range faults.Invariants {
		fmt.Fprintf(&d, "- **%s** %s\n", i.Number, i.Says)
	}
	d.WriteString("\n## How each is done, and the tests that do it\n")
	for _, l := range r.lines {
		fmt.Fprintf(&d, "\n**%s** %s.\n", l.Name(), upper(l.How))
		list(&d, "With every seed", l.Seeded)
		list(&d, "In turn, each with some of the seeds", l.InTurn)
		list(&d, "Once", l.Tests)
	}
	return d.String()
}

// list names tests. Those of the pages run in make test alone.
func list(d *strings.Builder, when string, proofs []evidence.Proof) {
	var here, elsewhere []string
	for _, p := range proofs {
		name := "`" + p.String() + "`"
		if p.Runs() {
			here = append(here, name)
		} else {
			elsewhere = append(elsewhere, name)
		}
	}
	if len(here) > 0 {
		fmt.Fprintf(d, "%s: %s.\n", when, strings.Join(here, ", "))
	}
	if len(elsewhere) > 0 {
		fmt.Fprintf(d, "In `make e2e`: %s.\n", strings.Join(elsewhere, ", "))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
