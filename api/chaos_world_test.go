package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

var someFaults = []chaos.Fault{
	{Name: "delete-og-image", Title: "Delete the picture", About: "Unlinks it.", Promise: chaos.QuickPromise, Weight: 1},
	{Name: "crash-api", Title: "Crash the API", About: "Kills the process.", Promise: chaos.SlowPromise, Weight: 3},
}

func (r *runs) StartChaos(_ context.Context, id string) (string, error) {
	if r.down {
		return "", context.DeadlineExceeded
	}
	return "run-" + id, r.note("chaos " + id)
}

func (r *runs) StopChaos(context.Context) error { return r.note("stop chaos") }

func (r *runs) CheckHistory(_ context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	return chaos.HistoryCheck{WorkflowID: workflowID, RunID: runID, Passed: true, Events: 42, Build: "today", CheckedAt: now},
		r.note("check " + workflowID + " " + runID)
}

const crash = `{"type":"crash-api","source":"dashboard"}`

// chaosFrom asks for a run from a network.
func (w *world) chaosFrom(t *testing.T, address, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodPost, path: "/api/chaos", body: body, key: "none", from: address})
}

// requested writes a run down that nothing carries yet.
func (w *world) requested(t *testing.T) chaos.Run {
	t.Helper()
	r := chaos.Run{
		ID: xid.New().String(), Fault: "crash-api", Source: "dashboard", RequestedBy: chaos.Schedule,
		PromiseMS: 5000, LeaseMS: 30_000, RequestedAt: w.now,
	}
	require.NoError(t, w.db.Chaos.RequestChaos(t.Context(), r, ""))
	return r
}

// broken is a run whose fault is there since half a second after now.
func (w *world) broken(t *testing.T) chaos.Run {
	t.Helper()
	r := w.requested(t)
	_, err := w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:cell", "run-"+r.ID)
	require.NoError(t, err)
	require.NoError(t, w.db.Chaos.LeaseChaos(t.Context(), r.ID, w.now.Add(30*time.Second)))
	require.NoError(t, w.db.Chaos.InjectedChaos(t.Context(), r.ID, w.now.Add(halfSecond), w.now.Add(30*time.Second+halfSecond)))
	return r
}

const halfSecond = 500 * time.Millisecond

// probed keeps probes of every quarter of a second since now; each is of what failed then.
func (w *world) probed(t *testing.T, id string, part, first int, failing ...target.Failing) {
	t.Helper()
	var samples []target.Sample
	for i, failed := range failing {
		at := w.now.Add(time.Duration(first+i) * target.ProbeEvery)
		samples = append(samples, target.Sample{At: at, Failing: failed, Process: 77})
	}
	require.NoError(t, w.db.Chaos.SaveProbes(t.Context(), chaos.Part{RunID: id, Part: part, Data: chaos.Encode(w.now, samples)}))
}

var crashed = target.Failed(target.CheckProcess, target.CheckHome)

// healed is a run that came to its end, seen by six probes.
func (w *world) healed(t *testing.T) string {
	t.Helper()
	return w.endedAs(t, chaos.Healed, 500, 1000)
}

// endedAs is a run of a verdict, with the times that are not negative.
func (w *world) endedAs(t *testing.T, verdict chaos.Verdict, detect, heal int) string {
	t.Helper()
	r := w.broken(t)
	w.probed(t, r.ID, 0, 0, 0, 0, 0)
	w.probed(t, r.ID, 1, 3, 0, crashed, crashed, 0, 0)
	o := chaos.Outcome{Verdict: verdict, Restored: verdict != chaos.Failed}
	if detect >= 0 {
		o.DetectMS = &detect
	}
	if heal >= 0 {
		o.HealMS = &heal
	}
	_, err := w.db.Chaos.EndChaos(t.Context(), r.ID, o, w.now.Add(3*time.Second))
	require.NoError(t, err)
	return r.ID
}

func (w *world) chaos(t *testing.T, id string) api.ChaosRun {
	t.Helper()
	return read[api.ChaosRun](t, w.do(t, call{method: http.MethodGet, path: "/api/chaos/runs/" + id, key: "none"}), http.StatusOK)
}

// brokenOff is a book whose list ends in a failure, after more rows than wait to be sent.
type brokenOff struct{ api.ChaosStore }

func (brokenOff) EachChaosRun(_ context.Context, each func(chaos.Run) error) error {
	for range 20_000 {
		if err := each(chaos.Run{ID: xid.New().String(), Fault: "crash-api", RequestedAt: now}); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}
