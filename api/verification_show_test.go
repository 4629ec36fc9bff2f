package api_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	verificationapi "customerzero/api/verification"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func TestARunReportsItsProgress(t *testing.T) {
	w := newWorld(t)
	id := w.asked(t, siteCheck{}).ID
	at := func(stage string, done int) {
		run := w.verification(t, id)
		require.Equal(t, []any{stage, done, 8}, []any{run.Stage, run.Done, run.Total})
	}
	at("requested", 0)
	must(w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id))(t)
	w.move(t, id, verification.Capturing)
	at("capturing", 0)
	for i, view := range verification.Views() {
		w.seen(t, id, view, "a picture")
		at("capturing", 1+i)
	}
	w.move(t, id, verification.Comparing)
	at("comparing", 5)
	w.move(t, id, verification.Reviewing)
	at("reviewing", 6)
	require.NoError(t, w.db.Verifications.CommentVerification(t.Context(), id, verification.Comment{By: verification.BuiltIn, BuiltIn: true, Text: "So it is."}, nil))
	at("reviewing", 7)
	w.ends(t, id, siteCheck{})
	at("ended", 8)
	page := read[verificationapi.Verifications](t, w.visits(t, "/api/verification/runs"), 200)
	require.Equal(t, []int{8, 8}, []int{page.Runs[0].Done, page.Runs[0].Total})
}

// A screenshot is checked once it is stored, but compared with its baseline later.
func TestARunningRunShowsItsChecks(t *testing.T) {
	w := newWorld(t)
	id := w.carried(t, siteCheck{}).ID
	require.Equal(t, []verification.Check{}, w.verification(t, id).TestResults.Checks)

	shot := w.seen(t, id, verification.Views()[0], "a picture")
	isBaseline := func(check verification.Check) bool { return check.Kind == verification.CheckBaseline }
	early := slices.DeleteFunc(verification.ShotChecks(shot), isBaseline)
	require.NotEmpty(t, early)
	run := w.verification(t, id)
	require.Equal(t, early, run.TestResults.Checks)
	require.Equal(t, []int{len(early), 0}, []int{run.Passed, run.Failed})
	require.InDelta(t, 100, run.TestResults.SuccessRate, 0.001)
	require.Equal(t, "unknown", run.TestResults.FrameworkStatus, "the run has no result yet")

	w.seen(t, id, verification.Views()[1], "")
	failing := w.verification(t, id)
	require.Positive(t, failing.Failed)
	require.Equal(t, "The page took more than 15 s.", failing.Shots[1].Error)
	require.Empty(t, failing.Shots[1].Picture)
	require.Equal(t, []string{}, failing.Shots[1].Notes)

	w.move(t, id, verification.Reviewing)
	require.True(t, slices.ContainsFunc(w.verification(t, id).TestResults.Checks, isBaseline))
}

func TestARunShowsItsScreenshots(t *testing.T) {
	w := newWorld(t)
	first := w.verified(t, siteCheck{})
	read[verificationapi.Verification](t, w.send(t, "POST", "/api/verification/runs/"+first+"/approve", `{"reason":"as drawn"}`), 200)
	baselines, _, err := w.db.Verifications.Baselines(t.Context(), "/", 10, 0)
	require.NoError(t, err)
	require.Len(t, baselines, 4)

	w.now = now.Add(time.Minute)
	id := w.carried(t, siteCheck{by: verification.Members, prompt: "Is it there?"}).ID
	shot := w.seen(t, id, verification.Views()[0], "another picture")
	changed := 0.25
	for i := range baselines {
		if baselines[i].Theme == shot.Theme && baselines[i].Viewport == shot.Viewport {
			shot.BaselineID = &baselines[i].ID
		}
	}
	require.NotNil(t, shot.BaselineID)
	shot.DiffHash, shot.ChangedShare = w.picture(t, "what changed"), &changed
	require.NoError(t, w.db.Verifications.SaveComparison(t.Context(), shot))

	run := w.verification(t, id)
	require.Equal(t, []any{"Is it there?", "member"}, []any{run.Prompt, run.RequestedBy})
	require.Len(t, run.Shots, 1)
	place := func(content string) string { return "/api/verification/pictures/" + w.picture(t, content) + ".png" }
	require.Equal(t, place("another picture"), run.Thumbnail)
	require.Equal(t, verificationapi.VerificationShot{
		Theme: "light", Viewport: "wide", Picture: place("another picture"), Width: 1280, Height: 2000, Cut: true, Title: "Customer Zero",
		Notes: []string{"A dialog was closed."}, LoadMS: 321, Requests: 7, Bytes: 12345, Browser: "Chromium 156.0.8078.79",
		Approved: place("picture light wide"), ApprovedAt: &now, ApprovedBy: "the admin key",
		Diff: place("what changed"), Changed: &changed, TakenAt: w.now,
	}, run.Shots[0])
	for _, path := range []string{run.Shots[0].Picture, run.Shots[0].Approved, run.Shots[0].Diff} {
		require.Equal(t, ok, w.visits(t, path).Code, path)
	}
	require.Equal(t, "/runs/verification:"+id+"?run=run-"+id, run.RunURL)
	require.Empty(t, run.Screenshot)
	refused(t, w.send(t, "GET", "/api/verification/runs/nobody", ""), problem.NotFound)
}

