// Package worker runs the workflows and activities: it is where names meet implementations.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/workflows"
)

// Activities are the real activities, built by main.
type Activities struct {
	Post        *activities.Post
	Engagement  *activities.Engagement
	Canary      *activities.Canary
	Mail        *activities.Mail
	XLogin      *activities.XLogin
	Diagnosis   *activities.Diagnosis
	Credentials *activities.Credentials
}

// New returns the worker of the core queue. Asked to stop, it lets steps under way end for
// as long as drain: a post that is being sent need not be looked for.
func New(c client.Client, acts Activities, drain time.Duration) worker.Worker {
	core := worker.New(c, workflows.QueueCore, worker.Options{
		Interceptors:                       []interceptor.WorkerInterceptor{Problems()},
		MaxConcurrentActivityExecutionSize: 32,
		WorkerStopTimeout:                  drain,
	})
	workflows.Register(core)
	core.RegisterActivity(acts.Post)
	core.RegisterActivity(acts.Engagement)
	core.RegisterActivity(acts.Canary)
	core.RegisterActivity(acts.Mail)
	core.RegisterActivity(acts.XLogin)
	core.RegisterActivity(acts.Diagnosis)
	core.RegisterActivity(acts.Credentials)
	return core
}

// hide logs an unexpected failure and lets only its kind into the history.
func hide(ctx context.Context, err error) error {
	for _, ended := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, ended) {
			return ended // without what is wrapped around it: a driver may name its address there
		}
	}
	info := activity.GetInfo(ctx)
	slog.WarnContext(ctx, "activity failed; it will be tried again if it may be",
		"activity", info.ActivityType.Name, "workflow_id", info.WorkflowExecution.ID,
		"run_id", info.WorkflowExecution.RunID, "attempt", info.Attempt, "error", err)
	return errors.New("the step failed; the worker's log says why")
}
