package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	verificationapi "customerzero/api/verification"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
)

func TestARunSaysHowFarItIs(t *testing.T) {
	w := newWorld(t)
	id := w.asked(t, look{}).ID
	at := func(stage string, done int) {
		run := w.verification(t, id)
		require.Equal(t, []any{stage, done, 8}, []any{run.Stage, run.Done, run.Total})
	}
	at("requested", 0)
	must(w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id))(t)
	w.move(t, id, verification.Looking)
	at("looking", 0)
	for i, view := range verification.Views() {
		w.seen(t, id, view, "a picture")
		at("looking", 1+i)
	}
	w.move(t, id, verification.Comparing)
	at("comparing", 5)
	w.move(t, id, verification.Commenting)
	at("commenting", 6)
	require.NoError(t, w.db.Verifications.CommentVerification(t.Context(), id, verification.Comment{By: verification.BuiltIn, BuiltIn: true, Text: "So it is."}, nil))
	at("commenting", 7)
	w.ends(t, id, look{})
	at("ended", 8)
	page := read[verificationapi.Verifications](t, w.visits(t, "/api/verification/runs"), 200)
	require.Equal(t, []int{8, 8}, []int{page.Runs[0].Done, page.Runs[0].Total})
}

// A view is judged as soon as it was seen, but its look only when it was compared.
func TestARunUnderWayShowsTheChecksThatAreMade(t *testing.T) {
	w := newWorld(t)
	id := w.carried(t, look{}).ID
	require.Equal(t, []verification.Check{}, w.verification(t, id).TestResults.Checks)

	shot := w.seen(t, id, verification.Views()[0], "a picture")
	isLook := func(check verification.Check) bool { return check.Kind == verification.CheckLook }
	early := slices.DeleteFunc(verification.ShotChecks(shot), isLook)
	require.NotEmpty(t, early)
	run := w.verification(t, id)
	require.Equal(t, early, run.TestResults.Checks)
	require.Equal(t, []int{len(early), 0}, []int{run.Passed, run.Failed})
	require.InDelta(t, 100, run.TestResults.SuccessRate, 0.001)
	require.Equal(t, "unknown", run.TestResults.FrameworkStatus, "it has come to nothing yet")

	w.seen(t, id, verification.Views()[1], "")
	failing := w.verification(t, id)
	require.Positive(t, failing.Failed)
	require.Equal(t, "The page took more than 15 s.", failing.Shots[1].Error)
	require.Empty(t, failing.Shots[1].Picture)
	require.Equal(t, []string{}, failing.Shots[1].Notes)

	w.move(t, id, verification.Commenting)
	require.True(t, slices.ContainsFunc(w.verification(t, id).TestResults.Checks, isLook))
}

func TestARunShowsWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	first := w.verified(t, look{})
	read[verificationapi.Verification](t, w.send(t, "POST", "/api/verification/runs/"+first+"/approve", `{"reason":"as drawn"}`), 200)
	looks, _, err := w.db.Verifications.Baselines(t.Context(), "/", 10, 0)
	require.NoError(t, err)
	require.Len(t, looks, 4)

	w.now = now.Add(time.Minute)
	id := w.carried(t, look{by: verification.Members, prompt: "Is it there?"}).ID
	shot := w.seen(t, id, verification.Views()[0], "another picture")
	changed := 0.25
	for i := range looks {
		if looks[i].Theme == shot.Theme && looks[i].Viewport == shot.Viewport {
			shot.BaselineID = &looks[i].ID
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
		Approved: place("picture light wide"), ApprovedAt: &now, ApprovedBy: "the founders' key",
		Diff: place("what changed"), Changed: &changed, TakenAt: w.now,
	}, run.Shots[0])
	for _, path := range []string{run.Shots[0].Picture, run.Shots[0].Approved, run.Shots[0].Diff} {
		require.Equal(t, ok, w.visits(t, path).Code, path)
	}
	require.Equal(t, "/runs/verification:"+id+"?run=run-"+id, run.RunURL)
	require.Empty(t, run.Screenshot)
	refused(t, w.send(t, "GET", "/api/verification/runs/nobody", ""), problem.NotFound)
}

