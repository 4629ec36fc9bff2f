package e2e

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"customerzero/internal/clients/browser"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/verification"
	"customerzero/internal/target/faults"
	"customerzero/workflows"
)

const (
	longLease  = 5 * time.Minute
	shortLease = 3 * time.Second
)

// TestChaosEndings breaks a real chaos target: a supervisor and an instance, each a process.
func TestChaosEndings(t *testing.T) {
	runEndings(t, map[string]ending{
		"screenshots before, during and after a fault":             {"chaos-photographed", longSend, photographed},
		"repair fails: founders are alerted, posts are still sent": {"chaos-failed", longSend, withoutRoom},
		"game day: a random fault":                                 {"game-day", longSend, gameDay},
		"a run without a workflow is swept":                        {"chaos-sweep", longSend, swept},
		"a run's history is checked":                               {"history-check", longSend, historyChecked},
	})
}

// photographed takes screenshots of the chaos target before and after a fault, and during it if time allows.
func photographed(t *testing.T, w *world) string {
	w.startTarget(t)
	w.target.camera = newCamera(t, w.target.url, installed)
	w.stopWorker()
	w.startWorker(t)
	require.NoError(t, w.runs.StartSelfHeal(t.Context()))
	run, shots := w.photographs(t, "delete-templates")
	before, broken, healed := shots[0], shots[1], shots[2]
	require.NotEmpty(t, before.ImageHash, before.Error)
	require.NotEmpty(t, healed.ImageHash, healed.Error)
	require.Equal(t, verification.LooksWell, before.Opinion)
	require.Equal(t, verification.LooksWell, healed.Opinion, healed.Review)
	if broken.Stable { // otherwise it was healed during the screenshot
		require.True(t, broken.Failing.Any())
		require.NotEqual(t, verification.LooksWell, broken.Opinion, broken.Review)
	}
	if *record {
		w.save(t, "chaos-screenshots", workflows.ChaosScreenshotsID(run.ID))
	}
	return workflows.ChaosRunID
}

// photographs repeats the chaos run until there are screenshots before and after it. A run waits 3 s for a browser;
// if that starts later, the screenshot has an error.
func (w *world) photographs(t *testing.T, name string) (run chaos.Run, shots []verification.TargetScreenshot) {
	for began := time.Now(); time.Since(began) < patience; {
		run = w.breaks(t, name, longLease)
		require.Contains(t, []chaos.Verdict{chaos.Healed, chaos.HealedLate}, run.Verdict, run.Reason)
		err := w.temporal.GetWorkflow(t.Context(), workflows.ChaosScreenshotsID(run.ID), "").Get(t.Context(), nil)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			continue // no browser was ready when the run began
		}
		require.NoError(t, err)
		shots, err = w.db.Verifications.ChaosScreenshots(t.Context(), run.ID)
		require.NoError(t, err)
		require.Len(t, shots, 3)
		if !late(shots[0]) && !late(shots[2]) {
			break
		}
	}
	return run, shots
}

func late(s verification.TargetScreenshot) bool {
	return s.Error == "No browser was ready in time." || strings.HasPrefix(s.Error, "The page took more than ")
}

// withoutRoom fills the disk after the injection, so that neither the healer nor the end of the lease can repair the
// fault. With free space the target recovers by itself.
func withoutRoom(t *testing.T, w *world) string {
	w.startTarget(t)
	w.target.onBroken = func() { w.target.diskFull(t) }
	require.NoError(t, w.runs.StartSelfHeal(t.Context()))
	run := w.breaks(t, "delete-og-image", shortLease)
	require.Equal(t, chaos.Failed, run.Verdict)
	require.NotEmpty(t, run.Reason)
	require.NotNil(t, run.DetectMS)
	require.False(t, run.Restored)

	var alarmed *heal.Incident
	await(t, func() bool {
		var err error
		alarmed, err = w.db.Chaos.OpenIncident(t.Context())
		return err == nil && alarmed != nil && alarmed.Alarm != ""
	})
	require.Contains(t, alarmed.Alarm, "failed)")
	require.NotContains(t, alarmed.Alarm, w.target.dir, "no local path")
	require.NotEmpty(t, w.waiting(t, email.TargetAlarm).ID, "founders get an e-mail")

	p := w.schedule(t, "posts are still sent", 0)
	w.ends(t, p.ID, post.StatusPublished)

	w.target.diskFree(t)
	await(t, func() bool {
		open, err := w.db.Chaos.OpenIncident(t.Context())
		return err == nil && open == nil && w.target.Probe(t.Context()).Healthy()
	})
	if *record {
		w.save(t, "self-heal-alarm", workflows.SelfHealID)
	}
	return workflows.ChaosRunID
}

