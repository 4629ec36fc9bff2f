package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// Proves: F5
func TestWhatTemporalRefusesIsAProblemForPeople(t *testing.T) {
	t.Parallel()
	refused := temporal.NewNonRetryableApplicationError("This post went out.", string(problem.PostClosed), nil)
	for name, c := range map[string]struct {
		err  error
		code problem.Code
	}{
		"a flow refuses":                   {refused, problem.PostClosed},
		"the run has ended":                {serviceerror.NewNotFound("gone"), problem.PostClosed},
		"Temporal is away":                 {serviceerror.NewUnavailable("away"), problem.Unavailable},
		"workers did not answer it before": {serviceerror.NewWorkflowNotReady("in failed state"), problem.Unavailable},
		"Temporal is overrun":              {serviceerror.NewResourceExhausted(enums.RESOURCE_EXHAUSTED_CAUSE_BUSY_WORKFLOW, "busy"), problem.Unavailable},
		"Temporal was too slow":            {serviceerror.NewDeadlineExceeded("late"), problem.Unavailable},
		"no worker":                        {context.DeadlineExceeded, problem.Unavailable},
		"a step's time was up":             {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil), problem.Unavailable},
		"its time was up, and it said why": {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, refused), problem.PostClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, ok := errors.AsType[*problem.Error](workflows.AsProblem(c.err))
			require.True(t, ok, "%v", c.err)
			require.Equal(t, c.code, told.Code)
		})
	}
}
