package client_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	sdk "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
	"customerzero/workflows"
	"customerzero/workflows/client"
)

// Proves: F5
func TestTemporalErrorsBecomeProblems(t *testing.T) {
	t.Parallel()
	refused := temporal.NewNonRetryableApplicationError("This post went out.", string(problem.PostClosed), nil)
	for name, c := range map[string]struct {
		err  error
		code problem.Code
	}{
		"the workflow refuses":                {refused, problem.PostClosed},
		"the run has ended":                   {serviceerror.NewNotFound("gone"), problem.PostClosed},
		"Temporal is unavailable":             {serviceerror.NewUnavailable("away"), problem.Unavailable},
		"no worker answered earlier tasks":    {serviceerror.NewWorkflowNotReady("in failed state"), problem.Unavailable},
		"Temporal is overloaded":              {serviceerror.NewResourceExhausted(enums.RESOURCE_EXHAUSTED_CAUSE_BUSY_WORKFLOW, "busy"), problem.Unavailable},
		"Temporal was too slow":               {serviceerror.NewDeadlineExceeded("late"), problem.Unavailable},
		"no worker":                           {context.DeadlineExceeded, problem.Unavailable},
		"the run was terminated":              {&temporal.TerminatedError{}, problem.Unavailable},
		"the run was cancelled":               {temporal.NewCanceledError(), problem.Unavailable},
		"Stripe refuses":                      {temporal.NewNonRetryableApplicationError("The bank disputes it.", "stripe_charge_disputed", nil), problem.Conflict},
		"an activity timed out":               {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil), problem.Unavailable},
		"an activity timed out with a reason": {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, refused), problem.PostClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, ok := errors.AsType[*problem.Error](client.AsProblem(c.err))
			require.True(t, ok, "%v", c.err)
			require.Equal(t, c.code, told.Code)
		})
	}
}

// starts records the options of started runs.
type starts struct {
	sdk.Client
	eager []bool
}

func (s *starts) ExecuteWorkflow(_ context.Context, o sdk.StartWorkflowOptions, _ any, _ ...any) (sdk.WorkflowRun, error) {
	s.eager = append(s.eager, o.EnableEagerStart)
	return nil, errors.New("away")
}

func TestQueuedRunsStartInTheCurrentBuild(t *testing.T) {
	t.Parallel()
	asked := &starts{}
	for _, queued := range []bool{false, true} {
		require.Error(t, (&client.Client{Temporal: asked, Queued: queued}).RunCanary(t.Context()))
	}
	require.Equal(t, []bool{true, false}, asked.eager)
}

// fakeTemporal is a fake Temporal with one run.
type fakeTemporal struct {
	sdk.Client
	events []*history.HistoryEvent
	run    *workflowservice.DescribeWorkflowExecutionResponse
	err    error
	read   int
}

func (a *fakeTemporal) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return a.run, a.err
}

func (a *fakeTemporal) GetWorkflowHistory(context.Context, string, string, bool, enums.HistoryEventFilterType) sdk.HistoryEventIterator {
	return a
}

func (a *fakeTemporal) HasNext() bool { return a.read < len(a.events) }

func (a *fakeTemporal) Next() (*history.HistoryEvent, error) {
	a.read++
	return a.events[a.read-1], nil
}

// holding is a fakeTemporal with a recorded run.
func holding(t *testing.T, name string, status enums.WorkflowExecutionStatus) *fakeTemporal {
	events := recorded(t, "../testdata/histories/"+name+".json")
	began := events[0].GetWorkflowExecutionStartedEventAttributes()
	return &fakeTemporal{events: events, run: &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
			Execution: &common.WorkflowExecution{WorkflowId: "the-id", RunId: "the-run"}, Type: began.GetWorkflowType(),
			StartTime: events[0].GetEventTime(), CloseTime: timestamppb.New(events[0].GetEventTime().AsTime().Add(time.Hour)),
			Status: status, HistoryLength: int64(len(events)),
		},
	}}
}

func (a *fakeTemporal) timeline(t *testing.T) (run.Timeline, error) {
	return (&client.Client{Temporal: a}).Timeline(t.Context(), "the-id", "")
}