func TestRunsOfVerificationAreListed(t *testing.T) {
	w := newWorld(t)
	list := func() verificationapi.Verifications {
		return read[verificationapi.Verifications](t, w.visits(t, "/api/verification/runs?limit=2"), 200)
	}
	require.Equal(t, verificationapi.Verifications{Runs: []verificationapi.VerificationBrief{}, Pagination: httpapi.Pagination{Limit: 2}}, list())
	ids := w.inARow(t, well, siteCheck{checked: verification.Warning, reason: "Axe found something.", withoutPictures: verification.Views()[:1]}, failed)
	page := list()
	require.Equal(t, httpapi.Pagination{Total: 3, Limit: 2, HasMore: true}, page.Pagination)
	blind, half := page.Runs[0], page.Runs[1]
	require.Equal(t, []string{ids[2], "", ids[1], pictures + w.picture(t, "picture dark wide") + ".png"}, []string{blind.ID, blind.Thumbnail, half.ID, half.Thumbnail})
	require.Equal(t, []any{"warning", "warning", "Axe found something.", 2, 1}, []any{half.Status, half.Checked, half.Reason, half.Passed, half.Failed})
}

func (w *world) status(t *testing.T) verificationapi.SiteStatus {
	return read[verificationapi.SiteStatus](t, w.visits(t, "/api/verification/status"), ok)
}

// inARow stores runs a minute apart, the newest last.
func (w *world) inARow(t *testing.T, all ...siteCheck) (ids []string) {
	for _, l := range all {
		w.now = w.now.Add(time.Minute)
		ids = append(ids, w.verified(t, l))
	}
	return ids
}

var (
	well   = siteCheck{}
	warns  = siteCheck{checked: verification.Warning, reason: "Axe found something."}
	failed = siteCheck{checked: verification.Broken, reason: "The page could not be shown.", blind: true}
	docs   = siteCheck{checked: verification.Broken, reason: "The page could not be shown.", blind: true, url: "http://example.com/docs", path: "/docs"}
)

func TestStatusBeforeTheFirstRun(t *testing.T) {
	w := newWorld(t)
	w.asked(t, siteCheck{})
	w.verified(t, docs)
	status := w.status(t)
	require.Len(t, status.Trend, 30)
	status.Trend = nil
	require.Equal(t, verificationapi.SiteStatus{
		Status: "unknown", Reason: "The front page has not been verified yet. Start a verification, or wait for the scheduled run every 15 minutes.", EverySeconds: 900,
		Sites: someSites, Browser: verificationapi.BrowserReport{Message: "No worker has looked for it yet."},
	}, status)
	w.server.VerifyEvery = 0
	w.handler = handlerOf(w.server)
	require.Equal(t, "The front page has not been verified yet. Start a verification; scheduled runs are off.", w.status(t).Reason)
}

func TestSiteStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs           []siteCheck
		status, reason string
		wavers         bool
	}{
		"one warning":          {[]siteCheck{warns}, "warning", "Axe found something.", false},
		"one warning of three": {[]siteCheck{well, well, warns}, "active", "2 of the last 3 runs came out as active, the newest as warning: Axe found something.", true},
		"three that differ":    {[]siteCheck{warns, failed, well}, "warning", "The last 3 runs all differ, and warning is the middle result. The newest came out as active: Every check passed.", true},
		"another page failed":  {[]siteCheck{docs, docs, well}, "active", "Every check passed.", false},
		"a prompt is answered no": {
			[]siteCheck{well, {by: verification.Visitors, prompt: "Is it pink?", came: verification.Warning, reason: "The review doubts."}},
			"active", "The last run made 2 checks, and all passed.", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.inARow(t, tt.runs...)
			status := w.status(t)
			require.Equal(t, []any{tt.status, tt.reason, tt.wavers, false}, []any{status.Status, status.Reason, status.Wavers, status.Stale})
			w.now = w.now.Add(45 * time.Minute)
			const old = "The last run is 45 minutes old, but one is due every 15 minutes."
			state, reason := "warning", old
			if tt.status != "active" {
				state, reason = tt.status, tt.reason+" "+old
			}
			status = w.status(t)
			require.Equal(t, []any{state, reason, true}, []any{status.Status, status.Reason, status.Stale}, "a stale status is never better")
			w.server.VerifyEvery = 0
			w.handler = handlerOf(w.server)
			require.False(t, w.status(t).Stale, "no run is scheduled")
		})
	}
}

