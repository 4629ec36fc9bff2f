package api_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	verificationapi "customerzero/api/verification"
	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

var someSites = []string{"http://example.com", "https://docs.example.com"}

const frontPage = "http://example.com/"

// verifyFrom requests a verification from a network address.
func (w *world) verifyFrom(t *testing.T, address, body string) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodPost, path: "/api/ai-verification", body: body, key: "none", from: address})
}

func (w *world) verification(t *testing.T, id string) verificationapi.Verification {
	return read[verificationapi.Verification](t, w.visits(t, "/api/verification/runs/"+id), ok)
}

// picture stores an image and returns its key.
func (w *world) picture(t *testing.T, content string) string {
	return must(w.pictures.Put(t.Context(), []byte(content)))(t)
}

// siteCheck is a verification run with its result. The zero one is a scheduled run on the front page that passes.
type siteCheck struct {
	by              verification.Requester
	url, path       string
	prompt          string
	checked, came   verification.Verdict
	reason          string
	checks          []verification.Check
	comment         *verification.Comment
	blind           bool // no view has a screenshot
	withoutPictures []verification.View
}

var (
	wellChecked = []verification.Check{
		{Kind: verification.CheckEndpoint, Subject: "GET /", State: verification.Pass, Message: "It answers well."},
		{Kind: verification.CheckEndpoint, Subject: "GET /healthz", State: verification.Pass, Message: "It answers well."},
		{Kind: verification.CheckBaseline, Subject: "light wide", State: verification.Skip, Message: "No look is approved yet."},
	}
	oneFailed = append([]verification.Check{{
		Kind: verification.CheckAxe, Subject: "dark wide", State: verification.Fail, Message: "Axe found something.", Details: []string{"color-contrast"},
	}}, wellChecked...)
)

// asked stores a requested run.
func (w *world) asked(t *testing.T, l siteCheck) verification.Run {
	id := xid.New().String()
	openKey := "of " + id
	r := verification.Run{
		ID: id, URL: cmp.Or(l.url, frontPage), Path: cmp.Or(l.path, "/"), Prompt: l.prompt, RequestedBy: cmp.Or(l.by, verification.Schedule),
		OpenKey: &openKey, Stage: verification.Requested, Checks: []verification.Check{}, RequestedAt: w.now,
	}
	require.NoError(t, w.db.Verifications.RequestVerification(t.Context(), r, account.Asker{Founder: true}))
	return r
}

// carried returns a run that is capturing.
func (w *world) carried(t *testing.T, l siteCheck) verification.Run {
	r := w.asked(t, l)
	must(w.db.Verifications.BeginVerification(t.Context(), r.ID, "verification:"+r.ID, "run-"+r.ID))(t)
	w.move(t, r.ID, verification.Capturing)
	return r
}

func (w *world) move(t *testing.T, id string, stage verification.Stage) {
	require.NoError(t, w.db.Verifications.MoveVerification(t.Context(), id, stage))
}

// seen stores a screenshot of a run; an empty picture means that it failed.
func (w *world) seen(t *testing.T, id string, view verification.View, picture string) verification.Shot {
	shot := verification.Shot{RunID: id, Theme: view.Theme, Viewport: view.Viewport.Name, TakenAt: w.now}
	if picture == "" {
		shot.Error, shot.Code = "The page took more than 15 s.", "page_slow"
	} else {
		shot.ImageHash = w.picture(t, picture)
		shot.Facts = &verification.Facts{
			Status: 200, Title: "Customer Zero", Landmarks: verification.Landmarks, Headings: 1, Axe: []verification.Violation{},
			Masks: []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}, Width: view.Viewport.Width, Height: 2000, Cut: true,
			Notes: []string{"A dialog was closed."}, Requests: 7, Bytes: 12345, LoadMS: 321, Browser: "Chromium 156.0.8078.79",
		}
	}
	require.NoError(t, w.db.Verifications.SaveScreenshot(t.Context(), shot))
	return shot
}

// verified returns the ID of a run that has ended.
func (w *world) verified(t *testing.T, l siteCheck) string {
	r := w.carried(t, l)
	w.ends(t, r.ID, l)
	return r.ID
}

