//go:build proof

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const sample = "proof/faults/testdata/sample"

func runSample(t *testing.T, seeds []uint64, limit time.Duration, scenarios ...*scenario) (r *report, printed string) {
	var out bytes.Buffer
	r, err := run(t.Context(), options{root: root, seeds: seeds, lanes: 2, limit: limit, out: &out, progress: t.Output()}, scenarios)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(r.logs)) })
	r.print(t.Context())
	return r, out.String()
}

func TestBreaches(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		test string
		mode mode
		want string
	}{
		"a test fails":                {"TestHasOneBadCase", once, "TestHasOneBadCase failed\n  repeat: FAULTS_SEED=6 scripts/with-postgres go test -count=1 -run '^TestHasOneBadCase$' ./" + sample},
		"a subtest fails":             {"TestHasOneBadCase/bad", once, "TestHasOneBadCase/bad failed\n  repeat: FAULTS_SEED=6 scripts/with-postgres go test -count=1 -run '^TestHasOneBadCase$/^bad$' ./" + sample},
		"a test fails with one seed":  {"TestFailsWithSeven", seeded, "TestFailsWithSeven failed\n  repeat: FAULTS_SEED=7 scripts/with-postgres go test -count=1 -run '^TestFailsWithSeven$' ./" + sample},
		"a part of a test is skipped": {"TestIsSkipped", once, "TestIsSkipped was skipped"},
		"a test never ends":           {"TestNeverEnds", once, "TestNeverEnds did not run to its end (exit status 1)"},
		"a test panics":               {"TestPanics", once, "TestPanics failed"},
		"a test ends its process":     {"TestExits", once, "TestExits did not run to its end (exit status 1)"},
		"a subtest does not exist":    {"TestHasOneBadCase/ugly", once, "TestHasOneBadCase/ugly did not run to its end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if tt.test == "TestNeverEnds" {
				limit = 100 * time.Millisecond
			}
			tests := []proof{{Package: sample, Test: tt.test, mode: tt.mode}}
			r, printed := runSample(t, []uint64{6, 7}, limit, &scenario{ID: "F8", Tests: tests}, &scenario{ID: "F9", Tests: tests})
			require.Len(t, r.breaches, 1, printed)
			require.Contains(t, printed, "BREACH of F8 F9: "+sample+"."+tt.want)
			require.Contains(t, printed, ": broken: F8, F9.\n")
			require.FileExists(t, r.breaches[0].log)
		})
	}
}

func TestPassingResults(t *testing.T) {
	t.Parallel()
	r, printed := runSample(t, []uint64{4, 5, 6}, time.Minute,
		&scenario{ID: "F1", Fault: "One", Keeps: []string{"I1", "I2"}, Tests: []proof{{sample, "TestHasOneBadCase/good", once}, {sample, "TestFailsWithSeven", seeded}}},
		&scenario{ID: "F2", Fault: "Another", Keeps: []string{"I1"}, Tests: []proof{{sample, "TestHasOneBadCase/good", once}, {"ui/e2e/a.e2e.ts", "a page", once}}})
	require.Empty(t, r.breaches)
	require.Regexp(t, `(?m)^\| F1 \| 3 \| 4 \| 0:0\d \| held \|$`, printed)
	require.Regexp(t, `(?m)^\| F2 \| – \| 1 \| 0:0\d \| held \|$`, printed)
	require.Contains(t, printed, "2 scenarios, 2 tests, 4 test runs, seeds 4 to 6, 0:")
	require.Contains(t, printed, "every invariant held")
	require.NoDirExists(t, r.logs)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	votes, slots := proof{"internal/store", "TestVotes", seeded}, proof{"internal/store", "TestSlots", once}
	sqlite, postgres := proof{"proof/crash/posts", "TestPosts/sqlite", inTurn}, proof{"proof/crash/posts", "TestPosts/postgres", inTurn}
	page := proof{"ui/e2e/votes.e2e.ts", "votes", once}
	jobs := plan([]*scenario{{Tests: []proof{slots, votes, page}}, {Tests: []proof{slots, sqlite}}, {Tests: []proof{sqlite, postgres}}}, []uint64{1, 2, 3})
	require.Equal(t, []job{
		{folder: "internal/store", once: true, seed: 1, tests: []proof{slots}},
		{folder: "internal/store", seed: 1, tests: []proof{votes}},
		{folder: "proof/crash/posts", seed: 1, tests: []proof{sqlite}},
		{folder: "internal/store", seed: 2, tests: []proof{votes}},
		{folder: "proof/crash/posts", seed: 2, tests: []proof{postgres}},
		{folder: "internal/store", seed: 3, tests: []proof{votes}},
		{folder: "proof/crash/posts", seed: 3, tests: []proof{sqlite}},
	}, jobs, "each test once, or once with each seed, or in turn; browser tests run elsewhere")
}

func TestCommandsOfAnotherModule(t *testing.T) {
	t.Parallel()
	const folder = "internal/platform/temporal/temporald/node"
	command := job{folder: folder, seed: 3}.command(root, proof{Package: folder, Test: "TestX"})
	require.True(t, strings.HasSuffix(command, " go test -C internal/platform/temporal/temporald -count=1 -run '^TestX$' ./node"), command)
}
