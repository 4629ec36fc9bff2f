package verification

import (
	"context"
	"net/http"
	"path"
	"regexp"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

var pictureName = regexp.MustCompile(`^([0-9a-f]{64})\.png$`)

// pictureKey is the sha256 in a path of httpapi.PicturePath.
func pictureKey(of string) string { return strings.TrimSuffix(path.Base(of), ".png") }

func (a *API) GetPicture(ctx context.Context, req *pictureRequest) (*pictureReply, error) {
	name := pictureName.FindStringSubmatch(req.Name)
	if name == nil {
		return nil, problem.New(problem.NotFound, "There is no such picture.")
	}
	png, err := a.Pictures.Get(ctx, name[1])
	if err != nil {
		return nil, err
	}
	shown := &pictureReply{Status: http.StatusOK, ContentType: "image/png", ETag: `"` + name[1] + `"`, CacheControl: httpapi.KeepFor(ctx, "public, max-age=31536000, immutable")}
	if httpapi.Matches(req.IfNoneMatch, shown.ETag) {
		shown.Status = http.StatusNotModified
		return shown, nil
	}
	shown.Body = png
	return shown, nil
}
