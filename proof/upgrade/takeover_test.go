package upgrade_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"

	"customerzero/workflows"
)

// TestWhatAWorkerWatchedAnotherWatchesOn ends the worker that watches the cell. One that is
// asked to end lets go by itself; one that is killed has to be missed.
// Proves: F26
func TestWhatAWorkerWatchedAnotherWatchesOn(t *testing.T) {
	program := compile(t.Context(), t, t.TempDir(), "")
	s := newStage(t, program)
	s.start(t, program, "target", "")
	s.start(t, program, "worker", "1")
	s.ready(t)

	asked := s.watch(t, 0)
	s.start(t, program, "worker", "1")
	require.NoError(t, syscall.Kill(watcher(asked), syscall.SIGTERM))
	taken := s.watch(t, watcher(asked))
	require.Nil(t, taken.GetLastFailure(), "nobody was missed")
	require.NotEqual(t, asked.GetActivityId(), taken.GetActivityId(), "the flow was told, and went on")

	s.start(t, program, "worker", "1")
	require.NoError(t, syscall.Kill(watcher(taken), syscall.SIGKILL))
	missed := s.watch(t, watcher(taken))
	require.Equal(t, enums.TIMEOUT_TYPE_HEARTBEAT, missed.GetLastFailure().GetTimeoutFailureInfo().GetTimeoutType())
}

// watch is the healer's look at the cell, when another process than one has it.
func (s *stage) watch(t *testing.T, another int) (held *workflow.PendingActivityInfo) {
	t.Helper()
	require.Eventually(t, func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflows.SelfHealID, "")
		if err != nil || len(run.PendingActivities) != 1 {
			return false
		}
		held = run.PendingActivities[0]
		calm := held.GetActivityType().GetName() == "WatchHealth" // no incident, as at the start
		return calm && held.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED && watcher(held) != another
	}, patience, tick)
	return held
}

// watcher is the process that has a step.
func watcher(held *workflow.PendingActivityInfo) (pid int) {
	who, _, _ := strings.Cut(held.GetLastWorkerIdentity(), "@")
	if _, err := fmt.Sscan(who, &pid); err != nil {
		return os.Getpid()
	}
	return pid
}
