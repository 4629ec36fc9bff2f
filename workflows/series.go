package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/schedule"
)

var recurringActivities *activities.Series // nil: only names activities

// SeriesInput names a series whose row is written.
type SeriesInput struct{ SeriesID string }

// SeriesResult says what one look at a series came to.
type SeriesResult struct {
	State schedule.RecurringState
	Posts int // written, or given up
}

// SeriesID names the schedule of a series and, with a time, its runs.
func SeriesID(id string) string { return "series:" + id }

// Series gives the times of a series that have passed their turn, and writes the next post
// ahead. Each post then has a run of its own, which waits for its time.
func Series(ctx workflow.Context, in SeriesInput) (SeriesResult, error) {
	ref := activities.SeriesRef{SeriesID: in.SeriesID}
	plan, err := runLocal(ctx, recurringActivities.PlanSeries, ref)
	if err != nil {
		return SeriesResult{}, err
	}
	result := SeriesResult{State: plan.State, Posts: len(plan.PostIDs)}
	if len(plan.PostIDs) == 0 && plan.State == schedule.Active {
		return result, nil
	}
	_, err = call(remote(ctx, 10*time.Second, wakeWithin), recurringActivities.TellSeries, activities.TellSeriesInput{
		SeriesID: in.SeriesID, PostIDs: plan.PostIDs,
	})
	return result, err
}
