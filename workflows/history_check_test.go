package workflows_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// archive replays nothing, and notes what it was asked.
type archive struct {
	err   error
	saved []chaos.HistoryCheck
}

func (a *archive) Replay(_ context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	return chaos.HistoryCheck{WorkflowID: workflowID, RunID: runID, Message: "another way"}, a.err
}

func (a *archive) SaveHistoryCheck(_ context.Context, c chaos.HistoryCheck) error {
	a.saved = append(a.saved, c)
	return nil
}

func TestHistoryCheckKeepsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	env, stored := newCellEnv(), &archive{}
	env.RegisterActivity(&activities.HistoryCheck{Store: stored, Replayer: stored})
	env.ExecuteWorkflow(workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:cell", RunID: "r"})
	var check chaos.HistoryCheck
	require.NoError(t, env.GetWorkflowResult(&check))
	require.False(t, check.Passed)
	require.Equal(t, []chaos.HistoryCheck{check}, stored.saved)
}

func TestHistoryThatIsGoneIsAProblemForPeople(t *testing.T) {
	t.Parallel()
	env, stored := newCellEnv(), &archive{err: problem.New(problem.NotFound, "It is gone.")}
	env.RegisterActivity(&activities.HistoryCheck{Store: stored, Replayer: stored})
	env.ExecuteWorkflow(workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: "chaos:cell", RunID: "r"})
	require.Equal(t, problem.NotFound, problem.CodeOf(workflows.AsProblem(env.GetWorkflowError())))
	require.Empty(t, stored.saved)
}