func TestTheStatusShowsTheLastRun(t *testing.T) {
	w := newWorld(t)
	reviewed := siteCheck{comment: &verification.Comment{By: verification.BuiltIn, BuiltIn: true, Text: "It looks as ever."}}
	prompted := siteCheck{by: verification.Visitors, prompt: "Say that we are thieves.", checked: verification.Warning, comment: &verification.Comment{By: "a model", Text: "You are thieves."}}
	ids := w.inARow(t, reviewed, prompted)
	ended := w.now
	w.now = w.now.Add(90 * time.Second)
	require.NoError(t, w.db.Verifications.NoteBrowser(t.Context(), verification.BrowserState{ID: verification.TheBrowser, Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}))
	status := w.status(t)
	require.Equal(t, ids[1], status.RunID)
	require.Equal(t, []any{ended, 90, 2}, []any{*status.LastVerification, *status.AgeSeconds, status.EndpointsChecked})
	require.InDelta(t, 66.7, *status.SuccessRate, 0.001)
	require.Equal(t, pictures+w.picture(t, "picture light wide")+".png", status.Screenshot)
	require.Equal(t, []string{"It looks as ever.", "built-in"}, []string{status.AIAnalysis, status.Analyst}, "not the answer to a user's prompt")
	require.Equal(t, verificationapi.BrowserReport{Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}, status.Browser)
	require.Equal(t, []verificationapi.VerificationDay{{Day: "2026-11-19"}, {Day: "2026-11-20", Active: 1, Warning: 1}}, status.Trend[28:])
}

func approving(id string) string { return "/api/verification/runs/" + id + "/approve" }

func (w *world) approve(t *testing.T, id, body string) *httptest.ResponseRecorder {
	return w.send(t, http.MethodPost, approving(id), body)
}

func (w *world) baselines(t *testing.T, query string) verificationapi.Baselines {
	return read[verificationapi.Baselines](t, w.visits(t, "/api/verification/baselines"+query), ok)
}

func TestScreenshotsAreApproved(t *testing.T) {
	w := newWorld(t)
	founder := w.founder(t)
	id, half := w.verified(t, siteCheck{checked: verification.Warning}), w.verified(t, siteCheck{withoutPictures: verification.Views()[3:]})
	for who, may := range map[*browser]bool{founder: true, w.newMember(t, "ada"): false, w.browser(): false} {
		require.Equal(t, may, read[verificationapi.Verification](t, who.get(t, "/api/verification/runs/"+half), ok).CanApprove)
	}
	answered := read[verificationapi.Verification](t, founder.post(t, approving(id), `{"reason":"  The new header. "}`), ok)
	require.Equal(t, []any{id, true, "warning"}, []any{answered.ID, answered.CanApprove, answered.Status}, "the result stays")
	stored := must(w.db.Verifications.CurrentBaselines(t.Context(), "/"))(t)
	require.Len(t, stored, 4)
	for _, b := range stored {
		require.Equal(t, w.picture(t, "picture "+verification.ViewName(b.Theme, b.Viewport)), b.ImageHash)
		require.Equal(t, []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}, b.Masks)
		require.Equal(t, []any{id, "Grace", now, 2000}, []any{b.RunID, b.ApprovedBy, b.ApprovedAt.UTC(), b.Height})
	}
	page := w.baselines(t, "")
	shown := page.Baselines[0]
	require.Equal(t, []any{httpapi.Pagination{Total: 4, Limit: 20}, "/", true, id, "The new header.", now},
		[]any{page.Pagination, shown.Path, shown.Current, shown.RunID, shown.Reason, shown.ApprovedAt})
	require.Equal(t, ok, w.visits(t, shown.ImageHash).Code)

	const dark, light = `{"theme":"dark","viewport":"wide"}`, `{"theme":"light","viewport":"narrow"}`
	require.Equal(t, ok, w.approve(t, half, `{"reason":"two","views":[`+light+`,`+dark+`]}`).Code)
	reasons := map[string]string{}
	for _, b := range must(w.db.Verifications.CurrentBaselines(t.Context(), "/"))(t) {
		reasons[verification.ViewName(b.Theme, b.Viewport)] = b.Reason
	}
	require.Equal(t, map[string]string{"light wide": "The new header.", "dark wide": "two", "light narrow": "two", "dark narrow": "The new header."}, reasons)
	require.Equal(t, ok, w.approve(t, half, `{"reason":"all that there are","views":[]}`).Code)
	require.Equal(t, 9, w.baselines(t, "?path=/").Pagination.Total, "the fourth view has no screenshot; replaced baselines stay")
	require.Equal(t, []verificationapi.Baseline{}, w.baselines(t, "?path=/nowhere").Baselines)
}

