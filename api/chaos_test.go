package api_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

var someFaults = []chaos.Fault{
	{Name: "delete-og-image", Title: "Delete the picture", About: "Unlinks it.", Promise: chaos.QuickPromise, Weight: 1},
	{Name: "crash-api", Title: "Crash the API", About: "Kills the process.", Promise: chaos.SlowPromise, Weight: 3},
}

const crash = `{"type":"crash-api","source":"dashboard"}`

// requested stores a run without a workflow.
func (w *world) requested(t *testing.T) chaos.Run {
	r := chaos.Run{
		ID: xid.New().String(), Fault: "crash-api", Source: "dashboard", RequestedBy: chaos.Schedule,
		PromiseMS: 5000, LeaseMS: 30_000, RequestedAt: w.now,
	}
	require.NoError(t, w.db.Chaos.RequestChaos(t.Context(), r, account.Asker{Founder: true}))
	return r
}

// broken returns a run whose fault was injected half a second after now.
func (w *world) broken(t *testing.T) chaos.Run {
	r := w.requested(t)
	must(w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:chaos-target", "run-"+r.ID))(t)
	require.NoError(t, w.db.Chaos.LeaseChaos(t.Context(), r.ID, w.now.Add(30*time.Second)))
	require.NoError(t, w.db.Chaos.InjectedChaos(t.Context(), r.ID, w.now.Add(halfSecond), w.now.Add(30*time.Second+halfSecond)))
	return r
}

const halfSecond = 500 * time.Millisecond

// probed stores a probe for every 250 ms since now, with its failing checks.
func (w *world) probed(t *testing.T, id string, part, first int, failing ...target.Failing) {
	var samples []target.Sample
	for i, failed := range failing {
		at := w.now.Add(time.Duration(first+i) * target.ProbeEvery)
		samples = append(samples, target.Sample{At: at, Failing: failed, Process: 77})
	}
	require.NoError(t, w.db.Chaos.SaveProbes(t.Context(), chaos.Part{RunID: id, Part: part, Data: chaos.Encode(w.now, samples)}))
}

var crashed = target.Failed(target.CheckProcess, target.CheckHome)

// healed returns the ID of a healed run with eight probes.
func (w *world) healed(t *testing.T) string {
	return w.endedAs(t, chaos.Healed, 500, 1000)
}

// endedAs returns the ID of a run with a verdict. Negative times are unset.
func (w *world) endedAs(t *testing.T, verdict chaos.Verdict, detect, heal int) string {
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
	must(w.db.Chaos.EndChaos(t.Context(), r.ID, o, w.now.Add(3*time.Second)))(t)
	return r.ID
}

func (w *world) chaos(t *testing.T, id string) chaosapi.ChaosRun {
	return read[chaosapi.ChaosRun](t, w.visits(t, "/api/chaos/runs/"+id), ok)
}

// failingList is a store whose list fails after more rows than the writer buffers.
type failingList struct{ httpapi.ChaosStore }

func (failingList) EachChaosRun(_ context.Context, each func(chaos.Run) error) error {
	for range 20_000 {
		if err := each(chaos.Run{ID: xid.New().String(), Fault: "crash-api", RequestedAt: now}); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// endAll aborts the open run.
func (w *world) endAll(t *testing.T) {
	running := must(w.db.Chaos.OpenChaos(t.Context()))(t)
	if running != nil {
		must(w.db.Chaos.EndChaos(t.Context(), running.ID, chaos.Outcome{Verdict: chaos.Aborted, Reason: "For the test."}, w.now))(t)
	}
}

// Proves: V2.4.1-chaos
func TestChaosThatIsRefusedUsesNothingUp(t *testing.T) {
	w := newWorld(t)
	refuse := func(body string, code problem.Code, says string) {
		w.refusesAll(t, w.browser().send, map[string]bad{says: {"POST", "/api/chaos", body, code}})
		require.Contains(t, problemOf(t, w.browser().post(t, "/api/chaos", body)).Message, says)
	}
	const unknown = `{"type":"Crash-API","source":"dashboard"}`
	refuse(`{"type":"rm-rf","source":"dashboard"}`, problem.FaultUnknown, "Unknown fault, so no test was started. Choose one of: delete-og-image, crash-api.")
	refuse(unknown, problem.FaultUnknown, "Unknown fault")
	w.requested(t)
	refuse(crash, problem.ChaosRunning, "The test crash-api has been running since 12:00:00 UTC, and only one can run at a time.")
	w.switchChaos(t, `{"on":false,"reason":"a demo"}`)
	refuse(crash, problem.ChaosOff, "a demo")
	refuse(unknown, problem.FaultUnknown, "Unknown fault")
}

func TestChaosBegins(t *testing.T) {
	w := newWorld(t)
	w.server.ChaosLease = 12 * time.Second
	started := read[chaosapi.ChaosStarted](t, w.browser().post(t, "/api/chaos", crash), ok)
	require.Equal(t, []any{true, "Injecting the fault crash-api into the chaos target."}, []any{started.Success, started.Message})
	require.Equal(t, []string{"chaos " + started.ID}, w.runs.commands)
	run := "run-" + started.ID
	require.Equal(t, httpapi.RunRef{WorkflowID: "chaos:chaos-target", RunID: run, RunURL: "/runs/chaos:chaos-target?run=" + run}, started.RunRef)
	started.RunRef = httpapi.RunRef{} // the row has none yet
	require.Equal(t, chaosapi.ChaosEvent{
		ID: started.ID, Type: "crash-api", Source: "dashboard", RequestedBy: "visitor", Timestamp: now, Stage: "requested", PromiseMS: 5000,
	}, started.ChaosEvent)
	row := must(w.db.Chaos.ChaosRun(t.Context(), started.ID))(t)
	require.Equal(t, 12_000, row.LeaseMS)
	recent := read[chaosapi.RecentChaos](t, w.visits(t, "/api/chaos/recent"), 200)
	require.Equal(t, []chaosapi.ChaosEvent{started.ChaosEvent}, recent.Events)
}

// repaired stores an incident that matches the run of healed.
func (w *world) repaired(t *testing.T, steps ...heal.Repair) {
	_, err := w.db.Chaos.BeginIncident(t.Context(), heal.Incident{
		ID: "inc", Failing: crashed, Steps: steps, WorkflowID: "self-heal:chaos-target", RunID: "r1",
		OpenedAt: w.now.Add(time.Second), UnhealthyAt: w.now.Add(1250 * time.Millisecond),
	})
	require.NoError(t, err)
	require.NoError(t, w.db.Chaos.EndIncident(t.Context(), "inc", w.now.Add(1500*time.Millisecond)))
}

// kinds returns the kinds and times of a timeline.
func kinds(run chaosapi.ChaosRun) (kinds []string, times []int) {
	for _, m := range run.Timeline {
		kinds, times = append(kinds, m.Kind), append(times, *m.MS)
	}
	return kinds, times
}

func TestARunIsShownInFull(t *testing.T) {
	w := newWorld(t)
	id := w.healed(t)
	w.repaired(t, heal.Repair{Kind: heal.Restart, At: w.now.Add(1300 * time.Millisecond), MS: 180})
	run := w.chaos(t, id)
	require.Equal(t, []any{"chaos:chaos-target", "/runs/chaos:chaos-target?run=run-" + id, 30_000, []string{}}, []any{run.Event.WorkflowID, run.Event.RunURL, run.LeaseMS, run.Replays})
	require.Nil(t, run.Check)

	moments, times := kinds(run)
	require.Equal(t, []string{"requested", "injected", "detected", "unhealthy", "repaired", "healed", "ended"}, moments)
	require.Equal(t, []int{-500, 0, 500, 750, 800, 1000, 2500}, times)
	require.Equal(t, "The game day started crash-api (dashboard).", run.Timeline[0].Text)
	require.Equal(t, "A probe detected the fault. Failing: the process and the page /.", run.Timeline[2].Text)
	require.Equal(t, "The healer started to restart the process. It took 180 ms.", run.Timeline[4].Text)
	require.Equal(t, "All checks pass again, 1.0 s after the injection (promised: 5.0 s).", run.Timeline[5].Text)

	checks := target.Checks()
	require.Len(t, run.Probes.Checks, len(checks))
	require.Len(t, run.Probes.Samples, 8)
	require.Equal(t, chaosapi.Probe{MS: -500, Failing: []int{}, Process: 77}, run.Probes.Samples[0])
	broken := run.Probes.Samples[4]
	require.Equal(t, *run.Event.DetectMS, broken.MS+broken.TookMS, "the verdict uses the probes' times")
	require.Equal(t, *run.Event.HealMS, run.Probes.Samples[6].MS+run.Probes.Samples[6].TookMS)
	require.Equal(t, []string{"process", "page:/"}, []string{run.Probes.Checks[broken.Failing[0]], run.Probes.Checks[broken.Failing[1]]})

	require.Equal(t, []any{id, []string{"process", "page:/"}}, []any{run.Incident.ChaosID, run.Incident.Failing})
	require.Equal(t, []chaosapi.Repaired{{Kind: "restart", At: now.Add(1300 * time.Millisecond), MS: 180}}, run.Incident.Steps)
}

func TestARunningRunIsShown(t *testing.T) {
	w := newWorld(t)
	id := w.requested(t).ID
	asked := w.chaos(t, id)
	require.Len(t, asked.Timeline, 1)
	require.Nil(t, asked.Timeline[0].MS, "nothing was injected yet")
	require.Equal(t, []chaosapi.Probe{}, asked.Probes.Samples)

	w.probed(t, id, 0, 1, 0, 0)
	require.Equal(t, 250, w.chaos(t, id).Probes.Samples[1].MS, "counted from the first probe")
	w.endAll(t)

	open := w.broken(t)
	w.probed(t, open.ID, 0, 0, crashed, 0, 0, crashed) // a failure before the injection does not count
	moments, _ := kinds(w.chaos(t, open.ID))
	require.Equal(t, []string{"requested", "injected", "detected"}, moments)
	w.now = w.now.Add(time.Minute)
	moments, _ = kinds(w.chaos(t, open.ID))
	require.Equal(t, []string{"requested", "injected", "detected", "lease_ended"}, moments)
	refused(t, w.send(t, "GET", "/api/chaos/runs/nobody", ""), problem.NotFound)
}

func TestAnUnhealedRunShowsTheFailedRepair(t *testing.T) {
	w := newWorld(t)
	r := w.broken(t)
	w.probed(t, r.ID, 0, 0, 0, 0, 0, crashed, crashed)
	const why = "dial tcp 10.0.0.9:8086: connection refused"
	w.repaired(t, heal.Repair{Kind: heal.RestoreFiles, Files: []string{"a", "b"}, At: w.now.Add(2 * time.Second), Error: why})
	require.NoError(t, w.db.Chaos.RaiseAlarm(t.Context(), "inc", "It stays sick.", w.now.Add(9*time.Second)))
	must(w.db.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "It was not well."}, w.now.Add(31*time.Second)))(t)
	run := w.chaos(t, r.ID)
	moments, _ := kinds(run)
	require.Equal(t, []string{"requested", "injected", "detected", "unhealthy", "repair_failed", "alarm", "lease_ended", "ended"}, moments)
	require.Equal(t, []any{"The healer could not restore 2 files from the golden copy.", "It stays sick."}, []any{run.Timeline[4].Text, run.Timeline[5].Text})
	require.Equal(t, []any{"The test ended: not healed. It was not well.", "This step failed."}, []any{run.Timeline[7].Text, run.Incident.Steps[0].Error})
	founders := read[chaosapi.ChaosRun](t, w.send(t, "GET", "/api/chaos/runs/"+r.ID, ""), 200)
	require.Equal(t, why, founders.Incident.Steps[0].Error, "founders see the error")
}

func TestARunIsRepeated(t *testing.T) {
	w := newWorld(t)
	first := w.healed(t)
	again := read[chaosapi.ChaosStarted](t, w.send(t, "POST", "/api/chaos/runs/"+first+"/replay", ""), 200)
	require.Equal(t, []string{"crash-api", "replay", "founder", first}, []string{again.Type, again.Source, again.RequestedBy, again.ReplayOf})
	require.Equal(t, []string{"chaos " + again.ID}, w.runs.commands)
	require.Equal(t, []string{again.ID}, w.chaos(t, first).Replays)
	require.Equal(t, "A founder started crash-api again, as in run "+first+".", w.chaos(t, again.ID).Timeline[0].Text)

	before := w.rows(t)
	refuse := func(id string, code problem.Code) {
		refused(t, w.send(t, "POST", "/api/chaos/runs/"+id+"/replay", ""), code)
		require.Equal(t, before, w.rows(t))
	}
	refuse(again.ID, problem.Conflict)
	refuse(first, problem.ChaosRunning)
	w.server.Faults = someFaults[:1]
	w.handler = handlerOf(w.server)
	refuse(first, problem.FaultUnknown)
}

func TestAHistoryIsChecked(t *testing.T) {
	w := newWorld(t)
	open := w.broken(t).ID
	check := func(id string) *httptest.ResponseRecorder {
		return w.send(t, "POST", "/api/chaos/runs/"+id+"/check", "")
	}
	refused(t, check(open), problem.Conflict, "the run has not ended")
	w.endAll(t)
	never := w.requested(t).ID
	w.endAll(t)
	refused(t, check(never), problem.Conflict, "it had no workflow")
	require.Empty(t, w.runs.commands)

	id := w.healed(t)
	require.True(t, read[chaosapi.HistoryCheck](t, check(id), ok).Passed)
	require.Equal(t, []string{"check chaos:chaos-target run-" + id}, w.runs.commands)
	require.NoError(t, w.db.Chaos.SaveHistoryCheck(t.Context(), chaos.HistoryCheck{
		WorkflowID: "chaos:chaos-target", RunID: "run-" + id, Events: 7, Message: "It does not replay.", Build: "b", CheckedAt: now,
	}))
	require.Equal(t, &chaosapi.HistoryCheck{Events: 7, Message: "It does not replay.", Build: "b", CheckedAt: now}, w.chaos(t, id).Check)
}