func TestALongHistoryIsCut(t *testing.T) {
	t.Parallel()
	a := holding(t, "post-edited", enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	wake := &history.HistoryEvent{
		EventTime: a.events[0].GetEventTime(), EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
		Attributes: &history.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
			WorkflowExecutionSignaledEventAttributes: &history.WorkflowExecutionSignaledEventAttributes{SignalName: workflows.SignalWoken},
		},
	}
	long := a.events[:9:9]
	for len(long) < 5000 {
		long = append(long, wake)
	}
	a.events, a.run.WorkflowExecutionInfo.HistoryLength = long, 5000
	told := must(a.timeline(t))
	require.True(t, told.Cut)
	require.Equal(t, 2000, a.read)
	require.Equal(t, 5000, told.Events)
	require.Equal(t, run.Terminated, told.State, "the server knows how it ended")
	require.Equal(t, a.run.GetWorkflowExecutionInfo().GetCloseTime().AsTime(), *told.EndedAt)
	require.Equal(t, []string{"the-id", "the-run", "post"}, []string{told.WorkflowID, told.RunID, told.Flow})
}

func TestAWholeHistoryIsNotCut(t *testing.T) {
	t.Parallel()
	a := holding(t, "post-published", enums.WORKFLOW_EXECUTION_STATUS_RUNNING) // the run ended after it was described
	told := must(a.timeline(t))
	require.False(t, told.Cut)
	require.Equal(t, run.Done, told.State)
	require.Equal(t, len(a.events), told.Events)
}

func TestRunningStepsShowTheirAttempts(t *testing.T) {
	t.Parallel()
	a := holding(t, "chaos-healed", enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	a.events = a.events[:18] // WatchTarget is scheduled
	a.run.WorkflowExecutionInfo.CloseTime = nil
	a.run.PendingActivities = []*workflowpb.PendingActivityInfo{{ActivityId: a.events[17].GetActivityTaskScheduledEventAttributes().GetActivityId(), Attempt: 4}}
	told := must(a.timeline(t))
	watch := stepOf(t, told, "Watched the probes")
	require.Equal(t, 4, watch.Attempt)
	require.Equal(t, run.Running, watch.State)
}

func TestUnknownRuns(t *testing.T) {
	t.Parallel()
	temporals := holding(t, "canary", enums.WORKFLOW_EXECUTION_STATUS_RUNNING)
	temporals.run.WorkflowExecutionInfo.Type = &common.WorkflowType{Name: "temporal-sys-scheduler-workflow"}
	for name, tt := range map[string]struct {
		fakeTemporal *fakeTemporal
		code         problem.Code
	}{
		"unknown":                       {&fakeTemporal{err: serviceerror.NewNotFound("gone")}, problem.NotFound},
		"with a malformed ID":           {&fakeTemporal{err: serviceerror.NewInvalidArgument("Invalid RunId.")}, problem.NotFound},
		"of Temporal itself":            {temporals, problem.NotFound},
		"while Temporal is unavailable": {&fakeTemporal{err: serviceerror.NewUnavailable("away")}, problem.Unavailable},
		"while Temporal is slow":        {&fakeTemporal{err: serviceerror.NewDeadlineExceeded("slow")}, problem.Unavailable},
		"while Temporal is too busy":    {&fakeTemporal{err: &serviceerror.ResourceExhausted{}}, problem.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.fakeTemporal.timeline(t)
			require.Equal(t, tt.code, problem.CodeOf(err))
		})
	}
}

func TestRunsAreUnavailableWithoutTemporal(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts connections without an answer
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	lazy := must(sdk.NewLazyClient(sdk.Options{HostPort: taken.Addr().String()}))
	defer lazy.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = (&client.Client{Temporal: lazy}).Timeline(ctx, "post:1", "")
	require.Equal(t, problem.Unavailable, problem.CodeOf(err), "%v", err)
	_, err = (&client.Client{Temporal: lazy}).NewestRuns(ctx, "", 5)
	require.Equal(t, problem.Unavailable, problem.CodeOf(err), "%v", err)
}

func TestPrivateRunsAreNotListed(t *testing.T) {
	t.Parallel()
	for _, flow := range []string{"checkout", "refund", "mail", "x-login", "credentials", "provider-keys", "departure", "generation", "nothing", "' OR 1=1"} {
		_, err := (&client.Client{}).NewestRuns(t.Context(), flow, 5)
		require.Equal(t, problem.Invalid, problem.CodeOf(err), flow)
	}
}