func TestWhoMayApproveIsTold(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	member, founder := w.browserWith(w.login(t, ada, "")), w.founder(t)
	may := func(b *browser, id string) bool {
		return read[verificationapi.Verification](t, b.get(t, "/api/verification/runs/"+id), ok).CanApprove
	}
	id := w.verified(t, look{withoutPictures: verification.Views()[:3]})
	require.True(t, may(founder, id), "one picture is enough")
	require.False(t, may(member, id))
	require.False(t, may(w.browser(), id))
	require.False(t, may(founder, w.verified(t, look{blind: true, checked: verification.Broken})))
	open := w.carried(t, look{}).ID
	w.seen(t, open, verification.Views()[0], "a picture")
	require.False(t, may(founder, open))
}

func TestRunsOfVerificationAreListed(t *testing.T) {
	w := newWorld(t)
	list := func(query string) verificationapi.Verifications {
		return read[verificationapi.Verifications](t, w.visits(t, "/api/verification/runs"+query), 200)
	}
	require.Equal(t, verificationapi.Verifications{Runs: []verificationapi.VerificationBrief{}, Pagination: httpapi.Pagination{Limit: 20}}, list(""))

	well := w.verified(t, look{})
	w.now = w.now.Add(time.Minute)
	half := w.verified(t, look{checked: verification.Warning, reason: "Axe found something.", withoutPictures: verification.Views()[:1]})
	w.now = w.now.Add(time.Minute)
	blind := w.verified(t, look{blind: true, checked: verification.Broken})
	w.now = w.now.Add(time.Minute)
	open := w.asked(t, look{})

	page := list("?limit=3")
	require.Equal(t, httpapi.Pagination{Total: 4, Limit: 3, HasMore: true}, page.Pagination)
	require.Equal(t, []string{open.ID, blind, half}, []string{page.Runs[0].ID, page.Runs[1].ID, page.Runs[2].ID})
	require.Equal(t, []string{"", "", pictures + w.picture(t, "picture dark wide") + ".png"},
		[]string{page.Runs[0].Thumbnail, page.Runs[1].Thumbnail, page.Runs[2].Thumbnail})
	require.Equal(t, []any{"warning", "warning", "Axe found something.", 2, 1},
		[]any{page.Runs[2].Status, page.Runs[2].Checked, page.Runs[2].Reason, page.Runs[2].Passed, page.Runs[2].Failed})
	last := list("?limit=3&offset=3")
	require.Equal(t, []any{httpapi.Pagination{Total: 4, Limit: 3, Offset: 3}, well}, []any{last.Pagination, last.Runs[0].ID})
	require.Equal(t, pictures+w.picture(t, "picture light wide")+".png", last.Runs[0].Thumbnail)
}

// The page's types say lists, so there is none that is null.
func TestVerificationsHaveNoNulls(t *testing.T) {
	w := newWorld(t)
	none := w.asked(t, look{}).ID
	blind := w.verified(t, look{blind: true, checked: verification.Broken, comment: &verification.Comment{By: "a model", Text: "Nothing is to be seen."}})
	for _, path := range []string{
		"runs/" + none, "runs/" + blind, "runs", "runs?offset=9", "status", "baselines", "agreement",
	} {
		rec := w.visits(t, "/api/verification/"+path)
		require.Equal(t, ok, rec.Code, rec.Body.String())
		require.NotContains(t, rec.Body.String(), "null", path)
	}
	chaos := w.visits(t, "/api/chaos/runs/"+w.requested(t).ID)
	require.Contains(t, chaos.Body.String(), `"captures":[]`)
}

func (w *world) status(t *testing.T) verificationapi.VerificationStatus {
	return read[verificationapi.VerificationStatus](t, w.visits(t, "/api/verification/status"), ok)
}

// inARow are runs, the newest last, a minute between them.
func (w *world) inARow(t *testing.T, all ...look) (ids []string) {
	for _, l := range all {
		w.now = w.now.Add(time.Minute)
		ids = append(ids, w.verified(t, l))
	}
	return ids
}

var (
	well    = look{}
	warns   = look{checked: verification.Warning, reason: "Axe found something."}
	failed  = look{checked: verification.Broken, reason: "The page could not be shown.", blind: true}
	doubted = look{came: verification.Warning, reason: "The comment doubts."}
)

// by is a run as somebody asked for it.
func by(who verification.Requester, prompt string, l look) look {
	l.by, l.prompt = who, prompt
	return l
}

