package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// EngagementID names the schedule and, with a time, its runs.
const EngagementID = "engagement"

var reader *activities.Engagement // nil: only names activities

// Engagement reads how recent posts were received, inside the month's read budget.
func Engagement(ctx workflow.Context) (activities.ReadEngagementResult, error) {
	return call(remote(ctx, time.Minute, 10*time.Minute), reader.ReadEngagement, activities.ReadEngagementInput{})
}
