package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"customerzero/proof/machine"
)

type report struct {
	options
	began    time.Time
	took     time.Duration
	logs     string // the folder; it is removed if there is no breach
	jobs     []job
	outcomes []outcome // of the jobs
	results  []result
	breaches []breach
}

type result struct {
	*scenario
	runs, seeds int // of its tests, and how many seeds they ran with
	took        time.Duration
	broken      bool
}

// breach is a test that did not pass in one of the jobs.
type breach struct {
	scenarios         []string
	test              proof
	why, command, log string
}

// judge works out the result of each scenario. Browser tests do not run here.
func (r *report) judge(scenarios []*scenario) {
	for _, s := range scenarios {
		result, seeds := result{scenario: s}, map[uint64]bool{}
		for i, j := range r.jobs {
			for _, p := range s.Tests {
				if !slices.Contains(j.tests, p) {
					continue
				}
				result.runs++
				result.took += r.outcomes[i].tests[p.Test].took
				if !j.once {
					seeds[j.seed] = true
				}
				if why := r.outcomes[i].breach(p); why != "" {
					result.broken = true
					r.add(s.ID, breach{test: p, why: why, command: j.command(r.root, p), log: r.outcomes[i].log})
				}
			}
		}
		result.seeds = len(seeds)
		r.results = append(r.results, result)
	}
}

// add lists a test that failed for several scenarios once.
func (r *report) add(id string, b breach) {
	i := slices.IndexFunc(r.breaches, func(other breach) bool { return other.command == b.command })
	if i < 0 {
		i, r.breaches = len(r.breaches), append(r.breaches, b)
	}
	r.breaches[i].scenarios = append(r.breaches[i].scenarios, id)
}

func (r *report) print(ctx context.Context) {
	_, _ = io.WriteString(r.out, r.measured(ctx))
	for _, b := range r.breaches {
		_, _ = fmt.Fprintf(r.out, "\nBREACH of %s: %s %s\n  repeat: %s\n  log:    %s\n", strings.Join(b.scenarios, " "), b.test, b.why, b.command, b.log)
	}
}

// measured is the part of docs/faults.md after its heading "Last run".
func (r *report) measured(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %s.\n%s.\n\n| Scenario | Seeds | Runs | Time | Result |\n| --- | ---: | ---: | ---: | --- |\n", r.began.UTC().Format("2006-01-02 15:04 UTC"), machine.Describe(ctx), r.total())
	for _, s := range r.results {
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s |\n", s.ID, s.withSeeds(), s.runs, clock(s.took), s.verdict())
	}
	b.WriteString("\nThe time is the sum over the scenario's tests. Scenarios share tests, and several tests run at once.\n")
	return b.String()
}

func (s result) verdict() string {
	if s.broken {
		return "BREACH"
	}
	return "held"
}

func (s result) withSeeds() string {
	if s.seeds == 0 {
		return "–"
	}
	return fmt.Sprint(s.seeds)
}

func (r *report) total() string {
	tests, runs, broken := map[proof]bool{}, 0, []string(nil)
	for _, j := range r.jobs {
		runs += len(j.tests)
		for _, p := range j.tests {
			tests[p] = true
		}
	}
	for _, s := range r.results {
		if s.broken {
			broken = append(broken, s.ID)
		}
	}
	verdict := "every invariant held"
	if len(broken) > 0 {
		verdict = "broken: " + strings.Join(broken, ", ")
	}
	return fmt.Sprintf("%d scenarios, %d tests, %d test runs, seeds %s, %s: %s", len(r.results), len(tests), runs, span(r.seeds), clock(r.took), verdict)
}

func span(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprint(seeds[0])
	}
	return fmt.Sprintf("%d to %d", seeds[0], seeds[len(seeds)-1])
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

const (
	faultsDoc   = "docs/faults.md"
	securityDoc = "docs/security.md"
	// lastRun begins the only part of the documents that a run measures.
	lastRun = "## Last run\n"
)

// writeDocuments writes both documents of the repository in the working directory. Without measurements it keeps those of
// the last run.
func (c *catalog) writeDocuments(measured string) error {
	faults, security, err := c.documents(".")
	if err != nil {
		return err
	}
	if measured == "" {
		kept, err := os.ReadFile(faultsDoc)
		if err != nil {
			return err
		}
		_, measured, _ = strings.Cut(string(kept), lastRun)
	}
	if err := os.WriteFile(faultsDoc, []byte(faults+lastRun+measured), 0o600); err != nil { //nolint:gosec // the path is a constant
		return err
	}
	return os.WriteFile(securityDoc, []byte(security), 0o600)
}

// documents gives docs/faults.md up to its last run, and docs/security.md.
func (c *catalog) documents(root string) (faults, security string, err error) {
	if faults, err = c.render(filepath.Join(root, "proof/faults/faults.md.tmpl")); err != nil {
		return "", "", err
	}
	security, err = c.render(filepath.Join(root, "proof/security/security.md.tmpl"))
	return faults, security, err
}

func (c *catalog) render(path string) (string, error) {
	functions := template.FuncMap{"join": strings.Join, "tests": listTests, "only": only}
	text, err := template.New(filepath.Base(path)).Funcs(functions).ParseFiles(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = text.Execute(&b, c)
	return b.String(), err
}

// only gives the tests of a mode, or the browser tests.
func only(wanted string, tests []proof) []proof {
	return slices.DeleteFunc(slices.Clone(tests), func(p proof) bool {
		if !p.runs() {
			return wanted != "browser"
		}
		return wanted != string(p.mode)
	})
}

// listTests names tests, those of one package together.
func listTests(tests []proof) string {
	var packages []string
	for i, p := range tests {
		if i > 0 && p.Package == tests[i-1].Package {
			packages[len(packages)-1] += ", " + p.Test
		} else {
			packages = append(packages, "`"+p.Package+"`: "+p.Test)
		}
	}
	return strings.Join(packages, "; ")
}
