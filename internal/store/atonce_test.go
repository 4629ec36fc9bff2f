package store_test

import (
	"slices"
	"sync"
	"testing"

	"customerzero/internal/domain/problem"
)

// atOnce does things at once and counts how many were done. The others must have been
// refused with one of the codes.
func atOnce(t *testing.T, n int, do func(i int) error, refusals ...problem.Code) (done int) {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	for _, err := range errs {
		switch {
		case err == nil:
			done++
		case !slices.Contains(refusals, problem.CodeOf(err)):
			t.Error(err)
		}
	}
	return done
}
