// Package evidence ties what our documents claim to the tests that hold it. A claim names its
// tests; a test of the claims holds, with Check, that each of those is there.
package evidence

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Proof names a test.
type Proof struct {
	// Package is the folder below the repository's root, as "internal/store". For a test of
	// the pages it is the file, as "ui/e2e/votes.e2e.ts".
	Package string
	// Test is "TestVotes", or "TestVotes/a vote can be taken back". Of a file, it is the
	// test's title.
	Test string
}

func (p Proof) String() string {
	if p.Runs() {
		return p.Package + "." + p.Test
	}
	return p.Package + ": " + p.Test
}

// Runs says whether go test runs it. The others are tests of the pages.
func (p Proof) Runs() bool {
	return !slices.Contains([]string{".ts", ".tsx", ".mjs"}, path.Ext(p.Package))
}

// Function is the Go function that the test is, or is a part of.
func (p Proof) Function() string {
	name, _, _ := strings.Cut(p.Test, "/")
	return name
}

// Name is what go test calls it.
func (p Proof) Name() string { return asName(p.Test) }

// Pattern is what go test -run takes to run it alone.
func (p Proof) Pattern() string {
	parts := strings.Split(p.Test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(asName(part)) + "$"
	}
	return strings.Join(parts, "/")
}

// Check says which of the tests are not in the sources below root.
func Check(root string, proofs ...Proof) error {
	read, missing := map[string]sources{}, []error(nil)
	for _, p := range proofs {
		s, known := read[p.Package]
		if !known {
			var err error
			if s, err = readSources(root, p); err != nil {
				return err
			}
			read[p.Package] = s
		}
		if !s.have(p) {
			missing = append(missing, fmt.Errorf("%s: there is no such test", p))
		}
	}
	return errors.Join(missing...)
}