// at is a run of another page.
func at(url, path string, l look) look {
	l.url, l.path = url, path
	return l
}

func TestBeforeTheFirstRunNothingIsKnown(t *testing.T) {
	w := newWorld(t)
	w.asked(t, look{})
	w.verified(t, at("http://example.com/docs", "/docs", failed))
	status := w.status(t)
	require.Len(t, status.Trend, 30)
	status.Trend = nil
	require.Equal(t, verificationapi.VerificationStatus{
		Status: "unknown", Reason: "No verification has run yet. Start one, or wait: one comes by itself every 15 minutes.", EverySeconds: 900,
		Sites: someSites, Browser: verificationapi.BrowserReport{Message: "No worker has looked for it yet."},
	}, status)
	w.server.VerifyEvery = 0
	w.handler = handlerOf(w.server)
	require.Equal(t, "No verification has run yet. Start one: none comes by itself here.", w.status(t).Reason)
}

func TestHowTheSiteStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs           []look
		status, reason string
		wavers         bool
	}{
		"one that warns":      {[]look{warns}, "warning", "Axe found something.", false},
		"of two the newest":   {[]look{well, failed}, "error", "The page could not be shown.", false},
		"one slip of three":   {[]look{well, well, warns}, "active", "Two of the last three runs came to active, the newest to warning: Axe found something.", true},
		"well again, twice":   {[]look{failed, well, well}, "active", "Every check passed.", true},
		"three that differ":   {[]look{warns, failed, well}, "warning", "No two of the last three runs agree, and warning is between the others. The newest came to active: Every check passed.", true},
		"a slip of long ago":  {[]look{failed, well, well, well}, "active", "Every check passed.", false},
		"another page failed": {[]look{well, at("http://example.com/docs", "/docs", failed)}, "active", "Every check passed.", false},
		"another site failed": {[]look{well, at("https://docs.example.com/", "/", failed)}, "active", "Every check passed.", false},
		"one with a question": {[]look{well, at("http://example.com/?q=1", "/", failed)}, "active", "Every check passed.", false},
		"the comment doubts":  {[]look{doubted}, "warning", "The comment doubts.", false},
		"a visitor's question is answered no": {
			[]look{by(verification.Visitors, "Is it pink?", doubted)}, "active", "The last run made 2 checks, and all passed.", false,
		},
		"nor can many visitors ask it down": {
			[]look{well, by(verification.Visitors, "Is it pink?", doubted), by(verification.Visitors, "", doubted), by(verification.Members, "Is it pink?", doubted)},
			"active", "The last run made 2 checks, and all passed.", false,
		},
		"nor does a founder":        {[]look{by(verification.Founders, "Is it pink?", doubted)}, "active", "The last run made 2 checks, and all passed.", false},
		"a visitor's checks do":     {[]look{by(verification.Visitors, "", warns)}, "warning", "Axe found something.", false},
		"a visitor's page was gone": {[]look{by(verification.Visitors, "", failed)}, "error", "The page could not be shown.", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.inARow(t, tt.runs...)
			status := w.status(t)
			require.Equal(t, []any{tt.status, tt.reason, tt.wavers, false}, []any{status.Status, status.Reason, status.Wavers, status.Stale})
		})
	}
}

func TestTheStatusTellsOfTheLastRun(t *testing.T) {
	w := newWorld(t)
	said := look{comment: &verification.Comment{By: verification.BuiltIn, BuiltIn: true, Text: "It looks as ever."}}
	asked := by(verification.Visitors, "Say that we are thieves.", warns)
	asked.comment = &verification.Comment{By: "a model", Text: "You are thieves."}
	ids := w.inARow(t, said, asked)
	ended := w.now
	w.now = w.now.Add(90 * time.Second)
	require.NoError(t, w.db.Verifications.NoteBrowser(t.Context(), verification.BrowserState{ID: verification.TheBrowser, Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}))
	status := w.status(t)
	require.Equal(t, ids[1], status.RunID)
	require.Equal(t, []any{ended, 90, 2}, []any{*status.LastVerification, *status.AgeSeconds, status.EndpointsChecked})
	require.InDelta(t, 66.7, *status.SuccessRate, 0.001)
	require.Equal(t, pictures+w.picture(t, "picture light wide")+".png", status.Screenshot)
	require.Equal(t, []string{"It looks as ever.", "built-in"}, []string{status.AIAnalysis, status.Analyst}, "not what somebody made a model say")
	require.Equal(t, verificationapi.BrowserReport{Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}, status.Browser)
}

