// Package workflows holds the Temporal workflows, one file per workflow.
//
// Code here is replayed. It may not read the clock, sleep, do I/O or range over a map
// (use workflow.Now, workflow.Sleep, an activity, workflow.DeterministicKeys), and it
// may not block in a defer: deferred code also runs when a worker evicts the workflow from
// its cache. make lint and TestReplay check this.
//
// A change that reorders commands needs workflow.GetVersion and a newly recorded
// history in testdata/histories.
package workflows

import (
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// Register adds every workflow to a worker, or to a replayer.
func Register(r worker.WorkflowRegistry) {
	for _, flow := range []any{
		Post, Engagement, Canary, Email, XLogin, OAuthDiagnosis, Credentials, ProviderKeys, Checkout, Refund,
		PaymentReconciliation, RecurringPost, Generation, ChaosRun, ChaosSweep, SelfHeal, GameDay, HistoryCheck,
		Verification, VerificationCleanup, ChaosScreenshots, Experiment, AccountDeletion,
	} {
		r.RegisterWorkflow(flow)
	}
}

// Search attributes find runs in Temporal's UI: Flow="post" AND PostStatus="failed".
var (
	Flow       = temporal.NewSearchAttributeKeyKeyword("Flow")
	PostStatus = temporal.NewSearchAttributeKeyKeyword("PostStatus")
	MemberID   = temporal.NewSearchAttributeKeyKeyword("MemberID")
)

// SearchAttributes lists the attributes that the namespace must have.
func SearchAttributes() map[string]enums.IndexedValueType {
	return map[string]enums.IndexedValueType{
		Flow.GetName():       Flow.GetValueType(),
		PostStatus.GetName(): PostStatus.GetValueType(),
		MemberID.GetName():   MemberID.GetValueType(),
	}
}

// FlowOf returns the search attribute of a run or a schedule, whose ID starts with its workflow.
func FlowOf(id string) temporal.SearchAttributes {
	flow, _, _ := strings.Cut(id, ":")
	return temporal.NewSearchAttributes(Flow.ValueSet(flow))
}

var canaryActivities *activities.Canary // nil: only names activities

// Canary ends when a worker has run it and reached the database: proof that workflows can run.
func Canary(ctx workflow.Context) error {
	_, err := runLocal(ctx, canaryActivities.RunCanary, activities.NoInput{})
	return err
}