// ends stores the screenshots and the outcome of a run.
func (w *world) ends(t *testing.T, id string, l siteCheck) {
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
		ChecksVerdict: cmp.Or(l.checked, verification.Active), Reason: cmp.Or(l.reason, "Every check passed."), Checks: l.checks,
	}
	o.Verdict = cmp.Or(l.came, o.ChecksVerdict)
	if o.Checks == nil {
		o.Checks = wellChecked
		if o.ChecksVerdict != verification.Active {
			o.Checks = oneFailed
		}
	}
	must(w.db.Verifications.EndVerification(t.Context(), id, o, l.url == "", w.now))(t)
}

// endVerifications makes each verification pass while its request waits.
func (w *world) endVerifications(t *testing.T) {
	w.runs.verify = func(id string) { w.ends(t, id, siteCheck{}) }
}

func TestVerifyReturnsTheResult(t *testing.T) {
	w := newWorld(t)
	comment := verification.Comment{
		By: "openai:gpt-4o-mini", Text: "The page shows a bot.", Doubts: true, Trouble: "",
		Criteria: []verification.Criterion{{Text: "Is there a button?", Verdict: verification.CriterionFail, Why: "There is none."}},
	}
	w.runs.verify = func(id string) {
		must(w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id))(t)
		w.ends(t, id, siteCheck{came: verification.Warning, reason: "The comment doubts.", comment: &comment})
	}
	answered := read[verificationapi.Verification](t, w.verifyFrom(t, "198.51.100.1", `{"url":"/?a=1#top","prompt":"  Is there a button?\n"}`), ok)
	require.Equal(t, []string{"verify " + answered.ID}, w.runs.commands)
	require.InDelta(t, 30, w.runs.patient.Seconds(), 1)
	require.Equal(t, []any{"http://example.com/?a=1", "/", "Is there a button?"}, []any{answered.URL, answered.Path, answered.Prompt})
	require.Equal(t, []string{"visitor", "ended", "warning", "active", "The comment doubts."},
		[]string{answered.RequestedBy, answered.Stage, answered.Status, answered.Checked, answered.Reason})
	require.Equal(t, []int{8, 8}, []int{answered.Done, answered.Total})
	require.Equal(t, base64.StdEncoding.EncodeToString([]byte("picture light wide")), answered.Screenshot)
	require.Equal(t, []any{comment.Text, comment.By, true, false}, []any{answered.AIAnalysis, answered.Analyst, answered.Doubts, answered.BuiltIn})
	require.Equal(t, comment.Criteria, answered.Criteria)
	require.Equal(t, verificationapi.TestResults{SuccessRate: 100, FrameworkStatus: "working", Checks: wellChecked}, answered.TestResults)
	require.Equal(t, []int{2, 0}, []int{answered.Passed, answered.Failed})
	require.Equal(t, []any{"verification:" + answered.ID, false}, []any{answered.WorkflowID, answered.CanApprove})

	answered.Screenshot = ""
	require.Equal(t, answered, w.verification(t, answered.ID), "the run is the same later, without the image")
	w.endVerifications(t)
	w.server.Pictures = must(blob.Open(t.TempDir()))(t)
	w.handler = handlerOf(w.server)
	without := read[verificationapi.Verification](t, w.verifyFrom(t, "198.51.100.1", `{}`), ok)
	require.Equal(t, []string{"active", ""}, []string{without.Status, without.Screenshot}, "a missing image is not an error")
}

func TestVerifyReturnsARunningRun(t *testing.T) {
	w := newWorld(t)
	n := 0
	for body, waits := range map[string]bool{`{}`: true, `{"wait":false}`: false, `{"url":"HTTP://Example.com:80"}`: true, `{"url":"/docs","wait":false}`: false} {
		n++
		w.runs.patient = 0
		answered := read[verificationapi.Verification](t, w.verifyFrom(t, fmt.Sprint("198.51.100.", n), body), ok)
		require.Equal(t, waits, w.runs.patient > 0, body)
		require.Equal(t, []any{"requested", 0, 8, "", "unknown", ""},
			[]any{answered.Stage, answered.Done, answered.Total, answered.Status, answered.TestResults.FrameworkStatus, answered.Screenshot})
		require.Equal(t, httpapi.RunOf("verification:"+answered.ID, "run-"+answered.ID), answered.RunRef)
		require.Equal(t, 1, strings.Count(strings.Join(w.runs.sent(), "\n"), answered.ID))
	}
}

