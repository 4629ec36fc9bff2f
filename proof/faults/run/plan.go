package main

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/platform/testseed"
	"customerzero/proof/evidence"
	"customerzero/proof/faults"
)

// job is one run of a package's tests: of those that run once, or of those that run with each seed.
type job struct {
	folder string
	seed   uint64 // in a test that runs once there may be some chance, too
	once   bool
	proofs []evidence.Proof
}

// plan makes jobs of the rows, first those that run once. A test that several rows name runs for
// all of them.
func plan(rows []faults.Row, seeds []uint64) []job {
	var once, seeded, inTurn []evidence.Proof
	for _, row := range rows {
		once, seeded, inTurn = append(once, row.Tests...), append(seeded, row.Seeded...), append(inTurn, row.InTurn...)
	}
	once = slices.DeleteFunc(once, func(p evidence.Proof) bool {
		return !p.Runs() || slices.Contains(seeded, p) || slices.Contains(inTurn, p)
	})
	jobs := byFolder(once, job{once: true, seed: seeds[0]})
	turns := byFolder(inTurn, job{})
	for n, seed := range seeds {
		now := slices.Clone(seeded)
		for _, turn := range turns {
			now = append(now, turn.proofs[n%len(turn.proofs)])
		}
		jobs = append(jobs, byFolder(now, job{seed: seed})...)
	}
	return jobs
}

func byFolder(proofs []evidence.Proof, like job) (jobs []job) {
	for _, p := range proofs {
		i := slices.IndexFunc(jobs, func(j job) bool { return j.folder == p.Package })
		if i < 0 {
			i, jobs = len(jobs), append(jobs, like)
			jobs[i].folder = p.Package
		}
		if !slices.Contains(jobs[i].proofs, p) {
			jobs[i].proofs = append(jobs[i].proofs, p)
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

// runs says whether the job runs the test.
func (j job) runs(p evidence.Proof) bool { return slices.Contains(j.proofs, p) }

func (j job) pattern() string {
	var patterns []string
	for _, p := range j.proofs {
		patterns = append(patterns, p.Pattern())
	}
	return strings.Join(patterns, "|")
}

// again is the line that repeats a test as it was.
func (j job) again(root string, p evidence.Proof) string {
	module, below := moduleOf(root, j.folder)
	line := fmt.Sprintf("%s=%d scripts/with-postgres go test ", testseed.Setting, j.seed)
	if module != "." {
		line += "-C " + module + " "
	}
	return line + fmt.Sprintf("-count=1 -run '%s' %s", p.Pattern(), below)
}

// span writes seeds, which follow one another.
func span(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprint(seeds[0])
	}
	return fmt.Sprintf("%d to %d", seeds[0], seeds[len(seeds)-1])
}