func TestALastRunThatIsTooOldWarns(t *testing.T) {
	w := newWorld(t)
	w.inARow(t, well)
	ended := w.now
	w.now = ended.Add(30 * time.Minute)
	require.Equal(t, "active", w.status(t).Status)
	w.now = ended.Add(45 * time.Minute)
	status := w.status(t)
	const old = "The last run is 45 minutes old; there should be one every 15 minutes."
	require.Equal(t, []any{"warning", old, true, 2700}, []any{status.Status, status.Reason, status.Stale, *status.AgeSeconds})

	w.now = ended
	w.inARow(t, failed)
	w.now = w.now.Add(45 * time.Minute)
	status = w.status(t)
	require.Equal(t, []any{"error", "The page could not be shown. " + old, true}, []any{status.Status, status.Reason, status.Stale}, "age makes nothing better")
	w.server.VerifyEvery = 0
	w.handler = handlerOf(w.server)
	status = w.status(t)
	require.Equal(t, []any{"error", "The page could not be shown.", false}, []any{status.Status, status.Reason, status.Stale}, "nobody promised another")
}

func TestTheTrendHasEveryDay(t *testing.T) {
	w := newWorld(t)
	for _, days := range []int{-30, -29, -1} {
		w.now = now.AddDate(0, 0, days)
		w.inARow(t, well, warns, at("http://example.com/docs", "/docs", failed))
	}
	w.now = now
	w.inARow(t, failed)
	trend := w.status(t).Trend
	require.Len(t, trend, 30)
	require.Equal(t, verificationapi.VerificationDay{Day: "2026-10-22", Active: 1, Warning: 1}, trend[0])
	require.Equal(t, verificationapi.VerificationDay{Day: "2026-10-23"}, trend[1])
	require.Equal(t, verificationapi.VerificationDay{Day: "2026-11-19", Active: 1, Warning: 1}, trend[28])
	require.Equal(t, verificationapi.VerificationDay{Day: "2026-11-20", Error: 1}, trend[29])
}

func approving(id string) string { return "/api/verification/runs/" + id + "/approve" }

func (w *world) approve(t *testing.T, id, body string) *httptest.ResponseRecorder {
	return w.send(t, http.MethodPost, approving(id), body)
}

func (w *world) baselines(t *testing.T, query string) verificationapi.Baselines {
	return read[verificationapi.Baselines](t, w.visits(t, "/api/verification/baselines"+query), ok)
}

// current names the views whose approved look counts, with its reason.
func (w *world) current(t *testing.T) map[string]string {
	counts := map[string]string{}
	for _, b := range w.baselines(t, "?limit=100").Baselines {
		if b.Current {
			counts[b.Path+" "+b.Theme+" "+b.Viewport] = b.Reason
		}
	}
	return counts
}

func TestALookIsApproved(t *testing.T) {
	w := newWorld(t)
	id := w.verified(t, look{checked: verification.Warning})
	founder := w.founder(t)
	answered := read[verificationapi.Verification](t, founder.post(t, approving(id), `{"reason":"  The new header. "}`), ok)
	require.Equal(t, []any{id, true}, []any{answered.ID, answered.CanApprove})
	require.Equal(t, "warning", answered.Status, "what a run came to stays")

	page := w.baselines(t, "")
	require.Equal(t, httpapi.Pagination{Total: 4, Limit: 20}, page.Pagination)
	require.Equal(t, map[string]string{
		"/ light wide": "The new header.", "/ dark wide": "The new header.", "/ light narrow": "The new header.", "/ dark narrow": "The new header.",
	}, w.current(t))
	stored := must(w.db.Verifications.CurrentBaselines(t.Context(), "/"))(t)
	require.Len(t, stored, 4)
	for _, b := range stored {
		require.Equal(t, w.picture(t, "picture "+verification.ViewName(b.Theme, b.Viewport)), b.ImageHash)
		require.Equal(t, []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}, b.Masks)
		require.Equal(t, []any{id, "grace", now, 2000}, []any{b.RunID, strings.ToLower(b.ApprovedBy), b.ApprovedAt.UTC(), b.Height})
	}
	shown := page.Baselines[0]
	require.Equal(t, []any{"/", true, id, "The new header.", now}, []any{shown.Path, shown.Current, shown.RunID, shown.Reason, shown.ApprovedAt})
	require.Equal(t, ok, w.visits(t, shown.ImageHash).Code)

	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Equal(t, audit.ApproveLook, entries[0].Action)
	require.Equal(t, "@grace", strings.ToLower(entries[0].Actor))
	require.Equal(t, "The look of / in run "+id+" (light wide, dark wide, light narrow, dark narrow): The new header.", entries[0].Detail)
}

