package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var diagnosisActivities *activities.OAuthDiagnosis // nil: only names activities

// OAuthDiagnosisInput names a diagnosis whose row is written. With keys of its own it tries
// those, else the ones in use.
type OAuthDiagnosisInput = activities.DiagnosisRef

// OAuthDiagnosisResult says whether people can log in with X, and else what stands in the way.
type OAuthDiagnosisResult = activities.StepResult

// OAuthDiagnosisID is the workflow ID of a diagnosis.
func OAuthDiagnosisID(id string) string { return "oauth-diagnosis:" + id }

// OAuthDiagnosis takes the steps of a login with X one by one, and says what is wrong
// where it ends. What it finds lies in the database: secrets are measured, never shown.
func OAuthDiagnosis(ctx workflow.Context, in OAuthDiagnosisInput) (OAuthDiagnosisResult, error) {
	if _, err := runLocal(ctx, diagnosisActivities.BeginDiagnosis, in); err != nil {
		return OAuthDiagnosisResult{}, err
	}
	result, err := diagnose(ctx, in)
	ending, _ := workflow.NewDisconnectedContext(ctx) // whatever came of it: pages wait for the end
	if _, notEnded := runLocal(ending, diagnosisActivities.EndDiagnosis, in); err == nil {
		err = notEnded
	}
	return result, err
}

// diagnose stops at the first step that fails: what comes after it would fail for the same
// reason.
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
