// Package faults is the matrix of faults: what is done to the product, what must hold
// nevertheless, and the tests that do the one and hold the other. It tells, and runs nothing;
// the program in run does (make faults).
package faults

import (
	"cmp"
	"fmt"
	"slices"

	"customerzero/proof/evidence"
)

// Invariant is something that holds always, whatever is done to the product.
type Invariant struct{ Number, Says string }

// Row is a fault.
type Row struct {
	Number int      // stays, whatever is added before it or taken away
	Fault  string   // what is done, in a few words
	Keeps  []string // the invariants it is held against
	Holds  string   // what must hold, in a sentence
	How    string   // how it is done here, in a sentence or two
	// Tests need to run once. Seeded are those that draw random numbers: they run with
	// several seeds. InTurn draw them, too, and do the same on different databases: of those
	// in a package each seed runs one, and the next seed the next.
	Tests, Seeded, InTurn []evidence.Proof
}

// Name is what people call it.
func (r Row) Name() string { return fmt.Sprintf("F%d", r.Number) }

// Proofs are all tests of the row.
func (r Row) Proofs() []evidence.Proof { return slices.Concat(r.Tests, r.Seeded, r.InTurn) }

// Rows is the matrix.
func Rows() []Row {
	rows := slices.Concat(processes, databases, sending, payments, models, pages, crowds, strangers)
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Number, b.Number) })
	return rows
}

// Check says which tests of the rows are not in the sources below root.
func Check(root string, rows []Row) error {
	var proofs []evidence.Proof
	for _, row := range rows {
		proofs = append(proofs, row.Proofs()...)
	}
	return evidence.Check(root, proofs...)
}

// in names tests of a package.
func in(folder string, tests ...string) (proofs []evidence.Proof) {
	for _, test := range tests {
		proofs = append(proofs, evidence.Proof{Package: folder, Test: test})
	}
	return proofs
}

// of joins the tests of several packages.
func of(proofs ...[]evidence.Proof) []evidence.Proof { return slices.Concat(proofs...) }