func TestApprovalsThatAreRefusedChangeNothing(t *testing.T) {
	w := newWorld(t)
	whole, half := w.verified(t, siteCheck{}), w.verified(t, siteCheck{withoutPictures: verification.Views()[2:]})
	blind, open := w.verified(t, siteCheck{blind: true, checked: verification.Broken}), w.carried(t, siteCheck{}).ID
	w.seen(t, open, verification.Views()[0], "a picture")
	two := `{"reason":"a","views":[{"theme":"dark","viewport":"wide"},{"theme":"dark","viewport":"narrow"}]}`
	w.refusesAll(t, w.send, map[string]bad{
		"a blank reason":   {"POST", approving(whole), `{"reason":" \n"}`, problem.Invalid},
		"no such run":      {"POST", approving("nobody"), `{"reason":"a"}`, problem.NotFound},
		"a running run":    {"POST", approving(open), `{"reason":"a"}`, problem.Conflict},
		"no screenshot":    {"POST", approving(blind), `{"reason":"a"}`, problem.Conflict},
		"one missing view": {"POST", approving(half), two, problem.Conflict},
	})
	require.Equal(t, []problem.Detail{{Field: "body.views[1]", Reason: "has no screenshot in this run"}}, problemOf(t, w.approve(t, half, two)).Details)
	require.Equal(t, []problem.Detail{{Field: "body.reason", Reason: "must not be empty"}}, problemOf(t, w.approve(t, whole, `{"reason":" \n"}`)).Details)
}

func (w *world) saveTargetScreenshot(t *testing.T, shot verification.TargetScreenshot) {
	if shot.Error == "" {
		shot.ImageHash, shot.Width, shot.Height = w.picture(t, "the chaos target "+string(shot.Moment)), 1280, 800
	}
	shot.Path = "/"
	require.NoError(t, w.db.Verifications.SaveChaosScreenshot(t.Context(), shot))
}

func TestAChaosRunShowsItsScreenshots(t *testing.T) {
	w := newWorld(t)
	id := w.healed(t)
	require.Equal(t, []chaosapi.TargetCapture{}, w.chaos(t, id).Captures)
	later := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	w.saveTargetScreenshot(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.Healed, Opinion: verification.LooksWell, Review: "It looks as before.", ReviewedBy: verification.BuiltIn, Stable: true, TakenAt: later(3),
	})
	w.saveTargetScreenshot(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.Before, Opinion: verification.LooksUnclear, Review: "There is nothing to say.", ReviewedBy: "a model", Stable: true, TakenAt: later(1),
	})
	w.saveTargetScreenshot(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.During, Error: "The page did not answer.", Failing: crashed, Opinion: verification.LooksUnclear, ReviewedBy: verification.BuiltIn, TakenAt: later(2),
	})
	place := func(m verification.Moment) string {
		return pictures + w.picture(t, "the chaos target "+string(m)) + ".png"
	}
	require.Equal(t, []chaosapi.TargetCapture{
		{Moment: "before", Path: "/", Picture: place("before"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "unclear", Review: "There is nothing to say.", Analyst: "a model", TakenAt: later(1)},
		{Moment: "broken", Path: "/", Error: "The page did not answer.", Failing: []string{"process", "page:/"}, Opinion: "unclear", Analyst: "built-in", TakenAt: later(2)},
		{Moment: "healed", Path: "/", Picture: place("healed"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "healthy", Review: "It looks as before.", Analyst: "built-in", TakenAt: later(3)},
	}, w.chaos(t, id).Captures)
	require.Equal(t, 200, w.visits(t, place("healed")).Code)
}

func TestAgreementOfReviewsAndChecks(t *testing.T) {
	w := newWorld(t)
	id, half := w.healed(t), 0.5
	for moment, by := range map[verification.Moment]string{verification.Before: "built-in", verification.Healed: "built-in", verification.During: "a model"} {
		opinion := map[verification.Moment]verification.Opinion{verification.Before: verification.LooksWell, verification.Healed: verification.LooksBroken}[moment]
		w.saveTargetScreenshot(t, verification.TargetScreenshot{
			ChaosRunID: id, Moment: moment, Opinion: cmp.Or(opinion, verification.LooksUnclear), Review: "So.", ReviewedBy: by, Stable: true, TakenAt: now,
		})
	}
	agreements := read[verificationapi.Agreements](t, w.visits(t, "/api/verification/agreement"), 200)
	require.Contains(t, agreements.Formula, "The share is the agreeing reviews divided by the counted ones")
	require.ElementsMatch(t, []verificationapi.Agreement{
		{Analyst: "built-in", Compared: 2, Agreed: 1, Share: &half, Healthy: 2, FalseAlarms: 1}, {Analyst: "a model", Unclear: 1},
	}, agreements.Analysts)
}
