package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"customerzero/internal/platform/testseed"
)

// job is one go test of a package: of its tests that run once, or of those that run with one seed.
type job struct {
	folder string
	seed   uint64 // tests that run once may draw random numbers, too
	once   bool
	tests  []proof
}

// plan makes jobs of the scenarios, first those that run once. A test of several scenarios runs for all of them.
func plan(scenarios []*scenario, seeds []uint64) []job {
	tests := map[mode][]proof{}
	for _, s := range scenarios {
		for _, p := range s.Tests {
			if p.runs() {
				tests[p.mode] = append(tests[p.mode], p)
			}
		}
	}
	jobs := byFolder(tests[once], job{once: true, seed: seeds[0]})
	turns := byFolder(tests[inTurn], job{})
	for n, seed := range seeds {
		now := slices.Clone(tests[seeded])
		for _, turn := range turns {
			now = append(now, turn.tests[n%len(turn.tests)])
		}
		jobs = append(jobs, byFolder(now, job{seed: seed})...)
	}
	return jobs
}

func byFolder(tests []proof, like job) (jobs []job) {
	for _, p := range tests {
		i := slices.IndexFunc(jobs, func(j job) bool { return j.folder == p.Package })
		if i < 0 {
			i, jobs = len(jobs), append(jobs, like)
			jobs[i].folder = p.Package
		}
		if !slices.Contains(jobs[i].tests, p) {
			jobs[i].tests = append(jobs[i].tests, p)
		}
	}
	return jobs
}

func (j job) String() string {
	if j.once {
		return j.folder
	}
	return fmt.Sprintf("%s, seed %d", j.folder, j.seed)
}

func (j job) pattern() string {
	var patterns []string
	for _, p := range j.tests {
		patterns = append(patterns, p.pattern())
	}
	return strings.Join(patterns, "|")
}

// command repeats a test of the job with its seed.
func (j job) command(root string, p proof) string {
	module, folder := moduleOf(root, j.folder)
	command := fmt.Sprintf("%s=%d scripts/with-postgres go test ", testseed.Setting, j.seed)
	if module != "." {
		command += "-C " + module + " "
	}
	return command + fmt.Sprintf("-count=1 -run '%s' %s", p.pattern(), folder)
}

// moduleOf gives the module of a folder and the folder's path in it: the Temporal server is a module of its own.
func moduleOf(root, folder string) (module, below string) {
	for module = folder; module != "."; module = path.Dir(module) {
		if _, err := os.Stat(filepath.Join(root, module, "go.mod")); err == nil {
			return module, "." + strings.TrimPrefix(folder, module)
		}
	}
	return module, "./" + folder
}
