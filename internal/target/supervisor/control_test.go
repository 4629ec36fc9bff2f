package supervisor_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tests := map[string]struct {
		method, path, body, key string
		status                  int
		says                    string
	}{
		"without a key":             {method: "GET", path: target.PathInspect, status: 401, says: "The key is wrong."},
		"with a wrong key":          {method: "POST", path: target.PathProcess, key: key + "x", status: 401, says: "The key is wrong."},
		"with the key's beginning":  {method: "GET", path: target.PathManifest, key: key[:5], status: 401, says: "The key is wrong."},
		"an unknown fault":          {method: "POST", path: "/faults/delete-everything", body: `{"runId":"r","leaseMs":1}`, key: key, status: 404, says: "There is no fault of that name."},
		"a fault in another case":   {method: "POST", path: "/faults/Crash-API", body: `{"runId":"r","leaseMs":1}`, key: key, status: 404, says: "There is no fault of that name."},
		"a break without a run":     {method: "POST", path: "/faults/crash-api", body: `{"leaseMs":1}`, key: key, status: 400, says: "The run must be named."},
		"a break without a lease":   {method: "POST", path: "/faults/crash-api", body: `{"runId":"r"}`, key: key, status: 400, says: "A lease lasts from a millisecond to ten minutes."},
		"a break with a long lease": {method: "POST", path: "/faults/crash-api", body: `{"runId":"r","leaseMs":600001}`, key: key, status: 400, says: "A lease lasts from a millisecond to ten minutes."},
		"a break with nothing":      {method: "POST", path: "/faults/crash-api", key: key, status: 400, says: "The run must be named."},
		"what is no JSON":           {method: "POST", path: "/faults/crash-api", body: `{`, key: key, status: 400, says: "The order is not the JSON that it should be."},
		"a body without an end":     {method: "POST", path: "/faults/crash-api", body: `{"runId":"` + strings.Repeat("r", 1<<17), key: key, status: 400, says: "The order is not the JSON that it should be."},
		"the end of no run's lease": {method: "POST", path: target.PathLease, body: `{}`, key: key, status: 400, says: "The run must be named."},
		"a file that is none of us": {method: "POST", path: target.PathFiles, body: `{"names":["../cell.db"]}`, key: key, status: 400, says: "There is no critical file of that name."},
		"an unknown order":          {method: "POST", path: "/explode", key: key, status: 404, says: "The keeper knows no such order."},
		"an order by GET":           {method: "GET", path: target.PathProcess, key: key, status: 404, says: "The keeper knows no such order."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest(tt.method, w.control+tt.path, strings.NewReader(tt.body))
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+tt.key)
			res, err := testwait.Client.Do(req)
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Equal(t, tt.status, res.StatusCode)
			require.Equal(t, "application/json", res.Header.Get("Content-Type"))
			require.JSONEq(t, `{"error":"`+tt.says+`"}`, string(body))
		})
	}
	require.True(t, well(w.keeper.Inspect()))
	require.NotContains(t, w.log.String(), key)
}

func TestInspectionAsItIsSent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	req, err := http.NewRequest(http.MethodGet, w.control+target.PathInspect, http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := testwait.Client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var seen map[string]any
	require.NoError(t, json.NewDecoder(res.Body).Decode(&seen))
	require.Equal(t, []any{}, seen["files"])
	require.Empty(t, seen["database"])
	require.NotContains(t, seen, "lease")
}

// Proves: F34
func TestOrdersAtOnceLeaveTheCellWell(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.breakIt("nuclear-option", "run_1", time.Minute)
	var orders sync.WaitGroup
	for range 4 {
		orders.Go(func() { _ = w.keeper.Inspect() })
		orders.Go(func() { _ = w.keeper.RestoreFiles(t.Context(), nil) })
		orders.Go(func() { _ = w.keeper.RestoreDatabase(t.Context()) })
		orders.Go(func() { _ = w.keeper.Restart(t.Context()) })
		orders.Go(func() { _ = w.keeper.EndLease(t.Context(), "run_1") })
	}
	orders.Wait()
	require.True(t, well(w.keeper.Inspect()), "%+v", w.keeper.Inspect())
}

// Proves: F34
func TestBreaksAtOnceAreOne(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var breaks sync.WaitGroup
	said := make(chan target.Broken, 8)
	for i := range 8 {
		run := []string{"run_1", "run_2"}[i%2]
		breaks.Go(func() {
			if broken, err := w.keeper.Break(t.Context(), "delete-og-image", target.Break{RunID: run, LeaseMS: 60_000}); err == nil {
				said <- broken
			}
		})
	}
	breaks.Wait()
	require.Len(t, said, 4, "one run has it, and the same answer each time")
	first := <-said
	for len(said) > 0 {
		require.Equal(t, first, <-said)
	}
}
