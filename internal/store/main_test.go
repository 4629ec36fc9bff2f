package store_test

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestMain(m *testing.M) { testwait.Main(m, "8") }

// must returns the value of a call that must not fail: must(call(…))(t).
func must[T any](value T, err error) func(t testing.TB, says ...any) T {
	return func(t testing.TB, says ...any) T {
		t.Helper()
		require.NoError(t, err, says...)
		return value
	}
}

func must2[T, U any](one T, other U, err error) func(t testing.TB, says ...any) (T, U) {
	return func(t testing.TB, says ...any) (T, U) {
		t.Helper()
		require.NoError(t, err, says...)
		return one, other
	}
}

func errOf[T any](_ T, err error) error { return err }

func errOf2[T, U any](_ T, _ U, err error) error { return err }

func codeOf[T any](_ T, err error) problem.Code { return problem.CodeOf(err) }

func requireCode(t *testing.T, code problem.Code, errs ...error) {
	t.Helper()
	for i, err := range errs {
		require.Equal(t, code, problem.CodeOf(err), "call %d: %v", i, err)
	}
}

// idsOf lists the IDs of rows.
func idsOf[T any](rows []T) (ids []string) {
	for _, row := range rows {
		ids = append(ids, reflect.ValueOf(row).FieldByName("ID").String())
	}
	return ids
}

func idOf[T any](row *T) string {
	if row == nil {
		return ""
	}
	return idsOf([]T{*row})[0]
}

// atOnce runs do concurrently and counts the successes. Other calls must fail with one of the codes.
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

// requireTooMany checks that a limit refused the call until a time.
func requireTooMany(t *testing.T, err error, until time.Time, says string) {
	t.Helper()
	p, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, []any{problem.TooMany, until.UTC()}, []any{p.Code, p.RetryAfter.UTC()})
	require.ErrorContains(t, err, says+" Try again after "+until.UTC().Format("15:04:05")+" UTC.")
}

// each runs a scenario on an empty store of each kind, in parallel.
func each(t *testing.T, scenario string, test func(t *testing.T, s *store.DB)) {
	t.Helper()
	t.Run(scenario, func(t *testing.T) {
		t.Parallel()
		storetest.Each(t, test)
	})
}
