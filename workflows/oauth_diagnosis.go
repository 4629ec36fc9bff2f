package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var diagnosisActivities *activities.OAuthDiagnosis // nil: only names activities

// OAuthDiagnosisInput identifies a stored diagnosis. It tests the keys that its row names, or the
// current ones.
type OAuthDiagnosisInput = activities.DiagnosisRef

// OAuthDiagnosisResult reports whether users can log in with X, or which step failed.
type OAuthDiagnosisResult = activities.StepResult

// OAuthDiagnosisID is the workflow ID of a diagnosis.
func OAuthDiagnosisID(id string) string { return "oauth-diagnosis:" + id }

// OAuthDiagnosis runs the steps of a login with X one by one until one fails. Findings are stored in the
// database and contain lengths of secrets only.
func OAuthDiagnosis(ctx workflow.Context, in OAuthDiagnosisInput) (OAuthDiagnosisResult, error) {
	if _, err := runLocal(ctx, diagnosisActivities.BeginDiagnosis, in); err != nil {
		return OAuthDiagnosisResult{}, err
	}
	result, err := diagnose(ctx, in)
	ending, _ := workflow.NewDisconnectedContext(ctx) // pages wait for the end in any case
	if _, notEnded := runLocal(ending, diagnosisActivities.EndDiagnosis, in); err == nil {
		err = notEnded
	}
	return result, err
}

// diagnose stops at the first step that fails, because later steps would fail for the same reason.
func diagnose(ctx workflow.Context, in OAuthDiagnosisInput) (OAuthDiagnosisResult, error) {
	found, err := runLocal(ctx, diagnosisActivities.CheckEnvironment, in)
	if err == nil && found.OK {
		found, err = runLocal(ctx, diagnosisActivities.CheckSignature, in)
	}
	if err == nil && found.OK {
		found, err = call(remote(ctx, xTimeout, 3*xTimeout), diagnosisActivities.CheckRequestToken, in)
	}
	if err == nil && found.OK {
		found, err = call(remote(ctx, xTimeout, 3*xTimeout), diagnosisActivities.CheckAccount, in)
	}
	return found, err
}
