// Package testseed gives tests their random numbers, so that a test that failed can be run again
// as it was. Only tests may use it.
package testseed

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Setting is the environment variable that says which seed to take.
const Setting = "FAULTS_SEED"

// Seed gives the seed of this run: the one that is set, or any. A test that fails says which
// it was, and how to run it again with the same.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if set := os.Getenv(Setting); set != "" {
		var err error
		if seed, err = strconv.ParseUint(set, 10, 64); err != nil {
			t.Fatalf("%s is no number: %q", Setting, set)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; again: %s=%d go test -run '^%s$' in this package", seed, Setting, seed, t.Name())
		}
	})
	return seed
}

// New gives random numbers that the seed decides, for the test and for nobody else: tests that
// run at the same time draw numbers of their own. It is not safe for use by several at once;
// see Of.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return Of(t, Seed(t), 0)
}

// Of gives the n-th of several sources of random numbers that the seed decides: one for each
// goroutine, so that none of them depends on who comes first.
func Of(t testing.TB, seed uint64, n int) *rand.Rand {
	t.Helper()
	whose := fnv.New64a()
	_, _ = fmt.Fprintf(whose, "%s %d", t.Name(), n)
	return rand.New(rand.NewPCG(seed, whose.Sum64()))
}
