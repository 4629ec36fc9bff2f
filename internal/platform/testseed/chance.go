// Package testseed returns random numbers for tests, so that a failed test can be repeated with the same ones.
// Only tests may use it.
package testseed

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Setting is the environment variable with the seed.
const Setting = "FAULTS_SEED"

// Seed returns the configured seed, or a random one. A failed test logs it with the command that repeats the
// test.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if set := os.Getenv(Setting); set != "" {
		var err error
		if seed, err = strconv.ParseUint(set, 10, 64); err != nil {
			t.Fatalf("%s is not a number: %q", Setting, set)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; repeat with: %s=%d go test -run '^%s$' in this package", seed, Setting, seed, t.Name())
		}
	})
	return seed
}

// New returns random numbers that depend on the seed and the test's name only. They are not safe for concurrent
// use; see Of.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return Of(t, Seed(t), 0)
}

// Of returns the n-th source of random numbers of a test, one for each goroutine, so that the numbers do not
// depend on scheduling.
func Of(t testing.TB, seed uint64, n int) *rand.Rand {
	t.Helper()
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d", t.Name(), n)
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}
