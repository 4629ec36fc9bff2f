package workflows_test

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

const unlooked = -1

var errKilled = errors.New("the browser was killed")

// Proves: F22
func TestVerificationEnds(t *testing.T) {
	t.Parallel()
	all := func(err error) func(*inspection) {
		return func(i *inspection) { i.sees = func(int, *verification.Capture) error { return err } }
	}
	for name, tt := range map[string]struct {
		given   func(i *inspection)
		verdict verification.Verdict
		reason  string
		code    problem.Code
		failed  string
		looks   int // 0: one for each view; unlooked: none
		shots   string
	}{
		"active": {given: func(*inspection) {}, verdict: verification.Active, reason: "passed"},
		"a failing check": {
			given: func(i *inspection) {
				i.sees = func(n int, seen *verification.Capture) error {
					seen.Facts.Console = []string{"TypeError: x is undefined"}
					return nil
				}
			},
			verdict: verification.Warning, reason: "console",
			failed: "console light wide, console dark wide, console light narrow, console dark narrow",
		},
		"an endpoint that fails": {
			given:   func(i *inspection) { i.statuses["/api/stats"] = http.StatusInternalServerError },
			verdict: verification.Warning, reason: "GET /api/stats", failed: "endpoint GET /api/stats",
		},
		"an endpoint that sends its callers elsewhere": {
			given:   func(i *inspection) { i.statuses["/healthz"] = http.StatusFound },
			verdict: verification.Warning, failed: "endpoint GET /healthz",
		},
		"a page that cannot be reached": {
			given:   all(problem.New(problem.PageUnreachable, "The page cannot be reached.")),
			verdict: verification.Broken, code: problem.PageUnreachable, shots: "The page cannot be reached.",
			failed: "page light wide, page dark wide, page light narrow, page dark narrow",
		},
		"no browser": {
			given:   all(problem.New(problem.BrowserMissing, "There is no Chromium.")),
			verdict: verification.Warning, code: problem.BrowserMissing, reason: "The browser is missing", shots: "There is no Chromium.",
		},
		"none that is set up": {
			given:   func(i *inspection) { i.acts.Browser = nil },
			verdict: verification.Warning, code: problem.BrowserMissing, shots: "No browser is set up.", looks: unlooked,
		},
		"a browser that dies once": {
			given: func(i *inspection) {
				i.sees = func(n int, _ *verification.Capture) error {
					if n == 1 {
						return errKilled
					}
					return nil
				}
			},
			verdict: verification.Active, looks: 5,
		},
		"a browser that always dies": {
			given: all(errKilled), verdict: verification.Broken, looks: 12, shots: "The browser died while it looked.",
			failed: "page light wide, page dark wide, page light narrow, page dark narrow",
		},
		"a worker that is lost whenever it looks": {
			given:   func(i *inspection) { i.network.loses, i.network.asks = "CapturePage", true },
			verdict: verification.Broken, looks: unlooked, shots: "No worker finished opening the page in time.",
			failed: "page light wide, page dark wide, page light narrow, page dark narrow",
		},
		"what was seen is there, though the answer is lost": {
			given:   func(i *inspection) { i.network.loses = "CapturePage" },
			verdict: verification.Active, looks: 12,
		},
		"a worker that is lost whenever it asks": {
			given:   func(i *inspection) { i.network.loses, i.network.asks = "AskEndpoints", true },
			verdict: verification.Warning, reason: "nobody could ask the endpoints",
		},
		"a comparison that is lost": {
			given:   func(i *inspection) { i.network.loses, i.network.asks = "CompareLook", true },
			verdict: verification.Active,
		},
		"a comment that is lost": {
			given:   func(i *inspection) { i.network.loses, i.network.asks = "CommentLook", true },
			verdict: verification.Active,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInspection(t)
			tt.given(i)
			run, shots := i.inspect(t)
			require.Equal(t, tt.verdict, run.Verdict, run.Reason)
			require.Equal(t, tt.verdict, run.Checked)
			require.Contains(t, run.Reason, tt.reason)
			require.Equal(t, string(tt.code), run.Code)
			require.Equal(t, tt.failed, failedChecks(run))
			require.Equal(t, max(0, cmp.Or(tt.looks, 4)), i.looks)
			require.Len(t, shots, 4, "every view has something to say")
			for _, shot := range shots {
				require.Equal(t, tt.shots, shot.Error)
				require.Equal(t, tt.shots == "", shot.Picture != "")
			}
			require.NotNil(t, run.Comment, "there is always a comment")
			require.True(t, run.Comment.BuiltIn)
			require.Empty(t, run.Comment.Trouble)
			require.NotEmpty(t, run.Comment.Text)
			require.Nil(t, run.CallID)
			answer := must(i.env.QueryWorkflow(workflows.QueryProgress))
			var progress workflows.VerificationProgress
			require.NoError(t, answer.Get(&progress))
			require.Equal(t, workflows.VerificationProgress{Stage: verification.Ended, Done: 8, Total: 8}, progress)
		})
	}
}

