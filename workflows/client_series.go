package workflows

import (
	"context"
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/recurring"
)

// KeepSeries makes the schedule of a series as its row says: there while it is active, paused
// with it, gone when it has ended. Safe to repeat.
func (c *Client) KeepSeries(ctx context.Context, r recurring.Series) error {
	if r.State == recurring.Ended {
		return c.dropSeries(ctx, r.ID)
	}
	spec := seriesSpec(r)
	paused := r.State == recurring.Paused
	_, err := c.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: SeriesID(r.ID), Spec: spec, Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, Paused: paused,
		Action: &client.ScheduleWorkflowAction{
			ID: SeriesID(r.ID), Workflow: Series, Args: []any{SeriesInput{SeriesID: r.ID}},
			TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("series"),
		},
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return asProblem(err)
	}
	return asProblem(c.Temporal.ScheduleClient().GetHandle(ctx, SeriesID(r.ID)).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(known client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			known.Description.Schedule.Spec = &spec
			known.Description.Schedule.State.Paused = paused
			return &client.ScheduleUpdate{Schedule: &known.Description.Schedule}, nil
		},
	}))
}

// seriesSpec is one calendar for each time of the week. Temporal leaves out a time that the
// clocks skip; what is due then is planned by the starter's sweep.
func seriesSpec(r recurring.Series) client.ScheduleSpec {
	spec := client.ScheduleSpec{TimeZoneName: r.Timezone}
	for _, t := range r.Weekly {
		hour, minute := t.Minute/60, t.Minute%60
		spec.Calendars = append(spec.Calendars, client.ScheduleCalendarSpec{
			Minute: []client.ScheduleRange{{Start: minute}}, Hour: []client.ScheduleRange{{Start: hour}},
			DayOfWeek: []client.ScheduleRange{{Start: t.Weekday % 7}}, // Sunday is 0
		})
	}
	if r.EndsAt != nil {
		spec.EndAt = *r.EndsAt
	}
	return spec
}

func (c *Client) dropSeries(ctx context.Context, id string) error {
	err := c.Temporal.ScheduleClient().GetHandle(ctx, SeriesID(id)).Delete(ctx)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return asProblem(err)
}

// PlanSeries looks at a series now, beside what its schedule does.
func (c *Client) PlanSeries(ctx context.Context, id string) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: SeriesID(id), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("series"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, Series, SeriesInput{SeriesID: id})
	return asProblem(err)
}
