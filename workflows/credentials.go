package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/bot"
)

var credentialActivities *activities.Credentials // nil: only names activities

// CredentialsInput names tokens that somebody has sent. They lie sealed in the database.
type CredentialsInput = activities.ConnectionRef

// CredentialsResult says whether the bot posts with them now.
type CredentialsResult = activities.ConnectionState

// CredentialsID is the workflow ID of an attempt to connect the bot.
func CredentialsID(connectionID string) string { return "credentials:" + connectionID }

// Credentials asks X whose tokens these are, and makes them the ones that the bot posts
// with. Posts that waited for that go on.
func Credentials(ctx workflow.Context, in CredentialsInput) (CredentialsResult, error) {
	// Somebody waits, and their request ends after a minute.
	state, err := call(remote(ctx, xTimeout, 2*xTimeout), credentialActivities.TryConnection, in)
	if err != nil {
		state, err = runLocal(ctx, credentialActivities.GiveUpConnection, in)
	}
	if err != nil || state.State != bot.Current {
		return state, err
	}
	_, err = call(remote(ctx, xTimeout, wakePatience), credentialActivities.WakePosts, activities.NoInput{})
	return state, err
}

// ProviderKeysInput names keys of the app at X that a founder has sent. They lie sealed in
// the database.
type ProviderKeysInput = activities.ProviderKeysRef

// ProviderKeysResult says whether the product uses them, or did.
type ProviderKeysResult = activities.ProviderKeysState

// UpdateDecide waits until it is decided whether the keys are used.
const UpdateDecide = "decide"

// ProviderKeysID is the workflow ID of a change of the app's keys.
func ProviderKeysID(id string) string { return "provider-keys:" + id }

// ProviderKeys lets the diagnostic try new keys of the app before they replace the old
// ones, and drops the old ones a day later.
func ProviderKeys(ctx workflow.Context, in ProviderKeysInput) (ProviderKeysResult, error) {
	var decided ProviderKeysResult
	err := workflow.SetUpdateHandler(ctx, UpdateDecide, func(ctx workflow.Context) (ProviderKeysResult, error) {
		err := workflow.Await(ctx, func() bool { return decided.State != "" })
		return decided, err
	})
	if err != nil {
		return ProviderKeysResult{}, err
	}
	if decided, err = decide(ctx, in); err != nil {
		return ProviderKeysResult{}, err
	}
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
		return ProviderKeysResult{}, err
	}
	if decided.State == bot.KeysCurrent {
		if err := workflow.Sleep(ctx, bot.KeepPrevious); err != nil {
			return ProviderKeysResult{}, err
		}
		_, err = runLocal(ctx, credentialActivities.DropKeys, activities.NoInput{})
	}
	return decided, err
}

// decide runs the diagnostic on the keys, as a run of its own that founders can open.
func decide(ctx workflow.Context, in ProviderKeysInput) (ProviderKeysResult, error) {
	opened, err := runLocal(ctx, credentialActivities.OpenDiagnosis, in)
	if err != nil {
		return ProviderKeysResult{}, err
	}
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: OAuthDiagnosisID(opened.DiagnosisID), TypedSearchAttributes: FlowOf(OAuthDiagnosisID(opened.DiagnosisID)),
	})
	var found OAuthDiagnosisResult
	err = workflow.ExecuteChildWorkflow(child, OAuthDiagnosis, OAuthDiagnosisInput(opened)).Get(ctx, &found)
	if err != nil {
		found = OAuthDiagnosisResult{Code: "diagnosis_failed"}
	}
	return runLocal(ctx, credentialActivities.DecideKeys, activities.DecideKeysInput{ProviderKeyID: in.ProviderKeyID, OK: found.OK, Code: found.Code})
}