func (w *world) requestChaos(t *testing.T, name string, lease time.Duration) (id string) {
	one, known := faults.Named(name)
	require.True(t, known)
	id = xid.New().String()
	require.NoError(t, w.db.Chaos.RequestChaos(t.Context(), chaos.Run{
		ID: id, Fault: name, Source: "e2e", RequestedBy: chaos.Founders, RequestedAt: time.Now(),
		PromiseMS: int(one.Describe().Promise.Milliseconds()), LeaseMS: int(lease.Milliseconds()),
	}, account.Asker{Founder: true}))
	return id
}

// breaks starts a chaos run as the API does and waits until it has ended.
func (w *world) breaks(t *testing.T, name string, lease time.Duration) chaos.Run {
	id := w.requestChaos(t, name, lease)
	runID, err := w.runs.StartChaos(t.Context(), id)
	require.NoError(t, err)
	var result workflows.ChaosRunResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.ChaosRunID, runID).Get(t.Context(), &result))
	run := fetch(t, w.db.Chaos.ChaosRun, id)
	require.Equal(t, runID, run.RunID)
	require.Equal(t, workflows.ChaosRunResult{Verdict: run.Verdict, DetectMS: run.DetectMS, HealMS: run.HealMS}, result)
	return run
}

// gameDay triggers the schedule, which injects a random fault.
func gameDay(t *testing.T, w *world) string {
	w.startTarget(t)
	require.NoError(t, w.runs.StartSelfHeal(t.Context()))
	w.runs.GameDay = "0 0 1 1 *"
	require.NoError(t, w.runs.ScheduleGameDay(t.Context()))
	id := w.triggered(t, workflows.GameDayID)
	result := resultOf[workflows.GameDayResult](t, w, id)
	require.Empty(t, result.Refused)
	run := fetch(t, w.db.Chaos.ChaosRun, result.ChaosID)
	require.Equal(t, chaos.Schedule, run.RequestedBy)
	require.Equal(t, run.Verdict, result.Run.Verdict)
	return id
}

// triggered triggers a schedule and returns the ID of its workflow.
func (w *world) triggered(t *testing.T, schedule string) (workflowID string) {
	handle := w.temporal.ScheduleClient().GetHandle(t.Context(), schedule)
	require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	await(t, func() bool {
		begun, err := handle.Describe(t.Context())
		if err != nil || len(begun.Info.RecentActions) == 0 {
			return false
		}
		workflowID = begun.Info.RecentActions[0].StartWorkflowResult.WorkflowID
		return true
	})
	return workflowID
}

func swept(t *testing.T, w *world) string {
	w.startTarget(t)
	id := w.requestChaos(t, "delete-og-image", longLease)
	require.NoError(t, w.runs.SweepChaos(t.Context(), id))
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.ChaosSweepID(id), "").Get(t.Context(), nil))
	run := fetch(t, w.db.Chaos.ChaosRun, id)
	require.Equal(t, chaos.Aborted, run.Verdict)
	return workflows.ChaosSweepID(id)
}

func historyChecked(t *testing.T, w *world) string {
	w.startTarget(t)
	require.NoError(t, w.runs.RunCanary(t.Context()))
	var canary []string
	await(t, func() bool {
		for _, run := range w.found(t.Context(), t, `WorkflowType="Canary" AND ExecutionStatus="Completed"`) {
			canary = []string{run.Execution.WorkflowId, run.Execution.RunId}
		}
		return len(canary) > 0
	})
	check, err := w.runs.CheckHistory(t.Context(), canary[0], canary[1])
	require.NoError(t, err)
	require.True(t, check.Passed, check.Message)
	return workflows.HistoryCheckID(canary[0], canary[1])
}

func tidied(t *testing.T, w *world) string {
	site := w.startSite(t, browser.Options{Dir: t.TempDir()})
	kept := w.verifies(t, site.url+"/")
	require.NoError(t, w.runs.EnsureSchedules(t.Context(), nil))
	id := w.triggered(t, workflows.VerificationCleanupID)
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	fetch(t, w.db.Verifications.Verification, kept.ID)
	return id
}
