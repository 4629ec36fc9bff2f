package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/bot"
)

var credentialActivities *activities.Credentials // nil: only names activities

// CredentialsInput identifies submitted tokens, which are stored encrypted in the database.
type CredentialsInput = activities.ConnectionRef

// CredentialsResult reports whether the tokens are in use.
type CredentialsResult = activities.ConnectionState

// CredentialsID is the workflow ID of an attempt to connect the bot.
func CredentialsID(connectionID string) string { return "credentials:" + connectionID }

// Credentials verifies tokens with X and makes them the bot's connection. Posts that waited for a
// connection resume.
func Credentials(ctx workflow.Context, in CredentialsInput) (CredentialsResult, error) {
	if in.Interrupted {
		return runLocal(ctx, credentialActivities.GiveUpConnection, in)
	}
	// A founder waits, and their request ends after a minute.
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

// ProviderKeysInput identifies submitted keys of the app at X, which are stored encrypted in the
// database.
type ProviderKeysInput = activities.ProviderKeysRef

// ProviderKeysResult reports whether the keys are in use.
type ProviderKeysResult = activities.ProviderKeysState

// UpdateDecide waits until the keys are accepted or rejected.
const UpdateDecide = "decide"

// ProviderKeysID is the workflow ID of a change of the app's keys.
func ProviderKeysID(id string) string { return "provider-keys:" + id }

// ProviderKeys tests new keys of the app with the diagnostic before they replace the current ones, and
// deletes the replaced ones a day later.
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

// decide runs the diagnostic on the keys, as a child run that founders can open.
func decide(ctx workflow.Context, in ProviderKeysInput) (ProviderKeysResult, error) {
	if in.Interrupted {
		return runLocal(ctx, credentialActivities.DecideKeys, activities.DecideKeysInput{ProviderKeyID: in.ProviderKeyID, Code: "interrupted"})
	}
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
