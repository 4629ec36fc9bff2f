package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// ReconcilePaymentsID names the schedule and, with a time, its runs.
const ReconcilePaymentsID = "reconcile-payments"

// ReconcilePayments looks for payments whose webhook never came.
func ReconcilePayments(ctx workflow.Context) (activities.ReconcilePaymentsResult, error) {
	return call(remote(ctx, time.Minute, 5*time.Minute), till.ReconcilePayments, activities.ReconcilePaymentsInput{})
}
