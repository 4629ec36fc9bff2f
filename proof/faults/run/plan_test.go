package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/proof/evidence"
	"customerzero/proof/faults"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	votes := evidence.Proof{Package: "internal/store", Test: "TestVotes"}
	slots := evidence.Proof{Package: "internal/store", Test: "TestSlots"}
	torture := evidence.Proof{Package: "proof/crash/posts", Test: "TestTorture/sqlite"}
	other := evidence.Proof{Package: "proof/crash/posts", Test: "TestTorture/postgres"}
	page := evidence.Proof{Package: "ui/e2e/votes.e2e.ts", Test: "votes"}
	jobs := plan([]faults.Row{
		{Tests: []evidence.Proof{slots, votes, page}},
		{Tests: []evidence.Proof{slots}, Seeded: []evidence.Proof{votes}, InTurn: []evidence.Proof{torture}},
		{Tests: []evidence.Proof{other}, InTurn: []evidence.Proof{torture, other}},
	}, []uint64{1, 2, 3})

	require.Equal(t, []job{
		{folder: "internal/store", once: true, seed: 1, proofs: []evidence.Proof{slots}},
		{folder: "internal/store", seed: 1, proofs: []evidence.Proof{votes}},
		{folder: "proof/crash/posts", seed: 1, proofs: []evidence.Proof{torture}},
		{folder: "internal/store", seed: 2, proofs: []evidence.Proof{votes}},
		{folder: "proof/crash/posts", seed: 2, proofs: []evidence.Proof{other}},
		{folder: "internal/store", seed: 3, proofs: []evidence.Proof{votes}},
		{folder: "proof/crash/posts", seed: 3, proofs: []evidence.Proof{torture}},
	}, jobs, "each test once, or once with each seed, or in turn; those of the pages run elsewhere")
	require.Equal(t, "internal/store, seed 1", jobs[1].String())
}

func TestTestsOfAnotherModuleAreRepeatedThere(t *testing.T) {
	t.Parallel()
	for folder, line := range map[string]string{
		"internal/store":                            "scripts/with-postgres go test -count=1 -run '^TestX$' ./internal/store",
		"internal/platform/temporal/temporald":      "scripts/with-postgres go test -C internal/platform/temporal/temporald -count=1 -run '^TestX$' .",
		"internal/platform/temporal/temporald/node": "scripts/with-postgres go test -C internal/platform/temporal/temporald -count=1 -run '^TestX$' ./node",
	} {
		require.Equal(t, "FAULTS_SEED=3 "+line, job{folder: folder, seed: 3}.again("../../..", evidence.Proof{Package: folder, Test: "TestX"}))
	}
}

func TestRowsAreChosenByTheirNumbers(t *testing.T) {
	t.Parallel()
	rows := faults.Rows()
	chosen, err := choose(rows, "F3, F1")
	require.NoError(t, err)
	require.Equal(t, []string{"F3", "F1"}, []string{chosen[0].Name(), chosen[1].Name()})
	chosen, err = choose(rows, "")
	require.NoError(t, err)
	require.True(t, slices.EqualFunc(rows, chosen, func(a, b faults.Row) bool { return a.Number == b.Number }))
	_, err = choose(rows, "F0")
	require.EqualError(t, err, `there is no row "F0"`)
}

func TestSeedsAreWrittenShortly(t *testing.T) {
	t.Parallel()
	require.Equal(t, "4", span([]uint64{4}))
	require.Equal(t, "4 to 6", span([]uint64{4, 5, 6}))
}
