//go:build proof

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/proof/evidence"
	"customerzero/proof/faults"
)

const sample = "proof/faults/run/testdata/sample"

// row is one that the tests of the sample prove.
func row(number int, tests, seeded []string) faults.Row {
	r := faults.Row{Number: number, Fault: "something", Keeps: []string{"I1"}, Holds: "it holds", How: "by chance"}
	for _, test := range tests {
		r.Tests = append(r.Tests, evidence.Proof{Package: sample, Test: test})
	}
	for _, test := range seeded {
		r.Seeded = append(r.Seeded, evidence.Proof{Package: sample, Test: test})
	}
	return r
}

// told is what a run of rows prints, on the way and at the end.
type told struct {
	kept          bool
	err           error
	out, progress string
}

func runRows(t *testing.T, change func(*options), rows ...faults.Row) told {
	t.Helper()
	var out, progress bytes.Buffer
	o := options{
		root: "../../..", rows: rows, seeds: []uint64{6, 7}, lanes: 2, limit: 5 * time.Minute,
		out: &out, progress: &progress,
	}
	if change != nil {
		change(&o)
	}
	kept, err := run(t.Context(), o)
	return told{kept, err, out.String(), progress.String()}
}

func TestRowsThatHold(t *testing.T) {
	t.Parallel()
	document := filepath.Join(t.TempDir(), "faults.md")
	told := runRows(t, func(o *options) { o.write, o.seeds = document, []uint64{5, 6} },
		row(1, []string{"TestHolds/in another"}, nil), row(2, nil, []string{"TestSeven"}), row(3, []string{"TestHasOneBadCase/good"}, nil))
	require.NoError(t, told.err)
	require.True(t, told.kept, told.out)
	require.Regexp(t, `F1 +something +I1 +1 +– +1 +0:00 +held`, told.out)
	require.Regexp(t, `F2 +something +I1 +1 +2 +2 +0:00 +held`, told.out)
	require.Contains(t, told.out, "3 rows, 3 tests, 4 runs of them, seeds 5 to 6, 0:")
	require.Contains(t, told.out, "every invariant held")
	require.Regexp(t, `0:\d\d  3 of 3: `+sample, told.progress)

	written, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Contains(t, string(written), "| F2 | something | it holds | I1 | 2 | 2 | 0:00 | held |")
	require.Contains(t, string(written), "**F2** By chance.\nWith every seed: `"+sample+".TestSeven`.\n")
}

func TestBreachesAreToldWithTheLineThatRepeatsThem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tests, seeded []string
		says          string
	}{
		"a test fails":                   {[]string{"TestHasOneBadCase"}, nil, "TestHasOneBadCase failed\n  again: FAULTS_SEED=6 scripts/with-postgres go test -count=1 -run '^TestHasOneBadCase$' ./" + sample},
		"a case fails":                   {[]string{"TestHasOneBadCase/bad"}, nil, "TestHasOneBadCase/bad failed\n  again: FAULTS_SEED=6 scripts/with-postgres go test -count=1 -run '^TestHasOneBadCase$/^bad$' ./" + sample},
		"a test fails with one seed":     {nil, []string{"TestSeven"}, "TestSeven failed\n  again: FAULTS_SEED=7 scripts/with-postgres go test -count=1 -run '^TestSeven$' ./" + sample},
		"a part of a test is skipped":    {[]string{"TestIsSkipped"}, nil, "TestIsSkipped was skipped"},
		"a test never ends":              {[]string{"TestNeverEnds"}, nil, "TestNeverEnds was not over after 2s"},
		"a test panics":                  {[]string{"TestPanics"}, nil, "TestPanics failed"},
		"a test ends the program":        {[]string{"TestEnds"}, nil, "TestEnds failed"},
		"a case that is called elsewise": {[]string{"TestHolds/bad"}, nil, "TestHolds/bad did not run: there is no such test"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := runRows(t, func(o *options) {
				if slices.Contains(tt.tests, "TestNeverEnds") {
					o.limit = 2 * time.Second
				}
			}, row(9, tt.tests, tt.seeded))
			require.NoError(t, told.err)
			require.False(t, told.kept)
			require.Regexp(t, `F9 .* BREACH`, told.out)
			require.Contains(t, told.out, "BREACH of F9: "+sample+"."+tt.says)
			require.Contains(t, told.out, "broken: F9")
			log := logOf(t, told.out)
			require.FileExists(t, log)
			require.NoError(t, os.RemoveAll(filepath.Dir(log)))
		})
	}
}

func TestTestsThatTakeTurnsRunWithOneSeedEach(t *testing.T) {
	t.Parallel()
	turns := row(1, nil, nil)
	turns.InTurn = []evidence.Proof{{Package: sample, Test: "TestHolds/in one case"}, {Package: sample, Test: "TestHolds/in another"}}
	half := row(2, nil, nil)
	half.InTurn = turns.InTurn[1:]
	document := filepath.Join(t.TempDir(), "faults.md")
	told := runRows(t, func(o *options) { o.write, o.seeds = document, []uint64{5, 6, 8} }, turns, half)
	require.NoError(t, told.err)
	require.True(t, told.kept, told.out)
	require.Regexp(t, `F1 +something +I1 +2 +3 +3 +0:00 +held`, told.out)
	require.Regexp(t, `F2 +something +I1 +1 +1 +1 +0:00 +held`, told.out)
	written, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Contains(t, string(written), "In turn, each with some of the seeds: `"+sample+".TestHolds/in one case`, `"+sample+".TestHolds/in another`.\n")
}

func TestATestOfTwoRowsIsToldOnce(t *testing.T) {
	t.Parallel()
	told := runRows(t, nil, row(8, []string{"TestPanics"}, nil), row(9, []string{"TestPanics"}, nil))
	require.NoError(t, told.err)
	require.Equal(t, 1, strings.Count(told.out, "\nBREACH of F8 F9: "+sample+".TestPanics failed\n"), told.out)
	require.Contains(t, told.out, "2 rows, 1 tests, 1 runs of them")
	require.NoError(t, os.RemoveAll(filepath.Dir(logOf(t, told.out))))
}

func TestATestThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	told := runRows(t, nil, row(4, []string{"TestGhost"}, nil))
	require.EqualError(t, told.err, sample+".TestGhost: there is no such test")
	require.False(t, told.kept)
}

func TestInterruptingEndsWhatRuns(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	pid := filepath.Join(t.TempDir(), "pid")
	o := options{
		root: "../../..", rows: []faults.Row{row(1, nil, []string{"TestNeverEnds"})}, seeds: []uint64{6}, lanes: 1,
		limit: time.Hour, env: []string{"SAMPLE_PID=" + pid}, out: t.Output(), progress: t.Output(),
	}
	ended := make(chan error, 1)
	go func() {
		_, err := run(ctx, o)
		ended <- err
	}()
	require.Eventually(t, func() bool { return alive(pid) }, 3*time.Minute, 10*time.Millisecond)
	interrupt()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Eventually(t, func() bool { return !alive(pid) }, 3*time.Minute, 10*time.Millisecond)
}

// alive says whether the process is there whose number is in the file.
func alive(file string) bool {
	number, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(number))
	return err == nil && syscall.Kill(pid, 0) == nil
}

var logs = regexp.MustCompile(`log: +(\S+)`)

// logOf is where a breach says that its log is.
func logOf(t *testing.T, out string) string {
	t.Helper()
	named := logs.FindStringSubmatch(out)
	require.NotEmpty(t, named, out)
	return named[1]
}