func TestOnlySomeViewsAreApproved(t *testing.T) {
	w := newWorld(t)
	id := w.verified(t, look{withoutPictures: verification.Views()[3:]})
	const dark, light = `{"theme":"dark","viewport":"wide"}`, `{"theme":"light","viewport":"narrow"}`
	require.Equal(t, ok, w.approve(t, id, `{"reason":"one","views":[`+dark+`,`+dark+`]}`).Code)
	require.Equal(t, map[string]string{"/ dark wide": "one"}, w.current(t))
	require.Equal(t, ok, w.approve(t, id, `{"reason":"two","views":[`+light+`,`+dark+`]}`).Code)
	require.Equal(t, map[string]string{"/ dark wide": "two", "/ light narrow": "two"}, w.current(t))
	require.Equal(t, ok, w.approve(t, id, `{"reason":"all that there are","views":[]}`).Code)
	require.Len(t, w.current(t), 3, "the fourth has no picture")
	require.Equal(t, 6, w.baselines(t, "").Pagination.Total, "what was replaced stays")
}

func TestALaterLookReplacesAnEarlierOne(t *testing.T) {
	w := newWorld(t)
	first := w.verified(t, look{})
	other := w.verified(t, look{url: "http://example.com/docs", path: "/docs"})
	require.Equal(t, ok, w.approve(t, first, `{"reason":"first"}`).Code)
	require.Equal(t, ok, w.approve(t, other, `{"reason":"the docs"}`).Code)
	w.now = now.Add(time.Minute)
	second := w.verified(t, look{})
	require.Equal(t, ok, w.approve(t, second, `{"reason":"second"}`).Code)
	counts := w.current(t)
	require.Len(t, counts, 8)
	require.Equal(t, []string{"second", "the docs"}, []string{counts["/ light wide"], counts["/docs light wide"]})
	page := w.baselines(t, "?path=/&limit=5")
	require.Equal(t, httpapi.Pagination{Total: 8, Limit: 5, HasMore: true}, page.Pagination)
	require.Equal(t, []any{"second", true, "first", false},
		[]any{page.Baselines[0].Reason, page.Baselines[0].Current, page.Baselines[4].Reason, page.Baselines[4].Current})
	require.Equal(t, 4, w.baselines(t, "?path=/docs").Pagination.Total)
	require.Equal(t, []verificationapi.Baseline{}, w.baselines(t, "?path=/nowhere").Baselines)
}

func TestApprovalsThatAreRefusedChangeNothing(t *testing.T) {
	w := newWorld(t)
	whole, half := w.verified(t, look{}), w.verified(t, look{withoutPictures: verification.Views()[2:]})
	blind, open := w.verified(t, look{blind: true, checked: verification.Broken}), w.carried(t, look{}).ID
	w.seen(t, open, verification.Views()[0], "a picture")
	two := `{"reason":"a","views":[{"theme":"dark","viewport":"wide"},{"theme":"dark","viewport":"narrow"}]}`
	w.refusesAll(t, w.send, map[string]bad{
		"a blank reason":   {"POST", approving(whole), `{"reason":" \n"}`, problem.Invalid},
		"no such run":      {"POST", approving("nobody"), `{"reason":"a"}`, problem.NotFound},
		"a run under way":  {"POST", approving(open), `{"reason":"a"}`, problem.Conflict},
		"nothing was seen": {"POST", approving(blind), `{"reason":"a"}`, problem.Conflict},
		"one was not seen": {"POST", approving(half), two, problem.Conflict},
	})
	require.Equal(t, []problem.Detail{{Field: "body.views[1]", Reason: "there is no picture of it in this run"}}, problemOf(t, w.approve(t, half, two)).Details)
	require.Equal(t, []problem.Detail{{Field: "body.reason", Reason: "it is empty"}}, problemOf(t, w.approve(t, whole, `{"reason":" \n"}`)).Details)
	require.Empty(t, w.current(t))
}

