package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestMain(m *testing.M) { testwait.Main(m, "8") }

// must gives what a call returned, which must not fail: must(call(…))(t).
func must[T any](value T, err error) func(t testing.TB, says ...any) T {
	return func(t testing.TB, says ...any) T {
		t.Helper()
		require.NoError(t, err, says...)
		return value
	}
}

// must2 is must for a call with two results.
func must2[T, U any](one T, other U, err error) func(t testing.TB, says ...any) (T, U) {
	return func(t testing.TB, says ...any) (T, U) {
		t.Helper()
		require.NoError(t, err, says...)
		return one, other
	}
}

func errOf[T any](_ T, err error) error { return err }

func codeOf[T any](_ T, err error) problem.Code { return problem.CodeOf(err) }

// each runs a scenario on an empty store of each kind, beside the other scenarios.
func each(t *testing.T, scenario string, test func(t *testing.T, s *store.DB)) {
	t.Helper()
	t.Run(scenario, func(t *testing.T) {
		t.Parallel()
		storetest.Each(t, test)
	})
}
