package verification

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func (a *API) ApproveBaseline(ctx context.Context, req *httpapi.ChangeByID[Approval]) (Verification, error) {
	reason := strings.TrimSpace(req.Body.Reason)
	if reason == "" {
		return Verification{}, &problem.Error{
			Code: problem.Invalid, Message: "Give a reason why the page should look like this.",
			Details: []problem.Detail{{Field: "body.reason", Reason: "must not be empty"}},
		}
	}
	run, err := a.Verifications.Verification(ctx, req.ID)
	if err != nil {
		return Verification{}, err
	}
	if run.Stage != verification.Ended {
		return Verification{}, problem.New(problem.Conflict, "This run hasn't ended yet. Approve its screenshots once it has.")
	}
	shots, err := a.Verifications.Screenshots(ctx, run.ID)
	if err != nil {
		return Verification{}, err
	}
	chosen, err := chosenScreenshots(shots, req.Body.Views)
	if err != nil {
		return Verification{}, err
	}
	if err := a.approveScreenshots(ctx, run, chosen, reason); err != nil {
		return Verification{}, err
	}
	return a.wholeVerification(ctx, run)
}

func (a *API) approveScreenshots(ctx context.Context, run verification.Run, chosen []verification.Shot, reason string) error {
	baselines, names := make([]verification.Baseline, len(chosen)), make([]string, len(chosen))
	for i, shot := range chosen {
		current := verification.BaselineKey(run.Path, shot.Theme, shot.Viewport)
		baselines[i] = verification.Baseline{
			ID: xid.New().String(), Path: run.Path, Theme: shot.Theme, Viewport: shot.Viewport, CurrentKey: &current,
			ImageHash: shot.ImageHash, Width: shot.Facts.Width, Height: shot.Facts.Height, Masks: shot.Facts.Masks,
			RunID: run.ID, Reason: reason, ApprovedBy: httpapi.CallerOf(ctx).Name(), ApprovedAt: a.Now(),
		}
		names[i] = verification.ViewName(shot.Theme, shot.Viewport)
	}
	return httpapi.Audited(ctx, a.Audits, a.Now(), audit.ApproveBaseline, func(ctx context.Context) (string, error) {
		detail := fmt.Sprintf("Screenshots of %s in run %s (%s): %s", run.Path, run.ID, strings.Join(names, ", "), reason)
		return detail, a.Verifications.ApproveBaselines(ctx, baselines)
	})
}

// chosenScreenshots returns the screenshots of the given views, or all of them if views is empty. A view without a
// screenshot cannot be approved.
func chosenScreenshots(shots []verification.Shot, views []ApprovedView) ([]verification.Shot, error) {
	captured := slices.DeleteFunc(slices.Clone(shots), func(s verification.Shot) bool { return s.ImageHash == "" || s.Facts == nil })
	if len(captured) == 0 {
		return nil, problem.New(problem.Conflict, "This run has no screenshots, so nothing can be approved.")
	}
	if len(views) == 0 {
		return captured, nil
	}
	var missing []problem.Detail
	for i, view := range views {
		if !slices.ContainsFunc(captured, view.is) {
			missing = append(missing, problem.Detail{Field: fmt.Sprintf("body.views[%d]", i), Reason: "has no screenshot in this run"})
		}
	}
	if missing != nil {
		return nil, &problem.Error{Code: problem.Conflict, Message: "Some views have no screenshot, so nothing was approved. See `details`.", Details: missing}
	}
	return slices.DeleteFunc(captured, func(s verification.Shot) bool {
		return !slices.ContainsFunc(views, func(v ApprovedView) bool { return v.is(s) })
	}), nil
}

func (v ApprovedView) is(s verification.Shot) bool {
	return v.Theme == string(s.Theme) && v.Viewport == s.Viewport
}

func (a *API) ListBaselines(ctx context.Context, req *listBaselinesRequest) (Baselines, error) {
	found, total, err := a.Verifications.Baselines(ctx, req.Path, req.Limit, req.Offset)
	return Baselines{httpapi.Map(found, showBaseline), req.Of(total)}, err
}

func showBaseline(b verification.Baseline) Baseline {
	return Baseline{
		ID: b.ID, Path: b.Path, Theme: string(b.Theme), Viewport: b.Viewport, Current: b.CurrentKey != nil, ImageHash: httpapi.PicturePath(b.ImageHash),
		RunID: b.RunID, Reason: b.Reason, ApprovedBy: b.ApprovedBy, ApprovedAt: b.ApprovedAt,
	}
}

const agreementFormula = "Chaos runs take screenshots of the chaos target before a fault, during it and after the repair, so the correct " +
	"AI review of each is known. A screenshot counts if the same checks failed, or none, before and after it and the review has an opinion. " +
	"The review agrees if it calls a target healthy whose checks all passed, or broken one with a failed check. The share is the agreeing " +
	"reviews divided by the counted ones; healthy and broken targets are counted separately, because most screenshots show a healthy one. Reviews without an opinion are listed as unclear."

func (a *API) GetAgreement(ctx context.Context, _ *struct{}) (Agreements, error) {
	all, err := a.Verifications.Agreements(ctx)
	return Agreements{agreementFormula, httpapi.Map(all, showAgreement)}, err
}

func showAgreement(a verification.Agreement) Agreement {
	shown := Agreement{
		Analyst: a.By, Compared: a.Compared, Agreed: a.Agreed, Healthy: a.Healthy, Broken: a.Compared - a.Healthy, FalseAlarms: a.FalseAlarms, Overlooked: a.Overlooked, Unclear: a.Unclear,
	}
	if a.Compared > 0 {
		shown.Share = new(float64(a.Agreed) / float64(a.Compared))
	}
	return shown
}
