package verification

import (
	"context"
	"net/http"
	"regexp"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

var pictureName = regexp.MustCompile(`^([0-9a-f]{64})\.png$`)

func (a *API) GetPicture(ctx context.Context, req *pictureRequest) (*httpapi.FileReply, error) {
	name := pictureName.FindStringSubmatch(req.Name)
	if name == nil {
		return nil, problem.New(problem.NotFound, "There is no such picture.")
	}
	png, err := a.Pictures.Get(ctx, name[1])
	if err != nil {
		return nil, err
	}
	shown := &httpapi.FileReply{Status: http.StatusOK, ContentType: "image/png", ETag: `"` + name[1] + `"`, CacheControl: httpapi.KeepFor(ctx, "public, max-age=31536000, immutable")}
	if httpapi.Matches(req.IfNoneMatch, shown.ETag) {
		shown.Status = http.StatusNotModified
		return shown, nil
	}
	shown.Body = png
	return shown, nil
}

func (a *API) showScreenshots(ctx context.Context, shots []verification.Shot) ([]VerificationShot, error) {
	baselines, err := a.baselinesOf(ctx, shots)
	return httpapi.Map(shots, func(shot verification.Shot) VerificationShot {
		shown := showScreenshot(shot)
		if b, found := baselines[httpapi.Deref(shot.BaselineID)]; found {
			shown.Approved, shown.ApprovedBy, shown.ApprovedAt = httpapi.PicturePath(b.ImageHash), b.ApprovedBy, &b.ApprovedAt
		}
		return shown
	}), err
}

func (a *API) baselinesOf(ctx context.Context, shots []verification.Shot) (map[string]verification.Baseline, error) {
	var ids []string
	for _, shot := range shots {
		if shot.BaselineID != nil {
			ids = append(ids, *shot.BaselineID)
		}
	}
	baselines := map[string]verification.Baseline{}
	if len(ids) == 0 {
		return baselines, nil
	}
	found, err := a.Verifications.BaselinesNamed(ctx, ids)
	for _, b := range found {
		baselines[b.ID] = b
	}
	return baselines, err
}

func showScreenshot(shot verification.Shot) VerificationShot {
	shown := VerificationShot{
		Theme: string(shot.Theme), Viewport: shot.Viewport, Picture: httpapi.PicturePath(shot.ImageHash), Error: shot.Error,
		Notes: []string{}, Diff: httpapi.PicturePath(shot.DiffHash), Changed: shot.ChangedShare, TakenAt: shot.TakenAt,
	}
	if f := shot.Facts; f != nil {
		shown.Width, shown.Height, shown.Cut, shown.Title = f.Width, f.Height, f.Cut, f.Title
		shown.LoadMS, shown.Requests, shown.Bytes, shown.Browser = f.LoadMS, f.Requests, f.Bytes, f.Browser
		shown.Notes = append(shown.Notes, f.Notes...)
	}
	return shown
}

func firstPicture(shots []verification.Shot) string {
	for _, shot := range shots {
		if shot.ImageHash != "" {
			return httpapi.PicturePath(shot.ImageHash)
		}
	}
	return ""
}
