package workflows

import (
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/problem"
)

var chance *activities.GameDay // nil: only names activities

// GameDayID names the schedule and, with a time, its runs.
const GameDayID = "game-day"

// GameDayResult says which run a game day had, or why it had none.
type GameDayResult struct {
	ChaosID string
	Run     ChaosResult
	Refused string
}

// GameDay runs a fault that nobody chose, and waits for what it comes to.
func GameDay(ctx workflow.Context) (GameDayResult, error) {
	asked, err := ask(ctx, chance.CallGameDay, activities.CallGameDayInput{})
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(refused.Type()) {
		return GameDayResult{Refused: refused.Message()}, nil
	}
	if err != nil {
		return GameDayResult{}, err
	}
	result := GameDayResult{ChaosID: asked.ChaosID}
	err = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: ChaosID, TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("chaos"),
		WorkflowTaskTimeout: thoughtWithin,
		ParentClosePolicy:   enums.PARENT_CLOSE_POLICY_ABANDON,
	}), ChaosRun, ChaosInput(asked)).Get(ctx, &result.Run)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) { // another run is ending just now
		result.Refused, err = "It is begun a little later, by whoever looks after runs that wait.", nil
	}
	return result, err
}
