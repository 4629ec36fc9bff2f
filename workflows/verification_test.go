package workflows_test

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

const unlooked = -1

var errKilled = errors.New("the browser was killed")

// Proves: F22
func TestVerificationEnds(t *testing.T) {
	t.Parallel()
	sees := func(see func(n int, seen *verification.Capture) error) func(*verificationWorld) {
		return func(i *verificationWorld) { i.sees = see }
	}
	all := func(err error) func(*verificationWorld) {
		return sees(func(int, *verification.Capture) error { return err })
	}
	loses := func(activity string, asks bool) func(*verificationWorld) {
		return func(i *verificationWorld) { *i.network = network{loses: activity, asks: asks} }
	}
	answers := func(path string, status int) func(*verificationWorld) {
		return func(i *verificationWorld) { i.statuses[path] = status }
	}
	everyView := func(kind string) string {
		return kind + " light wide, " + kind + " dark wide, " + kind + " light narrow, " + kind + " dark narrow"
	}
	consoleError := sees(func(_ int, seen *verification.Capture) error {
		seen.Facts.Console = []string{"TypeError: x is undefined"}
		return nil
	})
	diesOnce := sees(func(n int, _ *verification.Capture) error { return map[int]error{1: errKilled}[n] })
	unreachable, missing := problem.New(problem.PageUnreachable, "The page cannot be reached."), problem.New(problem.BrowserMissing, "There is no Chromium.")
	for name, c := range map[string]struct {
		given   func(i *verificationWorld)
		verdict verification.Verdict
		reason  string
		code    problem.Code
		failed  string
		looks   int // captures; one per viewport if 0
		shots   string
	}{
		"active":                        {func(*verificationWorld) {}, verification.Active, "passed", "", "", 0, ""},
		"a failing check":               {consoleError, verification.Warning, "console", "", everyView("console"), 0, ""},
		"an endpoint that fails":        {answers("/api/stats", http.StatusInternalServerError), verification.Warning, "GET /api/stats", "", "endpoint GET /api/stats", 0, ""},
		"an endpoint that redirects":    {answers("/healthz", http.StatusFound), verification.Warning, "", "", "endpoint GET /healthz", 0, ""},
		"a page that cannot be reached": {all(unreachable), verification.Broken, "", problem.PageUnreachable, everyView("page"), 0, "The page cannot be reached."},
		"no browser":                    {all(missing), verification.Warning, "The browser is missing", problem.BrowserMissing, "", 0, "There is no Chromium."},
		"no browser configured":         {func(i *verificationWorld) { i.acts.Browser = nil }, verification.Warning, "", problem.BrowserMissing, "", unlooked, "No browser is configured."},
		"a browser that crashes once":   {diesOnce, verification.Active, "", "", "", 5, ""},
		"a browser that always crashes": {all(errKilled), verification.Broken, "", "", everyView("page"), 12, "The browser crashed while it loaded the page."},
		"a worker that is lost at every capture": {
			loses("CapturePage", true), verification.Broken, "", "", everyView("page"), unlooked, "No worker finished opening the page in time.",
		},
		"a capture whose answer is lost":                {loses("CapturePage", false), verification.Active, "", "", "", 12, ""},
		"a worker that is lost at every endpoint check": {loses("CheckEndpoints", true), verification.Warning, "the endpoints were not checked", "", "", 0, ""},
		"a lost comparison":                             {loses("CompareScreenshots", true), verification.Active, "", "", "", 0, ""},
		"a lost review":                                 {loses("ReviewPage", true), verification.Active, "", "", "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newVerificationWorld(t)
			c.given(i)
			run, shots := i.inspect(t)
			require.Equal(t, []any{c.verdict, c.verdict, string(c.code), c.failed}, []any{run.Verdict, run.ChecksVerdict, run.Code, failedChecks(run)}, run.Reason)
			require.Contains(t, run.Reason, c.reason)
			require.Equal(t, max(0, cmp.Or(c.looks, 4)), i.looks)
			require.Len(t, shots, 4, "every view has something to say")
			for _, shot := range shots {
				require.Equal(t, c.shots, shot.Error)
				require.Equal(t, c.shots == "", shot.ImageHash != "")
			}
			require.NotNil(t, run.Comment, "there is always a comment")
			require.True(t, run.Comment.BuiltIn)
			require.Empty(t, run.Comment.Trouble)
			require.NotEmpty(t, run.Comment.Text)
			require.Nil(t, run.CallID)
			var progress workflows.VerificationProgress
			require.NoError(t, must(i.env.QueryWorkflow(workflows.QueryProgress)).Get(&progress))
			require.Equal(t, workflows.VerificationProgress{Stage: verification.Ended, Done: 8, Total: 8}, progress)
		})
	}
}