// The domain tests cover the many spellings of forbidden URLs.
// Proves: F23, V1.3.6
func TestForbiddenTargetsAreRefusedAndNothingBegins(t *testing.T) {
	w := newWorld(t)
	evil := bad{"POST", "/api/ai-verification", `{"url":"http://169.254.169.254/latest/meta-data/"}`, problem.URLRefused}
	w.refusesAll(t, w.browser().send, map[string]bad{"inside": evil})
	p := problemOf(t, w.browser().post(t, evil.path, evil.body))
	require.Equal(t, "Only pages of http://example.com and https://docs.example.com can be checked.", p.Message, "the URL is not echoed")
	require.Empty(t, p.Details)
	w.server.Sites = nil
	w.handler = handlerOf(w.server)
	w.refusesAll(t, w.browser().send, map[string]bad{"where nothing may be": {"POST", evil.path, `{}`, problem.URLRefused}})
}

const pictures = "/api/verification/pictures/"

func TestAPictureIsCachedForever(t *testing.T) {
	w := newWorld(t)
	content := "\x89PNG\r\n" + strings.Repeat("a picture ", 500)
	key := w.picture(t, content)
	rec := w.visits(t, pictures+key+".png", "Accept-Encoding", "gzip")
	require.Equal(t, []any{ok, content}, []any{rec.Code, rec.Body.String()})
	for name, value := range map[string]string{
		"Content-Type": "image/png", "ETag": `"` + key + `"`, "Cache-Control": "public, max-age=31536000, immutable", "Content-Encoding": "", "Set-Cookie": "",
	} {
		require.Equal(t, value, rec.Header().Get(name), name)
	}
	// A reply to a logged-in user may renew their cookie, so it is not cached.
	b := w.newMember(t, "ada")
	w.now = now.Add(account.SlideEvery + time.Hour)
	renewed := b.get(t, pictures+key+".png").Header()
	require.NotEmpty(t, renewed.Get("Set-Cookie"))
	require.Equal(t, "no-store", renewed.Get("Cache-Control"))
	for _, name := range []string{
		key, key + ".png.png", key + ".jpg", key + ".png%00", "%20" + key + ".png", strings.ToUpper(key) + ".png", key[1:] + ".png", "..%2f" + key + ".png",
	} {
		rec := w.visits(t, pictures+name)
		refused(t, rec, problem.NotFound, name)
		require.NotContains(t, rec.Header().Get("Cache-Control"), "public", name)
	}
}

// All callers share a network address, and each has their own run.
func TestTheRequesterIsStored(t *testing.T) {
	w := newWorld(t)
	ice, iceID := w.join(t, "ice")
	w.setStatus(t, iceID, member.StatusFrozen)
	for name, tt := range map[string]struct {
		who *browser
		is  string
	}{
		"a visitor":       {w.browser(), "visitor"},
		"a member":        {w.newMember(t, "ada"), "member"},
		"a frozen member": {w.browserWith(w.login(t, ice, "")), "visitor"},
		"a founder":       {w.founder(t), "founder"},
	} {
		tt.who.from = "198.51.100.1"
		require.Equal(t, tt.is, read[chaosapi.ChaosStarted](t, tt.who.post(t, "/api/chaos", crash), ok).RequestedBy, name)
		w.endAll(t)
		asked := read[verificationapi.Verification](t, tt.who.post(t, "/api/ai-verification", `{"wait":false}`), ok)
		require.Equal(t, tt.is, asked.RequestedBy, name)
		again := refused(t, tt.who.post(t, "/api/ai-verification", `{"wait":false}`), problem.VerificationRunning, name)
		require.Equal(t, "Your verification has been running since 12:00:00 UTC, and only one can run at a time. Try again when it has ended.", again.Message)
		require.Equal(t, []problem.Detail{{Field: "runId", Reason: asked.ID}}, again.Details, name)
	}
	byKey := call{method: http.MethodPost, path: "/api/ai-verification", body: `{"wait":false}`, from: "198.51.100.1"}
	require.Equal(t, "founder", read[verificationapi.Verification](t, w.do(t, byKey), ok).RequestedBy)
	byKey.from = "198.51.100.2"
	require.Equal(t, http.StatusConflict, w.do(t, byKey).Code, "the key has one run for all networks")
}
