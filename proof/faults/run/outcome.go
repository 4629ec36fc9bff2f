package main

import (
	"fmt"
	"strings"
	"time"

	"customerzero/proof/evidence"
)

// outcome is what a test program said of its tests.
type outcome struct {
	tests       map[string]ending
	err         error // nil: it ended by itself, and well
	overdue     bool  // its time was over
	took, limit time.Duration
	log         string
}

// ending is how a test ended: "pass", "fail", "skip", or not at all.
type ending struct {
	how  string
	took time.Duration
}

// breach says why a test does not prove anything; empty: it does.
func (found outcome) breach(p evidence.Proof) string {
	end, began := found.tests[p.Name()]
	switch {
	case end.how == "fail" && !found.overdue:
		return "failed"
	case end.how == "skip" || found.skippedBelow(p):
		return "was skipped"
	case end.how == "pass":
		return ""
	case began && found.overdue:
		return fmt.Sprintf("was not over after %s", found.limit)
	case began:
		return fmt.Sprintf("did not end: %v", found.err)
	case found.err != nil:
		return fmt.Sprintf("did not run: %v", found.err)
	}
	return "did not run: there is no such test"
}

// timeOf is how long a test took. Go does not count parts that ran beside one another as time of
// the whole.
func (found outcome) timeOf(p evidence.Proof) time.Duration {
	parts := time.Duration(0)
	for name, end := range found.tests {
		if strings.HasPrefix(name, p.Name()+"/") && !found.hasParts(name) {
			parts += end.took
		}
	}
	return max(parts, found.tests[p.Name()].took)
}

func (found outcome) hasParts(name string) bool {
	for other := range found.tests {
		if strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

// skippedBelow says whether a part of the test was skipped: then it proves less than it says.
func (found outcome) skippedBelow(p evidence.Proof) bool {
	for name, end := range found.tests {
		if end.how == "skip" && strings.HasPrefix(name, p.Name()+"/") {
			return true
		}
	}
	return false
}

func (found outcome) summary() string {
	took := found.took.Round(100 * time.Millisecond)
	if found.err != nil {
		return fmt.Sprintf("BREACH after %s (%v)", took, found.err)
	}
	return fmt.Sprintf("held, %s", took)
}