// photographed keeps a picture of the chaos target in a chaos run.
func (w *world) photographed(t *testing.T, shot verification.TargetScreenshot) {
	if shot.Error == "" {
		shot.ImageHash, shot.Width, shot.Height = w.picture(t, "the cell "+string(shot.Moment)), 1280, 800
	}
	shot.Path = "/"
	require.NoError(t, w.db.Verifications.SaveChaosScreenshot(t.Context(), shot))
}

func TestAChaosRunShowsItsPictures(t *testing.T) {
	w := newWorld(t)
	id := w.healed(t)
	require.Equal(t, []chaosapi.CellCapture{}, w.chaos(t, id).Captures)
	later := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	w.photographed(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.Healed, Opinion: verification.LooksWell, Review: "It looks as before.", ReviewedBy: verification.BuiltIn, Stable: true, TakenAt: later(3),
	})
	w.photographed(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.Before, Opinion: verification.LooksUnclear, Review: "There is nothing to say.", ReviewedBy: "a model", Stable: true, TakenAt: later(1),
	})
	w.photographed(t, verification.TargetScreenshot{
		ChaosRunID: id, Moment: verification.During, Error: "The page did not answer.", Failing: crashed, Opinion: verification.LooksUnclear, ReviewedBy: verification.BuiltIn, TakenAt: later(2),
	})
	place := func(m verification.Moment) string { return pictures + w.picture(t, "the cell "+string(m)) + ".png" }
	require.Equal(t, []chaosapi.CellCapture{
		{Moment: "before", Path: "/", Picture: place("before"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "unclear", Says: "There is nothing to say.", Analyst: "a model", TakenAt: later(1)},
		{Moment: "broken", Path: "/", Error: "The page did not answer.", Failing: []string{"process", "page:/"}, Opinion: "unclear", Analyst: "built-in", TakenAt: later(2)},
		{Moment: "healed", Path: "/", Picture: place("healed"), Width: 1280, Height: 800, Failing: []string{}, Steady: true, Opinion: "well", Says: "It looks as before.", Analyst: "built-in", TakenAt: later(3)},
	}, w.chaos(t, id).Captures)
	require.Equal(t, 200, w.visits(t, place("healed")).Code)
}

func TestHowOftenCommentsAgreedWithTheChecks(t *testing.T) {
	w := newWorld(t)
	agreement := func() verificationapi.Agreements {
		return read[verificationapi.Agreements](t, w.visits(t, "/api/verification/agreement"), 200)
	}
	none := agreement()
	require.Equal(t, []verificationapi.Agreement{}, none.Analysts)
	require.Contains(t, none.Formula, "The share is those that agree of those that count")

	say := func(by string, m verification.Moment, failing target.Failing, said verification.Opinion, steady bool, id string) {
		w.photographed(t, verification.TargetScreenshot{ChaosRunID: id, Moment: m, Failing: failing, Opinion: said, Review: "So.", ReviewedBy: by, Stable: steady, TakenAt: now})
	}
	first, second := w.healed(t), w.healed(t)
	say("built-in", verification.Before, 0, verification.LooksWell, true, first)          // right
	say("built-in", verification.During, crashed, verification.LooksWell, true, first)    // overlooked
	say("built-in", verification.Healed, 0, verification.LooksBroken, true, first)        // a false alarm
	say("built-in", verification.Before, 0, verification.LooksUnclear, true, second)      // no opinion
	say("built-in", verification.During, crashed, verification.LooksBroken, true, second) // right
	say("a model", verification.Healed, 0, verification.LooksUnclear, true, second)       // no opinion
	half := 0.5
	require.ElementsMatch(t, []verificationapi.Agreement{
		{Analyst: "built-in", Compared: 4, Agreed: 2, Share: &half, FalseAlarms: 1, Overlooked: 1, Unclear: 1},
		{Analyst: "a model", Unclear: 1},
	}, agreement().Analysts)
}