func TestACancelledVerificationEndsItsRow(t *testing.T) {
	t.Parallel()
	i := newVerificationWorld(t)
	i.looked = func(n int) {
		if n == 2 {
			i.env.CancelWorkflow()
		}
	}
	run, _ := i.inspect(t)
	require.Equal(t, verification.Warning, run.Verdict, "it says nothing good, and nothing bad")
	require.Equal(t, "The run was cancelled.", run.Reason)
	require.Empty(t, must(i.db.Verifications.VerificationDays(t.Context(), "2026-01-01")), "it does not count for the site's status")
}

func TestEndedVerificationIsNotRepeated(t *testing.T) {
	t.Parallel()
	i := newVerificationWorld(t)
	i.request(t)
	i.ended(t, "It was.")
	run, _ := i.play(t)
	require.Equal(t, "It was.", run.Reason)
	require.Zero(t, i.looks)
}

// ended ends the row as another run would.
func (i *verificationWorld) ended(t *testing.T, reason string) {
	good := verification.Outcome{ChecksVerdict: verification.Active, Verdict: verification.Active, Reason: reason}
	must(i.db.Verifications.EndVerification(t.Context(), i.asking, good, false, begin))
}

func TestScheduleChecksTheFrontPage(t *testing.T) {
	t.Parallel()
	i := newVerificationWorld(t)
	i.asking = ""
	run, _ := i.inspect(t)
	require.Equal(t, verification.Active, run.Verdict)
	require.Equal(t, verification.Schedule, run.RequestedBy)
	require.Equal(t, i.acts.Sites[0]+"/", run.URL)
	require.Equal(t, run.RunID, run.ID, "a repeat requests no second one")
	days := must(i.db.Verifications.VerificationDays(t.Context(), "2026-01-01"))
	require.Len(t, days, 1)
	require.Equal(t, 1, days[0].Active)
}

func TestScheduleWaitsForItsLastRun(t *testing.T) {
	t.Parallel()
	i := newVerificationWorld(t)
	require.NoError(t, i.db.Verifications.RequestVerification(t.Context(), verification.Run{
		ID: "left behind", URL: i.acts.Sites[0] + "/", Path: "/", RequestedBy: verification.Schedule, OpenKey: new(verification.BySchedule),
		Stage: verification.Requested, RequestedAt: begin,
	}, account.Asker{}))
	result := run[workflows.VerificationResult](t, i.env, workflows.Verification, workflows.VerificationInput{})
	require.NotEmpty(t, result.Refused)
	require.Zero(t, i.looks)
	require.Nil(t, i.pictures.kept)
}

