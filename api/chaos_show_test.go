package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// mended is what the healer did about the run of healed.
func (w *world) mended(t *testing.T, steps ...heal.Mended) {
	t.Helper()
	_, err := w.db.Chaos.BeginIncident(t.Context(), heal.Incident{
		ID: "inc", Failing: crashed, Steps: steps, WorkflowID: "self-heal:cell", RunID: "r1",
		OpenedAt: w.now.Add(time.Second), SickAt: w.now.Add(1250 * time.Millisecond),
	})
	require.NoError(t, err)
	require.NoError(t, w.db.Chaos.EndIncident(t.Context(), "inc", w.now.Add(1500*time.Millisecond)))
}

// kinds are the moments of a timeline in short.
func kinds(run api.ChaosRun) (kinds []string, times []int) {
	for _, m := range run.Timeline {
		kinds, times = append(kinds, m.Kind), append(times, *m.MS)
	}
	return kinds, times
}

func TestARunTellsAllOfItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.healed(t)
	w.mended(t, heal.Mended{Kind: heal.Restart, At: w.now.Add(1300 * time.Millisecond), MS: 180})
	run := w.chaos(t, id)
	require.Equal(t, "chaos:cell", run.Event.WorkflowID)
	require.Equal(t, "/runs/chaos:cell?run=run-"+id, run.Event.RunURL)
	require.Equal(t, 30_000, run.LeaseMS)
	require.Equal(t, []string{}, run.Replays)
	require.Nil(t, run.Check)

	moments, times := kinds(run)
	require.Equal(t, []string{"requested", "injected", "detected", "sick", "mended", "healed", "ended"}, moments)
	require.Equal(t, []int{-500, 0, 500, 750, 800, 1000, 2500}, times)
	require.Equal(t, "The game day asked for crash-api (dashboard).", run.Timeline[0].Text)
	require.Equal(t, "A probe saw it. These failed: the process and the page /.", run.Timeline[2].Text)
	require.Equal(t, "The healer began to start the process anew. It took 180 ms.", run.Timeline[4].Text)
	require.Equal(t, "Every check passes again, 1.0 s after the injection. Promised were 5.0 s.", run.Timeline[5].Text)

	checks := target.Checks()
	require.Len(t, run.Probes.Checks, len(checks))
	require.Len(t, run.Probes.Samples, 8)
	require.Equal(t, api.Probe{MS: -500, Failing: []int{}, Process: 77}, run.Probes.Samples[0])
	broken := run.Probes.Samples[4]
	require.Equal(t, *run.Event.DetectMS, broken.MS+broken.TookMS, "the verdict's times are the probes'")
	require.Equal(t, *run.Event.HealMS, run.Probes.Samples[6].MS+run.Probes.Samples[6].TookMS)
	require.Equal(t, []string{"process", "page:/"}, []string{run.Probes.Checks[broken.Failing[0]], run.Probes.Checks[broken.Failing[1]]})

	require.Equal(t, id, run.Incident.ChaosID)
	require.Equal(t, []string{"process", "page:/"}, run.Incident.Failing)
	require.Equal(t, []api.Mended{{Kind: "restart", At: now.Add(1300 * time.Millisecond), MS: 180}}, run.Incident.Steps)
}

func TestARunIsShownAsFarAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.requested(t).ID
	asked := w.chaos(t, id)
	require.Len(t, asked.Timeline, 1)
	require.Nil(t, asked.Timeline[0].MS, "nothing was injected yet")
	require.Equal(t, []api.Probe{}, asked.Probes.Samples)

	w.probed(t, id, 0, 1, 0, 0)
	require.Equal(t, 250, w.chaos(t, id).Probes.Samples[1].MS, "counted from the first probe")
	w.endAll(t)

	open := w.broken(t)
	w.probed(t, open.ID, 0, 0, crashed, 0, 0, crashed) // what failed before the injection is not its doing
	moments, _ := kinds(w.chaos(t, open.ID))
	require.Equal(t, []string{"requested", "injected", "detected"}, moments)
	w.now = w.now.Add(time.Minute)
	moments, _ = kinds(w.chaos(t, open.ID))
	require.Equal(t, []string{"requested", "injected", "detected", "lease_ended"}, moments)
	require.Equal(t, problem.NotFound, problemOf(t, w.do(t, call{method: "GET", path: "/api/chaos/runs/nobody"})).Code)
}

