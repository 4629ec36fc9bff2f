package api_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/verification"
)

var someSites = []string{"http://example.com", "https://docs.example.com"}

const frontPage = "http://example.com/"

func (w *world) opensPictures(t *testing.T) {
	t.Helper()
	pictures, err := blob.Open(t.TempDir())
	require.NoError(t, err)
	w.pictures = pictures
}

func (r *runs) Verify(_ context.Context, id string) (string, error) {
	if r.down {
		return "", errors.New("dial tcp 10.0.0.3: connection refused")
	}
	return "run-" + id, r.note("verify " + id)
}

func (r *runs) AwaitVerification(ctx context.Context, id, _ string) error {
	until, _ := ctx.Deadline()
	r.mu.Lock()
	r.patient = time.Until(until)
	r.mu.Unlock()
	if r.look == nil {
		return context.DeadlineExceeded
	}
	r.look(id)
	return nil
}

// verifyFrom asks for a look from a network.
func (w *world) verifyFrom(t *testing.T, address, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodPost, path: "/api/ai-verification", body: body, key: "none", from: address})
}

func (w *world) verification(t *testing.T, id string) api.Verification {
	t.Helper()
	return read[api.Verification](t, w.do(t, call{method: http.MethodGet, path: "/api/verification/runs/" + id, key: "none"}), http.StatusOK)
}

// recordedLooks is how many runs there are.
func (w *world) recordedLooks(t *testing.T) int {
	t.Helper()
	_, total, err := w.db.Verifications.Verifications(t.Context(), 1, 0)
	require.NoError(t, err)
	return total
}

// picture keeps a file, and names it.
func (w *world) picture(t *testing.T, content string) string {
	t.Helper()
	key, err := w.pictures.Put(t.Context(), []byte(content))
	require.NoError(t, err)
	return key
}

// look is how a run went; the zero one is the schedule's, of the front page, and all is well.
type look struct {
	by              verification.Asker
	url, path       string
	prompt          string
	checked, came   verification.Verdict
	reason          string
	checks          []verification.Check
	comment         *verification.Comment
	blind           bool // no view has a picture
	withoutPictures []verification.View
}

var (
	wellChecked = []verification.Check{
		{Kind: verification.CheckEndpoint, Subject: "GET /", State: verification.Pass, Message: "It answers well."},
		{Kind: verification.CheckEndpoint, Subject: "GET /healthz", State: verification.Pass, Message: "It answers well."},
		{Kind: verification.CheckLook, Subject: "light wide", State: verification.Skip, Message: "No look is approved yet."},
	}
	oneFailed = append([]verification.Check{{
		Kind: verification.CheckAxe, Subject: "dark wide", State: verification.Fail, Message: "Axe found something.", Details: []string{"color-contrast"},
	}}, wellChecked...)
)

// asked writes a run down.
func (w *world) asked(t *testing.T, l look) verification.Run {
	t.Helper()
	id := xid.New().String()
	openKey := "of " + id
	r := verification.Run{
		ID: id, URL: cmp.Or(l.url, frontPage), Path: cmp.Or(l.path, "/"), Prompt: l.prompt, RequestedBy: cmp.Or(l.by, verification.Schedule),
		OpenKey: &openKey, Stage: verification.Requested, Checks: []verification.Check{}, RequestedAt: w.now,
	}
	require.NoError(t, w.db.Verifications.RequestVerification(t.Context(), r, ""))
	return r
}

// carried is a run that has begun to look.
func (w *world) carried(t *testing.T, l look) verification.Run {
	t.Helper()
	r := w.asked(t, l)
	_, err := w.db.Verifications.BeginVerification(t.Context(), r.ID, "verification:"+r.ID, "run-"+r.ID)
	require.NoError(t, err)
	w.move(t, r.ID, verification.Looking)
	return r
}

func (w *world) move(t *testing.T, id string, stage verification.Stage) {
	t.Helper()
	require.NoError(t, w.db.Verifications.MoveVerification(t.Context(), id, stage))
}

// seen is a view of a run; without a picture it could not be seen.
func (w *world) seen(t *testing.T, id string, view verification.View, picture string) verification.Shot {
	t.Helper()
	shot := verification.Shot{RunID: id, Theme: view.Theme, Viewport: view.Viewport.Name, TakenAt: w.now}
	if picture == "" {
		shot.Error, shot.Code = "The page took more than 15 s.", "page_slow"
	} else {
		shot.Picture = w.picture(t, picture)
		shot.Facts = &verification.Facts{
			Status: 200, Title: "Customer Zero", Landmarks: verification.Landmarks, Headings: 1, Axe: []verification.Violation{},
			Masks: []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}, Width: view.Viewport.Width, Height: 2000, Cut: true,
			Notes: []string{"A dialog was closed."}, Requests: 7, Bytes: 12345, LoadMS: 321, Browser: "Chromium 156.0.8078.79",
		}
	}
	require.NoError(t, w.db.Verifications.SaveShot(t.Context(), shot))
	return shot
}

// verified is a run that has ended, and was seen in every view.
func (w *world) verified(t *testing.T, l look) string {
	t.Helper()
	r := w.carried(t, l)
	w.ends(t, r.ID, l)
	return r.ID
}

// ends lets a run end as it went.
func (w *world) ends(t *testing.T, id string, l look) {
	t.Helper()
	for _, view := range verification.Views() {
		picture := "picture " + verification.ViewName(view.Theme, view.Viewport.Name)
		if l.blind || slices.Contains(l.withoutPictures, view) {
			picture = ""
		}
		w.seen(t, id, view, picture)
	}
	if l.comment != nil {
		require.NoError(t, w.db.Verifications.CommentVerification(t.Context(), id, *l.comment, nil))
	}
	o := verification.Outcome{
		Checked: cmp.Or(l.checked, verification.Active), Reason: cmp.Or(l.reason, "Every check passed."), Checks: l.checks,
	}
	o.Verdict = cmp.Or(l.came, o.Checked)
	if o.Checks == nil {
		o.Checks = wellChecked
		if o.Checked != verification.Active {
			o.Checks = oneFailed
		}
	}
	_, err := w.db.Verifications.EndVerification(t.Context(), id, o, l.url == "", w.now)
	require.NoError(t, err)
}

// endLooks ends what somebody waits for, well.
func (w *world) endLooks(t *testing.T) {
	t.Helper()
	w.runs.look = func(id string) { w.ends(t, id, look{}) }
}
