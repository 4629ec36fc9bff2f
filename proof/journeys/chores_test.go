package journeys_test

import (
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"customerzero/internal/clients/browser"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/target/faults"
	"customerzero/workflows"
)

// gameDay has the schedule's run begin now. Which fault it is, chance says.
func gameDay(t *testing.T, w *world) string {
	w.startCell(t)
	require.NoError(t, w.runs.KeepHealing(t.Context()))
	require.NoError(t, w.runs.KeepGameDay(t.Context(), "0 0 1 1 *"))
	id := w.triggered(t, workflows.GameDayID, "GameDay")
	var result workflows.GameDayResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), id, "").Get(t.Context(), &result))
	require.Empty(t, result.Refused)
	run, err := w.db.Chaos.ChaosRun(t.Context(), result.ChaosID)
	require.NoError(t, err)
	require.Equal(t, chaos.Schedule, run.RequestedBy)
	require.Equal(t, run.Verdict, result.Run.Verdict)
	return id
}

// triggered has a schedule's run begin now, and names it.
func (w *world) triggered(t *testing.T, schedule, flow string) (workflowID string) {
	t.Helper()
	handle := w.temporal.ScheduleClient().GetHandle(t.Context(), schedule)
	require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	require.Eventually(t, func() bool {
		begun, err := handle.Describe(t.Context())
		if err != nil || len(begun.Info.RecentActions) == 0 {
			return false
		}
		workflowID = begun.Info.RecentActions[0].StartWorkflowResult.WorkflowID
		return true
	}, patience, 50*time.Millisecond, flow)
	return workflowID
}

// swept is a run that was written down, and that nobody carries.
func swept(t *testing.T, w *world) string {
	w.startCell(t)
	one := faults.Descriptions()[0]
	id := xid.New().String()
	require.NoError(t, w.db.Chaos.RequestChaos(t.Context(), chaos.Run{
		ID: id, Fault: one.Name, Source: "journey", RequestedBy: chaos.Founders, RequestedAt: time.Now(),
		PromiseMS: int(one.Promise.Milliseconds()), LeaseMS: int(longLease.Milliseconds()),
	}, ""))
	require.NoError(t, w.runs.SweepChaos(t.Context(), id))
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.ChaosSweepID(id), "").Get(t.Context(), nil))
	run, err := w.db.Chaos.ChaosRun(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, chaos.Aborted, run.Verdict)
	return workflows.ChaosSweepID(id)
}

// historyChecked checks the history of a flow that has ended.
func historyChecked(t *testing.T, w *world) string {
	w.startCell(t)
	require.NoError(t, w.runs.RunCanary(t.Context()))
	var sung []string
	require.Eventually(t, func() bool {
		for _, run := range w.found(t.Context(), t, `WorkflowType="Canary" AND ExecutionStatus="Completed"`) {
			sung = []string{run.Execution.WorkflowId, run.Execution.RunId}
		}
		return len(sung) > 0
	}, patience, 50*time.Millisecond)
	check, err := w.runs.CheckHistory(t.Context(), sung[0], sung[1])
	require.NoError(t, err)
	require.True(t, check.Passed, check.Message)
	return workflows.HistoryCheckID(sung[0], sung[1])
}

// tidied has old looks removed now.
func tidied(t *testing.T, w *world) string {
	site := w.startSite(t, browser.Options{Dir: t.TempDir()})
	kept := w.verifies(t, site.url+"/")
	require.NoError(t, w.runs.KeepSchedules(t.Context()))
	id := w.triggered(t, workflows.VerificationTidyID, "VerificationTidy")
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	_, err := w.db.Verifications.Verification(t.Context(), kept.ID)
	require.NoError(t, err)
	return id
}
