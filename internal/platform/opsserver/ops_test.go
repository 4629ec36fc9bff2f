package opsserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/opsserver"
)

var numbers = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("some_metric 1\n")) })

func get(t *testing.T, handler http.Handler, path string) (int, opsserver.Report) {
	t.Helper()
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	var report opsserver.Report
	if rec.Header().Get("Content-Type") == "application/json" {
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &report))
	}
	return rec.Code, report
}

func TestAProcessIsReadyBetweenItsStartAndItsEnd(t *testing.T) {
	t.Parallel()
	var ready opsserver.Readiness
	ops := opsserver.Handler(numbers, &ready)
	healthy := func() {
		code, report := get(t, ops, "/healthz")
		require.Equal(t, []any{http.StatusOK, "ok"}, []any{code, report.Status})
	}
	waiting := func() {
		code, report := get(t, ops, "/readyz")
		require.Equal(t, []any{http.StatusServiceUnavailable, "unavailable"}, []any{code, report.Status})
		require.False(t, ready.Now(t.Context()))
		healthy()
	}
	waiting()
	ready.Use(opsserver.Checks{}, opsserver.Checks{}.Ready)
	code, report := get(t, ops, "/readyz")
	require.Equal(t, []any{http.StatusOK, "ok"}, []any{code, report.Status})
	require.True(t, ready.Now(t.Context()))
	ready.Stopping()
	waiting()
}

func TestWhatIsMissingIsNamedAndNothingElseIsSaid(t *testing.T) {
	t.Parallel()
	fine := func(context.Context) error { return nil }
	broken := func(context.Context) error { return errors.New("dial tcp 10.0.0.3: password is hunter2") }
	code, report := get(t, opsserver.Checks{
		{Name: "database", Remedy: "the database does not answer", Look: broken}, {Name: "temporal", Look: fine},
	}, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, opsserver.Report{Status: "unavailable", Checks: []opsserver.Result{
		{Name: "database", Detail: "the database does not answer"}, {Name: "temporal", OK: true},
	}}, report)
}

func TestAChecksPatienceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		code, _ := get(t, opsserver.Checks{{Name: "database", Look: hangs}, {Name: "temporal", Look: hangs}}, "/readyz")
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.Equal(t, 3*time.Second, time.Since(began), "for all of them together")
	})
}

func TestOperatorsReadMetricsAndNothingElse(t *testing.T) {
	t.Parallel()
	ops := opsserver.Handler(numbers, &opsserver.Readiness{})
	for path, want := range map[string]int{"/metrics": http.StatusOK, "/": http.StatusNotFound, "/api/posts": http.StatusNotFound} {
		code, _ := get(t, ops, path)
		require.Equal(t, want, code, path)
	}
}
