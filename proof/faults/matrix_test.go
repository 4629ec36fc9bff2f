package faults

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/proof/evidence"
)

func TestEveryRowIsWholeAndProven(t *testing.T) {
	t.Parallel()
	require.NoError(t, Check("../..", Rows()))
	known := map[string]bool{}
	for _, i := range Invariants {
		require.NotEmpty(t, i.Says)
		known[i.Number] = false
	}
	numbers := map[int]bool{}
	for _, row := range Rows() {
		require.False(t, numbers[row.Number], "two rows have the number %s", row.Name())
		numbers[row.Number] = true
		require.NotEmpty(t, row.Fault, row.Name())
		require.NotEmpty(t, row.Holds, row.Name())
		require.NotEmpty(t, row.How, row.Name())
		require.NotEmpty(t, row.Keeps, row.Name())
		for _, number := range row.Keeps {
			require.Contains(t, known, number, row.Name())
			known[number] = true
		}
		requireProofs(t, row)
	}
	for number, kept := range known {
		require.True(t, kept, "no row is held against %s", number)
	}
}

func requireProofs(t *testing.T, row Row) {
	t.Helper()
	named, runs := map[evidence.Proof]bool{}, false
	for _, p := range row.Proofs() {
		require.False(t, named[p], "%s names %s twice", row.Name(), p)
		named[p], runs = true, runs || p.Runs()
	}
	require.True(t, runs, "%s has no test that make faults runs", row.Name())
	for _, p := range slices.Concat(row.Seeded, row.InTurn) {
		require.True(t, p.Runs(), "%s: no seed is given to %s", row.Name(), p)
	}
}

// The document is written by make faults: a row that is changed is told there when it has run.
func TestTheDocumentHasEveryRow(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	for _, row := range Rows() {
		require.Contains(t, string(document), "| "+row.Name()+" | "+row.Fault+" |", "run make faults, which writes docs/faults.md")
		for _, p := range row.Proofs() {
			require.Contains(t, string(document), "`"+p.String()+"`", "%s: run make faults", row.Name())
		}
	}
	require.NotContains(t, string(document), "BREACH")
}
