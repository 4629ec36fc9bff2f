package api_test

import (
	"cmp"
	"context"
	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
)

var someSites = []string{"http://example.com", "https://docs.example.com"}

const frontPage = "http://example.com/"

func (w *world) opensPictures(t *testing.T) {
	pictures := must(blob.Open(t.TempDir()))(t)
	w.pictures = pictures
}

// verifyFrom asks for a look from a network.
func (w *world) verifyFrom(t *testing.T, address, body string) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodPost, path: "/api/ai-verification", body: body, key: "none", from: address})
}

func (w *world) verification(t *testing.T, id string) api.Verification {
	return read[api.Verification](t, w.do(t, call{method: http.MethodGet, path: "/api/verification/runs/" + id, key: "none"}), http.StatusOK)
}

// recordedLooks is how many runs there are.
func (w *world) recordedLooks(t *testing.T) int {
	_, total, err := w.db.Verifications.Verifications(t.Context(), 1, 0)
	require.NoError(t, err)
	return total
}

// picture keeps a file, and names it.
func (w *world) picture(t *testing.T, content string) string {
	key := must(w.pictures.Put(t.Context(), []byte(content)))(t)
	return key
}

// look is how a run went; the zero one is the schedule's, of the front page, and all is well.
type look struct {
	by              verification.Requester
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
	r := w.asked(t, l)
	must(w.db.Verifications.BeginVerification(t.Context(), r.ID, "verification:"+r.ID, "run-"+r.ID))(t)
	w.move(t, r.ID, verification.Looking)
	return r
}

func (w *world) move(t *testing.T, id string, stage verification.Stage) {
	require.NoError(t, w.db.Verifications.MoveVerification(t.Context(), id, stage))
}

// seen is a view of a run; without a picture it could not be seen.
func (w *world) seen(t *testing.T, id string, view verification.View, picture string) verification.Shot {
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
	r := w.carried(t, l)
	w.ends(t, r.ID, l)
	return r.ID
}

// ends lets a run end as it went.
func (w *world) ends(t *testing.T, id string, l look) {
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
	must(w.db.Verifications.EndVerification(t.Context(), id, o, l.url == "", w.now))(t)
}

// endLooks ends what somebody waits for, well.
func (w *world) endLooks(t *testing.T) {
	w.runs.look = func(id string) { w.ends(t, id, look{}) }
}

func TestAVerificationIsAnsweredWhenItHasEnded(t *testing.T) {
	w := newWorld(t)
	comment := verification.Comment{
		By: "openai:gpt-4o-mini", Text: "The page shows a bot.", Doubts: true, Trouble: "",
		Criteria: []verification.Criterion{{Text: "Is there a button?", Verdict: verification.CriterionFail, Why: "There is none."}},
	}
	w.runs.look = func(id string) {
		must(w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id))(t)
		w.ends(t, id, look{came: verification.Warning, reason: "The comment doubts.", comment: &comment})
	}
	answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", `{"url":"/?a=1#top","prompt":"  Is there a button?\n"}`), http.StatusOK)
	require.Equal(t, []string{"verify " + answered.ID}, w.runs.orders)
	require.InDelta(t, 30, w.runs.patient.Seconds(), 1)
	require.Equal(t, "http://example.com/?a=1", answered.URL)
	require.Equal(t, "/", answered.Path)
	require.Equal(t, "Is there a button?", answered.Prompt)
	require.Equal(t, []string{"visitor", "ended", "warning", "active", "The comment doubts."},
		[]string{answered.RequestedBy, answered.Stage, answered.Status, answered.Checked, answered.Reason})
	require.Equal(t, []int{8, 8}, []int{answered.Done, answered.Total})
	require.Equal(t, base64.StdEncoding.EncodeToString([]byte("picture light wide")), answered.Screenshot)
	require.Equal(t, []any{comment.Text, comment.By, true, false}, []any{answered.AIAnalysis, answered.Analyst, answered.Doubts, answered.BuiltIn})
	require.Equal(t, comment.Criteria, answered.Criteria)
	require.Equal(t, api.TestResults{SuccessRate: 100, FrameworkStatus: "working", Checks: wellChecked}, answered.TestResults)
	require.Equal(t, []int{2, 0}, []int{answered.Passed, answered.Failed})
	require.Equal(t, "verification:"+answered.ID, answered.WorkflowID)
	require.False(t, answered.CanApprove)

	answered.Screenshot = ""
	require.Equal(t, answered, w.verification(t, answered.ID), "the run says the same later, but for the picture's bytes")
}