func TestACancelledVerificationEndsItsRow(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.looked = func(n int) {
		if n == 2 {
			i.env.CancelWorkflow()
		}
	}
	run, _ := i.inspect(t)
	require.Equal(t, verification.Warning, run.Verdict, "it says nothing good, and nothing bad")
	require.Equal(t, "The run was cancelled by hand.", run.Reason)
	days := must(i.db.Verifications.VerificationDays(t.Context(), "2026-01-01"))
	require.Empty(t, days, "it does not tell how the site stands")
}

func TestAVerificationThatHasEndedIsNotPlayedAgain(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.request(t)
	must(i.db.Verifications.EndVerification(t.Context(), i.asking, verification.Outcome{Checked: verification.Active, Verdict: verification.Active, Reason: "It was."}, false, begin))
	run, _ := i.play(t)
	require.Equal(t, "It was.", run.Reason)
	require.Zero(t, i.looks)
}

func TestScheduleLooksAtTheFrontPage(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.asking = ""
	run, _ := i.inspect(t)
	require.Equal(t, verification.Active, run.Verdict)
	require.Equal(t, verification.Schedule, run.RequestedBy)
	require.Equal(t, i.acts.Sites[0]+"/", run.URL)
	require.Equal(t, run.RunID, run.ID, "a repeat asks for no second one")
	days := must(i.db.Verifications.VerificationDays(t.Context(), "2026-01-01"))
	require.Len(t, days, 1)
	require.Equal(t, 1, days[0].Active)
}

func TestScheduleWaitsForItsLastRun(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	key := verification.BySchedule
	require.NoError(t, i.db.Verifications.RequestVerification(t.Context(), verification.Run{
		ID: "left behind", URL: i.acts.Sites[0] + "/", Path: "/", RequestedBy: verification.Schedule, OpenKey: &key,
		Stage: verification.Requested, RequestedAt: begin,
	}, ""))
	result := run[workflows.VerificationResult](t, i.env, workflows.Verification, workflows.VerificationInput{})
	require.NotEmpty(t, result.Refused)
	require.Zero(t, i.looks)
	require.Nil(t, i.pictures.kept)
}

func TestAVisitorsRunTidiesNothingUp(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.inspect(t)
	require.Nil(t, i.pictures.kept)
}

func TestALookIsHeldAgainstTheApprovedOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shift   int
		verdict verification.Verdict
		masks   []verification.Rect
		gone    bool // the approved picture
	}{
		"as it was":                  {verdict: verification.Active},
		"moved":                      {shift: 20, verdict: verification.Warning},
		"moved where it may":         {shift: 20, verdict: verification.Active, masks: []verification.Rect{{Width: 64, Height: 48}}},
		"its approved look was lost": {shift: 20, verdict: verification.Active, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInspection(t)
			i.asking = "v0"
			i.request(t)
			i.asking = "v1"
			approved := must(i.pictures.Put(t.Context(), pngOf(tt.shift)))
			if tt.gone {
				delete(i.pictures.files, approved)
			}
			require.NoError(t, i.db.Verifications.ApproveLook(t.Context(), []verification.Baseline{{
				ID: "b1", Path: "/", Theme: verification.Light, Viewport: "wide", Picture: approved, Width: 64, Height: 48,
				Masks: tt.masks, RunID: "v0", Reason: "first", ApprovedBy: "founder", ApprovedAt: begin,
			}}))
			must(i.db.Verifications.EndVerification(t.Context(), "v0", verification.Outcome{Checked: verification.Active, Verdict: verification.Active}, false, begin))
			run, shots := i.inspect(t)
			require.Equal(t, tt.verdict, run.Verdict, run.Reason)
			require.Equal(t, tt.verdict == verification.Warning, shots[0].Diff != "")
			require.Equal(t, tt.gone, shots[0].Changed == nil)
			require.Equal(t, "b1", *shots[0].BaselineID, "also where it could not be compared")
			require.Nil(t, shots[1].BaselineID, "nobody approved that one")
			if shots[0].Diff != "" {
				require.Equal(t, "look light wide", failedChecks(run))
				require.Contains(t, i.pictures.files, shots[0].Diff)
			}
		})
	}
}

func TestHowTheBrowserIsIsWrittenDown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want verification.BrowserState
	}{
		"it works":                        {want: verification.BrowserState{Ready: true, Version: "Chromium 1.2"}},
		"it is missing":                   {err: problem.New(problem.BrowserMissing, "There is no Chromium."), want: verification.BrowserState{Message: "There is no Chromium."}},
		"it works, and the page does not": {err: problem.New(problem.PageSlow, "It is slow."), want: verification.BrowserState{Ready: true}},
		"it died":                         {err: errKilled, want: verification.BrowserState{Message: "No worker has looked for it yet."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInspection(t)
			i.sees = func(int, *verification.Capture) error { return tt.err }
			i.inspect(t)
			state := must(i.db.Verifications.Browser(t.Context()))
			require.Equal(t, errors.Is(tt.err, errKilled), state.SeenAt == nil)
			state.ID, state.SeenAt = "", nil
			require.Equal(t, tt.want, state)
		})
	}
}

func TestAViewThatNobodySawDoesNotPass(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.request(t)
	seen := must(i.pictures.Put(t.Context(), pngOf(0)))
	require.NoError(t, i.db.Verifications.SaveShot(t.Context(), verification.Shot{
		RunID: i.asking, Theme: verification.Light, Viewport: "wide", Picture: seen, TakenAt: begin,
		Facts: &verification.Facts{Status: http.StatusOK, Landmarks: verification.Landmarks, Headings: 1},
	}))
	answers := make([]verification.Answer, len(verification.Endpoints))
	for n, e := range verification.Endpoints {
		answers[n] = verification.Answer{Path: e.Path, Status: http.StatusOK, ContentType: e.ContentType}
	}
	ended := must(i.acts.ConcludeVerification(t.Context(), activities.ConcludeVerificationInput{VerificationID: i.asking, Answers: answers}))
	require.Equal(t, verification.Broken, ended.Verdict)
}

func TestTidyingKeepsThePicturesThatRowsName(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.request(t)
	i.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.NoError(t, i.env.GetWorkflowError())
	require.NotNil(t, i.pictures.kept)
	require.Empty(t, i.pictures.kept)

	other := newInspection(t)
	other.request(t)
	require.NoError(t, other.db.Verifications.SaveShot(t.Context(), verification.Shot{
		RunID: other.asking, Theme: verification.Light, Viewport: "wide", Picture: strings.Repeat("a", 64), TakenAt: begin,
	}))
	other.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.NoError(t, other.env.GetWorkflowError())
	require.Equal(t, map[string]bool{strings.Repeat("a", 64): true}, other.pictures.kept)
}

func TestTidyingThatCannotBeDoneIsGivenUp(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.pictures.full = errors.New("read-only file system")
	i.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.Error(t, i.env.GetWorkflowError())
}
