package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var canaryActivities *activities.Canary // nil: only names activities

// Canary ends when a worker took it and reached the database: proof that flows can run.
func Canary(ctx workflow.Context) error {
	_, err := runLocal(ctx, canaryActivities.RunCanary, activities.RunCanaryInput{})
	return err
}