func TestAVerificationThatGoesOnIsAnsweredAsItStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body  string
		waits bool
	}{
		"nothing said":        {`{}`, true},
		"asked to wait":       {`{"wait":true}`, true},
		"asked not to wait":   {`{"wait":false}`, false},
		"a whole address":     {`{"url":"HTTP://Example.com:80"}`, true},
		"another page":        {`{"url":"/docs","wait":false}`, false},
		"another site's page": {`{"url":"https://docs.example.com/a"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", tt.body), http.StatusOK)
			require.Equal(t, tt.waits, w.runs.patient > 0)
			require.Equal(t, []any{"requested", 0, 8, ""}, []any{answered.Stage, answered.Done, answered.Total, answered.Status})
			require.Equal(t, "unknown", answered.TestResults.FrameworkStatus)
			require.Empty(t, answered.Screenshot)
			run := "run-" + answered.ID
			require.Equal(t, httpapi.RunRef{
				WorkflowID: "verification:" + answered.ID, RunID: run,
				RunURL: "/runs/verification:" + answered.ID + "?run=" + run,
			}, answered.RunRef)
			require.Equal(t, 1, w.recordedLooks(t))
		})
	}
}

// The row is there: the starter begins it when the workflow service answers.
func TestAVerificationThatCannotBeStartedYetSaysSo(t *testing.T) {
	for _, body := range []string{`{}`, `{"wait":false}`} {
		w := newWorld(t)
		w.runs.down = true
		answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", body), http.StatusOK)
		require.Contains(t, answered.Reason, "could not be started yet. It begins by itself")
		require.Equal(t, "requested", answered.Stage)
		require.Empty(t, answered.RunRef)
		require.Zero(t, w.runs.patient, "there is nothing to wait for")
		waiting := must(w.db.Verifications.OpenVerifications(t.Context()))(t)
		require.Len(t, waiting, 1)
		require.Equal(t, answered.ID, waiting[0].ID)
	}
}

func TestAVerificationWithoutItsPictureIsAnsweredAllTheSame(t *testing.T) {
	w := newWorld(t)
	w.endLooks(t)
	w.server.Pictures = noPictures{}
	answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", `{}`), http.StatusOK)
	require.Equal(t, "active", answered.Status)
	require.Empty(t, answered.Screenshot)
}

// Proves: V1.3.6
func TestVerificationsThatAreRefusedUseNothingUp(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"a prompt of 10,000 characters": {`{"prompt":"` + strings.Repeat("x", 10_000) + `"}`, 422, problem.Invalid},
		"a prompt of 1,001 characters":  {`{"prompt":"` + strings.Repeat("字", 1001) + `"}`, 422, problem.Invalid},
		"a prompt of 100,000":           {`{"prompt":"` + strings.Repeat("x", 100_000) + `"}`, 413, problem.TooLarge},
		"a prompt that is no text":      {`{"prompt":["x"]}`, 422, problem.Invalid},
		"a URL of 2,049 characters":     {`{"url":"/` + strings.Repeat("x", 2048) + `"}`, 422, problem.Invalid},
		"a URL that is no text":         {`{"url":7}`, 422, problem.Invalid},
		"an unknown field":              {`{"target":"/"}`, 422, problem.Invalid},
		"a URL twice":                   {`{"url":"/","url":"http://169.254.169.254/"}`, 400, problem.Invalid},
		"another spelling of url":       {`{"URL":"http://169.254.169.254/"}`, 422, problem.Invalid},
		"a prompt, and a long PROMPT":   {`{"prompt":"x","PROMPT":"` + strings.Repeat("x", 10_000) + `"}`, 422, problem.Invalid},
		"a wait that is no answer":      {`{"wait":"yes"}`, 422, problem.Invalid},
		"no object":                     {`["/"]`, 422, problem.Invalid},
		"half a body":                   {`{"url":"/"`, 400, problem.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.rows(t)
			rec := w.verifyFrom(t, "198.51.100.1", tt.body)
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			require.Equal(t, tt.code, problemOf(t, rec).Code)
			require.Less(t, rec.Body.Len(), 1000, "values are not echoed")
			require.Equal(t, before, w.rows(t), "no row, and no limit, has changed")
			require.Empty(t, w.runs.orders)
		})
	}
	w := newWorld(t)
	long := strings.Repeat("字", 1000)
	require.Equal(t, long, read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", `{"prompt":"`+long+`"}`), 200).Prompt)
}

func TestTwoVerificationsOfAVisitorAtOnce(t *testing.T) {
	w := newWorld(t)
	answers := make([]*httptest.ResponseRecorder, 2)
	var both sync.WaitGroup
	for i := range answers {
		req := w.request(t, call{method: http.MethodPost, path: "/api/ai-verification", body: `{"wait":false}`, key: "none", from: "198.51.100.1"})
		answers[i] = httptest.NewRecorder()
		both.Go(func() { w.handler.ServeHTTP(answers[i], req) })
	}
	both.Wait()
	if answers[0].Code != http.StatusOK {
		answers[0], answers[1] = answers[1], answers[0]
	}
	began := read[api.Verification](t, answers[0], http.StatusOK)
	require.Equal(t, http.StatusConflict, answers[1].Code, answers[1].Body.String())
	p := problemOf(t, answers[1])
	require.Equal(t, problem.VerificationRunning, p.Code)
	require.Equal(t, "A run of yours has been under way since 12:00:00 UTC. There is one at a time: try again when it has ended.", p.Message)
	require.Equal(t, []problem.Detail{{Field: "runId", Reason: began.ID}}, p.Details)
	require.Equal(t, 1, w.recordedLooks(t))

	require.Equal(t, http.StatusOK, w.verifyFrom(t, "198.51.100.2", `{"wait":false}`).Code, "others are not held back")
	w.ends(t, began.ID, look{})
	require.Equal(t, http.StatusOK, w.verifyFrom(t, "198.51.100.1", `{"wait":false}`).Code)
}

// At one network: each of them has a run of their own under way.
func TestWhoAsksForAVerification(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	ice, iceID := w.join(t, "ice")
	w.freeze(t, iceID)
	for name, tt := range map[string]struct {
		who *browser
		is  string
	}{
		"a visitor":                       {w.browser(), "visitor"},
		"a member":                        {w.browserWith(w.login(t, ada, "")), "member"},
		"somebody with no membership now": {w.browserWith(w.login(t, ice, "")), "visitor"},
		"a founder":                       {w.founder(t), "founder"},
	} {
		tt.who.from = "198.51.100.1"
		asked := read[api.Verification](t, tt.who.post(t, "/api/ai-verification", `{"wait":false}`), http.StatusOK)
		require.Equal(t, tt.is, asked.RequestedBy, name)
		again := tt.who.post(t, "/api/ai-verification", `{"wait":false}`)
		require.Equal(t, http.StatusConflict, again.Code, name)
		require.Equal(t, []problem.Detail{{Field: "runId", Reason: asked.ID}}, problemOf(t, again).Details, name)
	}
	byKey := call{method: http.MethodPost, path: "/api/ai-verification", body: `{"wait":false}`, from: "198.51.100.1"}
	require.Equal(t, "founder", read[api.Verification](t, w.do(t, byKey), http.StatusOK).RequestedBy)
	byKey.from = "198.51.100.2"
	require.Equal(t, http.StatusConflict, w.do(t, byKey).Code, "the key is one asker, wherever it is used")
}

// Proves: V2.4.1-verifications
func TestAVisitorWaitsWhenTheirVerificationsAreUsedUp(t *testing.T) {
	w := newWorld(t)
	w.endLooks(t)
	for range verification.PerVisitor.Most {
		require.Equal(t, http.StatusOK, w.verifyFrom(t, "198.51.100.1", `{}`).Code)
	}
	before := w.rows(t)
	rec := w.verifyFrom(t, "198.51.100.1", `{}`)
	require.Equal(t, http.StatusTooManyRequests, rec.Code, rec.Body.String())
	require.Equal(t, problem.TooMany, problemOf(t, rec).Code)
	require.Equal(t, now.Add(time.Hour).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
	require.Equal(t, before, w.rows(t))
	require.Equal(t, http.StatusOK, w.verifyFrom(t, "198.51.100.2", `{}`).Code, "others are not held back")
	w.now = now.Add(time.Hour)
	require.Equal(t, http.StatusOK, w.verifyFrom(t, "198.51.100.1", `{}`).Code)
}

// Proves: V2.4.1-verifications
func TestFoundersVerificationsCountInTheSumOnly(t *testing.T) {
	w := newWorld(t)
	w.endLooks(t)
	for range verification.Overall.Most {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/ai-verification", body: `{}`})
		require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
	}
	for _, who := range []string{"", "none"} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/ai-verification", body: `{}`, key: who})
		require.Equal(t, http.StatusTooManyRequests, rec.Code)
		require.NotEmpty(t, rec.Header().Get("Retry-After"))
	}
}

// askingFor makes the body of a call that names a URL.
func askingFor(t *testing.T, url string) string {
	body := must(json.Marshal(map[string]any{"url": url, "wait": false}))(t)
	return string(body)
}

// forbidden are ways to ask for something that is no page of ours.
var forbidden = []string{
	"http://evil.test/", // other hosts
	"https://evil.test/?next=http://example.com/",
	"http://example.com.evil.test/", // our name as the beginning of theirs
	"http://evil-example.com/",      // as the end of theirs
	"http://www.example.com/",       // a name under ours
	"http://com/",                   // the name above
	"https://example.com/",          // another scheme than that of the list
	"http://docs.example.com/",
	"http://example.com:8080/", // another port
	"http://example.com:22/",
	"http://example.com:443/",
	"http://example.com:080/x",
	"http://127.0.0.1/", // this machine
	"http://127.0.0.1:8080/api/stats",
	"http://localhost/",
	"http://LOCALHOST:6379/",
	"http://0.0.0.0/",
	"http://127.1/", // written in short
	"http://0/",
	"http://2130706433/", // in one number
	"http://0x7f000001/", // hexadecimal
	"http://0x7f.0x0.0x0.0x1/",
	"http://0177.0.0.1/", // octal
	"http://017700000001/",
	"http://127.0.0.1.nip.io/", // a name that leads here
	"http://①②⑦.⓪.⓪.①/",        // digits that browsers read as digits
	"http://127。0。0。1/",        // dots that they read as dots
	"http://10.0.0.1/",         // private networks
	"http://172.16.0.1/",
	"http://192.168.1.1/",
	"http://100.64.0.1/",
	"http://169.254.169.254/latest/meta-data/", // the cloud's own
	"http://metadata.google.internal/computeMetadata/v1/",
	"http://2852039166/latest/meta-data/",
	"http://0xA9FEA9FE/",
	"http://[::1]/", // IPv6
	"http://[::]/",
	"http://[0:0:0:0:0:0:0:1]:8080/",
	"http://[::ffff:127.0.0.1]/", // IPv4 within
	"http://[::ffff:7f00:1]/",
	"http://[::ffff:169.254.169.254]/",
	"http://[fe80::1%25eth0]/", // link-local
	"http://[fd00:ec2::254]/latest/meta-data/",
	"http://[64:ff9b::7f00:1]/", // translated
	"http://[2002:7f00:1::]/",
	"file:///etc/passwd", // other schemes
	"file://example.com/etc/passwd",
	"FILE:///C:/Windows/win.ini",
	"data:text/html,<script>alert(1)</script>",
	"javascript:alert(document.cookie)",
	"JaVaScRiPt://example.com/%0aalert(1)",
	"java\tscript:alert(1)",
	"vbscript:msgbox(1)",
	"blob:http://example.com/2b4f",
	"view-source:http://example.com/",
	"about:blank",
	"chrome://version/",
	"devtools://devtools/bundled/inspector.html",
	"ftp://example.com/",
	"gopher://example.com:70/_GET",
	"ws://example.com/",
	"dict://example.com:11211/stats",
	"http://example.com@evil.test/", // who, not where
	"http://example.com:80@evil.test/",
	"http://evil.test@example.com/",
	"http://user:secret@example.com/",
	"http://@example.com/",
	"http://example.com%40evil.test/",
	"http://evil.test#@example.com/",
	"http://evil.test\\@example.com/", // programs do not agree on this one
	"http:\\\\evil.test\\",
	"http://example.com\\.evil.test/",
	"//evil.test/", // in the scheme of the page
	"//example.com/",
	"/\\evil.test/", // which browsers read alike
	"\\\\evil.test\\share",
	"///evil.test/",
	"/\t/evil.test/", // what they leave out
	"http://example.com\n.evil.test/",
	"http://exam\u00adple.com/", // what nobody sees
	"http://example.com\u200b/",
	"http://ex\u0430mple.com/", // an e-mail of another script
	"http://EXAMPLE.com\u3002evil.test/",
	"http://example.com./", // another way to write the name
	"http://%65xample.com/",
	"http://example%2ecom/",
	"http:example.com", // not whole
	"http:/example.com/",
	"http://",
	"http:///etc/passwd",
	"example.com",
	"evil.test/page",
	"..//evil.test/",
	"?url=http://evil.test/",
	"#//evil.test/",
	"http://example.com/ http://169.254.169.254/", // two at once
	"http://example.com/%00/etc",
	"/%zz-broken", // no address at all
	"http://example.com:99999/x",
	"http://example.com:-1/x",
	"url:http://example.com/",
	"jar:http://evil.test/x.jar!/",
	"http://example.com;evil.test/",
	"http://example.com,evil.test/",
	"http://[::ffff:0:127.0.0.1]/",
	"http://[0000:0000:0000:0000:0000:ffff:c0a8:0101]/abc",
}

// Proves: F23, V1.3.6
func TestForbiddenTargetsAreRefusedAndNothingBegins(t *testing.T) {
	require.GreaterOrEqual(t, len(forbidden), 40)
	w := newWorld(t)
	before := w.rows(t)
	for _, url := range forbidden {
		rec := w.verifyFrom(t, "198.51.100.1", askingFor(t, url))
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%q: %s", url, rec.Body)
		p := problemOf(t, rec)
		require.Equal(t, problem.URLRefused, p.Code, "%q", url)
		require.Equal(t, "Only pages of http://example.com and https://docs.example.com may be looked at.", p.Message, "what was asked for is not echoed")
		require.Empty(t, p.Details)
	}
	require.Equal(t, before, w.rows(t), "no row, and no limit, has changed")
	require.Empty(t, w.runs.told())
}

// Proves: V1.3.6
func TestNothingMayBeLookedAtWhereNoSiteIsNamed(t *testing.T) {
	w := newWorld(t)
	w.server.Sites = nil
	for _, url := range []string{"", "/", frontPage} {
		rec := w.verifyFrom(t, "198.51.100.1", askingFor(t, url))
		require.Equal(t, problem.URLRefused, problemOf(t, rec).Code)
	}
	require.Empty(t, w.runs.told())
}

// noPictures is a book whose files cannot be read.
type noPictures struct{}

func (noPictures) Get(context.Context, string) ([]byte, error) {
	return nil, context.DeadlineExceeded
}

const pictures = "/api/verification/pictures/"

// fetch asks for a picture as a visitor.
func (w *world) fetch(t *testing.T, name string, header map[string]string) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodGet, path: pictures + name, key: "none", header: header})
}

func TestAPictureIsKeptForEver(t *testing.T) {
	w := newWorld(t)
	content := "\x89PNG\r\n" + strings.Repeat("a picture ", 500)
	key := w.picture(t, content)
	rec := w.fetch(t, key+".png", map[string]string{"Accept-Encoding": "gzip"})
	require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
	require.Equal(t, content, rec.Body.String())
	for name, value := range map[string]string{
		"Content-Type": "image/png", "ETag": `"` + key + `"`, "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Content-Encoding": "", "Set-Cookie": "",
	} {
		require.Equal(t, value, rec.Header().Get(name), name)
	}
}

func TestAPictureThatIsKnownIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	key := w.picture(t, "a picture")
	for header, status := range map[string]int{
		`"` + key + `"`:                     http.StatusNotModified,
		`W/"` + key + `"`:                   http.StatusNotModified,
		`"other", W/"more",  "` + key + `"`: http.StatusNotModified,
		`*`:                                 http.StatusNotModified,
		`"other"`:                           http.StatusOK,
		key:                                 http.StatusOK,
		`"` + key[:63] + `"`:                http.StatusOK,
		"":                                  http.StatusOK,
	} {
		rec := w.fetch(t, key+".png", map[string]string{"If-None-Match": header})
		require.Equal(t, status, rec.Code, "%s: %s", header, rec.Body)
		require.Equal(t, `"`+key+`"`, rec.Header().Get("ETag"))
		require.Equal(t, "public, max-age=31536000, immutable", rec.Header().Get("Cache-Control"))
		if status == http.StatusNotModified {
			require.Empty(t, rec.Body.String())
		}
	}
	gone := strings.Repeat("0", 64)
	require.Equal(t, http.StatusNotFound, w.fetch(t, gone+".png", map[string]string{"If-None-Match": `"` + gone + `"`}).Code)
}

// An answer to somebody who is known may renew their cookie: nobody may keep it.
func TestAPictureForSomebodyWhoIsKnownIsKeptByNobody(t *testing.T) {
	w := newWorld(t)
	key := w.picture(t, "a picture")
	require.Equal(t, "no-store", w.do(t, call{method: http.MethodGet, path: pictures + key + ".png"}).Header().Get("Cache-Control"))
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	w.now = now.Add(account.SlideEvery + time.Hour)
	rec := b.get(t, pictures+key+".png")
	require.Equal(t, http.StatusOK, rec.Code)
	require.NotEmpty(t, rec.Header().Get("Set-Cookie"))
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
}

func TestPicturesThatAreNoneAreNotFound(t *testing.T) {
	w := newWorld(t)
	key := w.picture(t, "a picture")
	other := "1"
	if strings.HasPrefix(key, other) {
		other = "2"
	}
	for _, name := range []string{
		key, key + ".PNG", key + ".png.png", key + ".jpg", key + ".png%00", key + "%0a.png", "%20" + key + ".png",
		strings.ToUpper(key) + ".png", other + key[1:] + ".png", key[1:] + ".png", "g" + key[1:] + ".png",
		".png", "..", "..%2f" + key + ".png", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", key[:2] + "/" + key + ".png",
	} {
		rec := w.fetch(t, name, nil)
		require.Equal(t, http.StatusNotFound, rec.Code, "%s: %s", name, rec.Body)
		require.NotContains(t, rec.Header().Get("Cache-Control"), "public", name)
	}
	require.Equal(t, problem.NotFound, problemOf(t, w.fetch(t, key+".jpg", nil)).Code)
	require.Equal(t, http.StatusUnprocessableEntity, w.fetch(t, strings.Repeat("a", 81), nil).Code)
}
