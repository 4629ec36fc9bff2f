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
			Code: problem.Invalid, Message: "Say why the page should look like this.",
			Details: []problem.Detail{{Field: "body.reason", Reason: "it is empty"}},
		}
	}
	run, err := a.Verifications.Verification(ctx, req.ID)
	if err != nil {
		return Verification{}, err
	}
	if run.Stage != verification.Ended {
		return Verification{}, problem.New(problem.Conflict, "This run has not ended yet. Its look can be approved when it has.")
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

// approveScreenshots makes looks of views, and notes it for other founders to read.
func (a *API) approveScreenshots(ctx context.Context, run verification.Run, chosen []verification.Shot, reason string) error {
	looks, names := make([]verification.Baseline, len(chosen)), make([]string, len(chosen))
	for i, shot := range chosen {
		current := verification.BaselineKey(run.Path, shot.Theme, shot.Viewport)
		looks[i] = verification.Baseline{
			ID: xid.New().String(), Path: run.Path, Theme: shot.Theme, Viewport: shot.Viewport, CurrentKey: &current,
			ImageHash: shot.ImageHash, Width: shot.Facts.Width, Height: shot.Facts.Height, Masks: shot.Facts.Masks,
			RunID: run.ID, Reason: reason, ApprovedBy: httpapi.CallerOf(ctx).Name(), ApprovedAt: a.Now(),
		}
		names[i] = verification.ViewName(shot.Theme, shot.Viewport)
	}
	return httpapi.Audited(ctx, a.Audits, a.Now(), audit.ApproveBaseline, func(ctx context.Context) (string, error) {
		detail := fmt.Sprintf("The look of %s in run %s (%s): %s", run.Path, run.ID, strings.Join(names, ", "), reason)
		return detail, a.Verifications.ApproveBaselines(ctx, looks)
	})
}

// chosenScreenshots are the views that are asked for; without a word every one that has a picture.
// One that has none cannot be approved.
func chosenScreenshots(shots []verification.Shot, views []ApprovedView) ([]verification.Shot, error) {
	pictured := slices.DeleteFunc(slices.Clone(shots), func(s verification.Shot) bool { return s.ImageHash == "" || s.Facts == nil })
	if len(pictured) == 0 {
		return nil, problem.New(problem.Conflict, "There is no picture in this run, so there is no look to approve.")
	}
	if len(views) == 0 {
		return pictured, nil
	}
	var missing []problem.Detail
	for i, view := range views {
		if !slices.ContainsFunc(pictured, view.is) {
			missing = append(missing, problem.Detail{Field: fmt.Sprintf("body.views[%d]", i), Reason: "there is no picture of it in this run"})
		}
	}
	if missing != nil {
		return nil, &problem.Error{Code: problem.Conflict, Message: "Not every view that is to be approved has a picture: see details.", Details: missing}
	}
	return slices.DeleteFunc(pictured, func(s verification.Shot) bool {
		return !slices.ContainsFunc(views, func(v ApprovedView) bool { return v.is(s) })
	}), nil
}

func (v ApprovedView) is(s verification.Shot) bool {
	return v.Theme == string(s.Theme) && v.Viewport == s.Viewport
}

func (a *API) ListBaselines(ctx context.Context, req *listBaselinesRequest) (Baselines, error) {
	looks, total, err := a.Verifications.Baselines(ctx, req.Path, req.Limit, req.Offset)
	return Baselines{httpapi.Map(looks, showBaseline), req.Of(total)}, err
}

func showBaseline(b verification.Baseline) Baseline {
	return Baseline{
		ID: b.ID, Path: b.Path, Theme: string(b.Theme), Viewport: b.Viewport, Current: b.CurrentKey != nil, ImageHash: httpapi.PicturePath(b.ImageHash),
		RunID: b.RunID, Reason: b.Reason, ApprovedBy: b.ApprovedBy, ApprovedAt: b.ApprovedAt,
	}
}

// agreementFormula says in words what is counted.
const agreementFormula = "Chaos runs photograph the chaos target before it is broken on purpose, while it is, and when it is healed, " +
	"so it is known whether what a comment says of a picture is right. A picture counts when the probe before it and the one after it " +
	"saw the same, and the comment has an opinion. They agree when a chaos target whose checks all passed was said to look well, or one with " +
	"a check that failed was said to look broken. The share is those that agree of those that count; without an opinion a picture " +
	"is only listed as unclear."

func (a *API) GetAgreement(ctx context.Context, _ *struct{}) (Agreements, error) {
	all, err := a.Verifications.Agreements(ctx)
	return Agreements{agreementFormula, httpapi.Map(all, showAgreement)}, err
}

func showAgreement(a verification.Agreement) Agreement {
	shown := Agreement{
		Analyst: a.By, Compared: a.Compared, Agreed: a.Agreed, FalseAlarms: a.FalseAlarms, Overlooked: a.Overlooked, Unclear: a.Unclear,
	}
	if a.Compared > 0 {
		shown.Share = new(float64(a.Agreed) / float64(a.Compared))
	}
	return shown
}
