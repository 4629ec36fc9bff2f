package probe_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// noted records requests of the supervisor and responds with answer.
func (w *world) noted(path string, answer http.HandlerFunc) {
	w.supervisor(path, func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.received = append(w.received, r.Method+" "+r.URL.Path+" "+string(body))
		w.mu.Unlock()
		answer(out, r)
	})
}

func TestOrdersReachTheSupervisorAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Date(2026, time.November, 22, 10, 0, 0, 0, time.UTC)
	w.noted(target.PathFaults+"/crash-api", answers(target.Broken{At: at, Until: at.Add(time.Minute)}))
	for _, path := range []string{target.PathLease, target.PathFiles, target.PathDatabase, target.PathProcess} {
		w.noted(path, answers(struct{}{}))
	}
	broken, err := w.Break(t.Context(), "crash-api", target.Break{RunID: "c1", LeaseMS: 30_000})
	require.NoError(t, err)
	require.Equal(t, target.Broken{At: at, Until: at.Add(time.Minute)}, broken)
	require.NoError(t, w.EndLease(t.Context(), "c1"))
	require.NoError(t, w.RestoreFiles(t.Context(), []string{target.FileHome}))
	require.NoError(t, w.RestoreDatabase(t.Context()))
	w.supervisor(target.PathProcess, func(out http.ResponseWriter, r *http.Request) { out.WriteHeader(http.StatusNoContent) })
	require.NoError(t, w.Restart(t.Context()))
	require.Equal(t, []string{
		`POST /faults/crash-api {"runId":"c1","leaseMs":30000}` + "\n", `POST /lease/end {"runId":"c1"}` + "\n",
		`POST /restore/files {"names":["templates/home.html"]}` + "\n", "POST /restore/database ",
	}, w.received)
}

func TestWhatTheSupervisorSaysOfItsChaosTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen, err := w.Inspect(t.Context())
	require.NoError(t, err)
	require.Equal(t, 42, seen.Process.ID)
	manifest, err := w.Manifest(t.Context())
	require.NoError(t, err)
	require.Equal(t, manifestOf(picture), manifest)
}

// Proves: V15.3.2
func TestRefusalsKeepTheSupervisorsWords(t *testing.T) {
	t.Parallel()
	const words = "The chaos target is broken already."
	for name, tt := range map[string]struct {
		status int
		code   problem.Code
	}{
		"it refuses it now":      {http.StatusConflict, problem.TargetRefused},
		"there is no such fault": {http.StatusNotFound, problem.FaultUnknown},
		"it failed":              {http.StatusInternalServerError, problem.Internal},
		"there is no room left":  {http.StatusInsufficientStorage, problem.Internal},
		"it redirects commands":  {http.StatusTemporaryRedirect, problem.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.supervisor(target.PathFaults+"/x", func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Location", target.PathInspect)
				out.WriteHeader(tt.status)
				_ = json.NewEncoder(out).Encode(target.Refusal{Error: words})
			})
			_, err := w.Break(t.Context(), "x", target.Break{RunID: "c1"})
			require.ErrorContains(t, err, words)
			require.Equal(t, tt.code, problem.CodeOf(err))
		})
	}
}

func TestAnOrderEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.supervisor(target.PathProcess, w.hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, w.Restart(ctx), context.DeadlineExceeded)
}
