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
	seen := map[string][]verification.Shot{}
	for _, shot := range shots {
		seen[shot.RunID] = append(seen[shot.RunID], shot)
	}
	return Verifications{httpapi.Map(runs, func(run verification.Run) VerificationBrief {
		return briefVerification(run, seen[run.ID], checksSoFar(run, seen[run.ID]))
	}), req.Of(total)}, err
}

// wholeVerification puts together what is known of a run so far.
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

// A run asks the endpoints, opens the page in each view, compares, is commented on, and concludes.
var (
	stepsSeen         = 1 + len(verification.Views())
	verificationSteps = stepsSeen + 3
)

// stepsDone says how far a run is, by what is written down of it.
func stepsDone(run verification.Run, shots int) int {
	switch run.Stage {
	case verification.Capturing: // endpoints are asked meanwhile; what they say is not written down before the end
		return min(shots, stepsSeen-1)
	case verification.Comparing:
		return stepsSeen
	case verification.Reviewing:
		if run.Comment != nil {
			return stepsSeen + 2
		}
		return stepsSeen + 1
	case verification.Ended:
		return verificationSteps
	case verification.Requested:
	}
	return 0
}

// checksSoFar are the checks of a run; of one under way, those that its views allow already.
// Whether a look is the approved one is not said before it was compared.
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
