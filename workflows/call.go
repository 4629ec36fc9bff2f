package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"
)

// call runs an activity and waits for it. The compiler checks in and out, which
// workflow.ExecuteActivity, taking any, does not.
func call[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

// ask runs an activity in the worker that runs the flow, without a round trip through
// Temporal: for steps that touch only our own database.
func ask[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	return hurry(local(ctx), activity, in)
}

// hurry runs an activity there, too, for as long as ctx says: for steps that a person waits
// for.
func hurry[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}
