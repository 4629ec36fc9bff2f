package verification

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/verification"
)

func (a *API) GetVerification(ctx context.Context, req *httpapi.ByID) (Verification, error) {
	run, err := a.Verifications.Verification(ctx, req.ID)
	if err != nil {
		return Verification{}, err
	}
	return a.wholeVerification(ctx, run)
}

func (a *API) ListVerifications(ctx context.Context, req *httpapi.PageQuery) (Verifications, error) {
	runs, total, err := a.Verifications.Verifications(ctx, req.Limit, req.Offset)
	if err != nil {
		return Verifications{}, err
	}
	shots, err := a.Verifications.Screenshots(ctx, httpapi.Map(runs, func(run verification.Run) string { return run.ID })...)
	byRun := map[string][]verification.Shot{}
	for _, shot := range shots {
		byRun[shot.RunID] = append(byRun[shot.RunID], shot)
	}
	return Verifications{httpapi.Map(runs, func(run verification.Run) VerificationBrief {
		return briefVerification(run, byRun[run.ID], checksSoFar(run, byRun[run.ID]))
	}), req.Of(total)}, err
}

func (a *API) wholeVerification(ctx context.Context, run verification.Run) (Verification, error) {
	shots, err := a.Verifications.Screenshots(ctx, run.ID)
	if err != nil {
		return Verification{}, err
	}
	checks := checksSoFar(run, shots)
	shown := Verification{
		VerificationBrief: briefVerification(run, shots, checks), Prompt: run.Prompt, Criteria: []verification.Criterion{},
		CanApprove: httpapi.CallerOf(ctx).Role == account.Founder && run.Stage == verification.Ended && firstPicture(shots) != "",
	}
	shown.TestResults = TestResults{
		SuccessRate:     verification.SuccessRate(shown.Passed, shown.Failed),
		FrameworkStatus: verification.FrameworkStatus(run.ChecksVerdict), Checks: checks,
	}
	if c := run.Comment; c != nil {
		shown.AIAnalysis, shown.Analyst, shown.BuiltIn, shown.Doubts, shown.Trouble = c.Text, c.By, c.BuiltIn, c.Doubts, c.Trouble
		shown.Criteria = append(shown.Criteria, c.Criteria...)
	}
	shown.Shots, err = a.showScreenshots(ctx, shots)
	return shown, err
}

func briefVerification(run verification.Run, shots []verification.Shot, checks []verification.Check) VerificationBrief {
	shown := VerificationBrief{
		RunRef: httpapi.RunOf(run.WorkflowID, run.RunID), ID: run.ID, URL: run.URL, Path: run.Path, RequestedBy: string(run.RequestedBy),
		Stage: string(run.Stage), Done: stepsDone(run, len(shots)), Total: verificationSteps,
		Status: string(run.Verdict), Checked: string(run.ChecksVerdict), Reason: run.Reason, Code: run.Code,
		Thumbnail: firstPicture(shots), RequestedAt: run.RequestedAt, EndedAt: run.EndedAt,
	}
	for _, check := range checks {
		switch check.State {
		case verification.Pass:
			shown.Passed++
		case verification.Fail:
			shown.Failed++
		case verification.Skip:
		}
	}
	return shown
}

// The steps of a run: check the endpoints, capture each view, compare, review, and conclude.
var (
	captureSteps      = 1 + len(verification.Views())
	verificationSteps = captureSteps + 3
)

func stepsDone(run verification.Run, shots int) int {
	switch run.Stage {
	case verification.Capturing: // the endpoints are checked concurrently, and their results stored at the end
		return min(shots, captureSteps-1)
	case verification.Comparing:
		return captureSteps
	case verification.Reviewing:
		if run.Comment != nil {
			return captureSteps + 2
		}
		return captureSteps + 1
	case verification.Ended:
		return verificationSteps
	case verification.Requested:
	}
	return 0
}

// checksSoFar returns the checks of a run. For a running one it derives them from the screenshots; the baseline check
// follows once they are compared.
func checksSoFar(run verification.Run, shots []verification.Shot) []verification.Check {
	checks := []verification.Check{}
	if run.Stage == verification.Ended {
		return append(checks, run.Checks...)
	}
	for _, shot := range shots {
		compared := run.Stage == verification.Reviewing || shot.BaselineID != nil
		for _, check := range verification.ShotChecks(shot) {
			if check.Kind != verification.CheckBaseline || compared {
				checks = append(checks, check)
			}
		}
	}
	return checks
}
