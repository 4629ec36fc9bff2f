// Package security is what we hold ourselves to in security: lines of OWASP's ASVS 5.0.0 that
// bind a product like this one, and of its list for models, each in our own words, with what we
// do and the tests that hold it. docs/security.md is printed from it.
package security

import (
	"slices"

	"customerzero/proof/evidence"
)

// Topic is a group of lines.
type Topic struct {
	Name  string
	Lines []Line
}

// Line is one thing that is asked of us.
type Line struct {
	Number string // of ASVS; of OWASP's list for models; or a word of our own
	Asks   string
	Does   string
	// Differs says where we do otherwise, and why. Empty: nowhere.
	Differs string
	Proofs  []evidence.Proof
}

// Topics are all of them, in the order of the document.
func Topics() []Topic {
	return []Topic{sessions, pages, outside, limits, access, logins, secrets, failures, models, claims, statements}
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