func TestScreenshotIsComparedWithItsBaseline(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shift   int
		verdict verification.Verdict
		masks   []verification.Rect
		gone    bool // the baseline's image is missing
	}{
		"unchanged":               {verdict: verification.Active},
		"moved":                   {shift: 20, verdict: verification.Warning},
		"moved within a mask":     {shift: 20, verdict: verification.Active, masks: []verification.Rect{{Width: 64, Height: 48}}},
		"its baseline is missing": {shift: 20, verdict: verification.Active, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newVerificationWorld(t)
			i.asking = "v0"
			i.request(t)
			approved := must(i.pictures.Put(t.Context(), pngOf(tt.shift)))
			if tt.gone {
				delete(i.pictures.files, approved)
			}
			require.NoError(t, i.db.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{{
				ID: "b1", Path: "/", Theme: verification.Light, Viewport: "wide", ImageHash: approved, Width: 64, Height: 48,
				Masks: tt.masks, RunID: "v0", Reason: "first", ApprovedBy: "founder", ApprovedAt: begin,
			}}))
			i.ended(t, "")
			i.asking = "v1"
			run, shots := i.inspect(t)
			require.Equal(t, tt.verdict, run.Verdict, run.Reason)
			require.Equal(t, tt.verdict == verification.Warning, shots[0].DiffHash != "")
			require.Equal(t, tt.gone, shots[0].ChangedShare == nil)
			require.Equal(t, "b1", *shots[0].BaselineID, "also where it could not be compared")
			require.Nil(t, shots[1].BaselineID, "nobody approved that one")
			if shots[0].DiffHash != "" {
				require.Equal(t, "look light wide", failedChecks(run))
				require.Contains(t, i.pictures.files, shots[0].DiffHash)
			}
		})
	}
}

func TestBrowserStateIsStored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want verification.BrowserState
	}{
		"it works":                        {want: verification.BrowserState{Ready: true, Version: "Chromium 1.2"}},
		"it is missing":                   {err: problem.New(problem.BrowserMissing, "There is no Chromium."), want: verification.BrowserState{Message: "There is no Chromium."}},
		"it works, and the page does not": {err: problem.New(problem.PageSlow, "It is slow."), want: verification.BrowserState{Ready: true}},
		"it crashed":                      {err: errKilled, want: verification.BrowserState{Message: "No worker has looked for it yet."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newVerificationWorld(t)
			i.sees = func(int, *verification.Capture) error { return tt.err }
			i.inspect(t)
			state := must(i.db.Verifications.Browser(t.Context()))
			require.Equal(t, errors.Is(tt.err, errKilled), state.SeenAt == nil)
			state.ID, state.SeenAt = "", nil
			require.Equal(t, tt.want, state)
		})
	}
}

func TestMissingViewportDoesNotPass(t *testing.T) {
	t.Parallel()
	i := newVerificationWorld(t)
	i.request(t)
	seen := must(i.pictures.Put(t.Context(), pngOf(0)))
	require.NoError(t, i.db.Verifications.SaveScreenshot(t.Context(), verification.Shot{
		RunID: i.asking, Theme: verification.Light, Viewport: "wide", ImageHash: seen, TakenAt: begin,
		Facts: &verification.Facts{Status: http.StatusOK, Landmarks: verification.Landmarks, Headings: 1},
	}))
	answers := make([]verification.Answer, len(verification.Endpoints))
	for n, e := range verification.Endpoints {
		answers[n] = verification.Answer{Path: e.Path, Status: http.StatusOK, ContentType: e.ContentType}
	}
	ended := must(i.acts.ConcludeVerification(t.Context(), activities.ConcludeVerificationInput{VerificationID: i.asking, Answers: answers}))
	require.Equal(t, verification.Broken, ended.Verdict)
}

func TestCleanupKeepsReferencedImages(t *testing.T) {
	t.Parallel()
	i, picture := newVerificationWorld(t), strings.Repeat("a", 64)
	i.request(t)
	tidies := func() error {
		i.stage = stageFor(i.db, begin)
		i.env.RegisterActivity(i.acts)
		i.env.ExecuteWorkflow(workflows.VerificationCleanup)
		return i.env.GetWorkflowError()
	}
	require.NoError(t, tidies())
	require.Equal(t, map[string]bool{}, i.pictures.kept)

	require.NoError(t, i.db.Verifications.SaveScreenshot(t.Context(), verification.Shot{
		RunID: i.asking, Theme: verification.Light, Viewport: "wide", ImageHash: picture, TakenAt: begin,
	}))
	require.NoError(t, tidies())
	require.Equal(t, map[string]bool{picture: true}, i.pictures.kept)

	i.pictures.full = errors.New("read-only file system")
	require.Error(t, tidies(), "given up")
}