func TestARunThatNobodyHealedSaysWhatWasTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.broken(t)
	w.probed(t, r.ID, 0, 0, 0, 0, 0, crashed, crashed)
	const why = "dial tcp 10.0.0.9:8086: connection refused"
	w.mended(t, heal.Mended{Kind: heal.RestoreFiles, Files: []string{"a", "b"}, At: w.now.Add(2 * time.Second), Error: why})
	require.NoError(t, w.db.Chaos.RaiseAlarm(t.Context(), "inc", "It stays sick.", w.now.Add(9*time.Second)))
	_, err := w.db.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "It was not well."}, w.now.Add(31*time.Second))
	require.NoError(t, err)
	run := w.chaos(t, r.ID)
	moments, _ := kinds(run)
	require.Equal(t, []string{"requested", "injected", "detected", "sick", "mend_failed", "alarm", "lease_ended", "ended"}, moments)
	require.Equal(t, "The healer could not restore 2 files from the golden copy.", run.Timeline[4].Text)
	require.Equal(t, "It stays sick.", run.Timeline[5].Text)
	require.Equal(t, "The test ended: not healed. It was not well.", run.Timeline[7].Text)
	require.Equal(t, "This step was not done.", run.Incident.Steps[0].Error)
	founders := read[api.ChaosRun](t, w.do(t, call{method: "GET", path: "/api/chaos/runs/" + r.ID}), 200)
	require.Equal(t, why, founders.Incident.Steps[0].Error, "the machine's business is the founders'")
}

func TestARunIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.healed(t)
	again := read[api.ChaosStarted](t, w.do(t, call{method: "POST", path: "/api/chaos/runs/" + first + "/replay"}), 200)
	require.Equal(t, []string{"crash-api", "replay", "founder", first}, []string{again.Type, again.Source, again.RequestedBy, again.ReplayOf})
	require.Equal(t, []string{"chaos " + again.ID}, w.runs.orders)
	require.Equal(t, []string{again.ID}, w.chaos(t, first).Replays)
	require.Equal(t, "A founder asked for crash-api again, as in run "+first+".", w.chaos(t, again.ID).Timeline[0].Text)

	before := w.rows(t)
	refuse := func(id string, status int, code problem.Code) {
		rec := w.do(t, call{method: "POST", path: "/api/chaos/runs/" + id + "/replay"})
		require.Equal(t, status, rec.Code, rec.Body.String())
		require.Equal(t, code, problemOf(t, rec).Code)
		require.Equal(t, before, w.rows(t))
	}
	refuse(again.ID, 409, problem.Conflict)
	refuse(first, 409, problem.ChaosRunning)
	refuse("nobody", 404, problem.NotFound)
	w.server.Faults = someFaults[:1]
	refuse(first, 422, problem.FaultUnknown)
}

func TestAHistoryIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waiting := w.requested(t)
	check := func(id string) *problem.Code {
		rec := w.do(t, call{method: "POST", path: "/api/chaos/runs/" + id + "/check"})
		if rec.Code == http.StatusOK {
			return nil
		}
		code := problemOf(t, rec).Code
		return &code
	}
	require.Equal(t, problem.Conflict, *check(waiting.ID), "it is under way")
	w.endAll(t)
	require.Equal(t, problem.Conflict, *check(waiting.ID), "no workflow carried it")
	require.Equal(t, problem.NotFound, *check("nobody"))
	require.Empty(t, w.runs.orders)

	id := w.healed(t)
	require.Nil(t, check(id))
	require.Equal(t, []string{"check chaos:cell run-" + id}, w.runs.orders)
	require.NoError(t, w.db.Chaos.SaveHistoryCheck(t.Context(), chaos.HistoryCheck{
		WorkflowID: "chaos:cell", RunID: "run-" + id, Events: 7, Message: "It does not replay.", Build: "b", CheckedAt: now,
	}))
	require.Equal(t, &api.HistoryCheck{Events: 7, Message: "It does not replay.", Build: "b", CheckedAt: now}, w.chaos(t, id).Check)
}
