package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// progress is how far a run says it is.
func (w *world) progress(t *testing.T, id string) (stage string, done int) {
	t.Helper()
	run := w.verification(t, id)
	require.Equal(t, 8, run.Total)
	return run.Stage, run.Done
}

func TestARunSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.asked(t, look{}).ID
	at := func(stage string, done int) {
		t.Helper()
		is, steps := w.progress(t, id)
		require.Equal(t, []any{stage, done}, []any{is, steps})
	}
	at("requested", 0)
	_, err := w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id)
	require.NoError(t, err)
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
	page := read[api.Verifications](t, w.do(t, call{method: "GET", path: "/api/verification/runs", key: "none"}), 200)
	require.Equal(t, []int{8, 8}, []int{page.Runs[0].Done, page.Runs[0].Total})
}

// A view is judged as soon as it was seen, but its look only when it was compared.
func TestARunUnderWayShowsTheChecksThatAreMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.carried(t, look{}).ID
	require.Equal(t, []verification.Check{}, w.verification(t, id).TestResults.Checks)

	shot := w.seen(t, id, verification.Views()[0], "a picture")
	var early []verification.Check
	for _, check := range verification.ShotChecks(shot) {
		if check.Kind != verification.CheckLook {
			early = append(early, check)
		}
	}
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
	kinds := map[verification.CheckKind]bool{}
	for _, check := range w.verification(t, id).TestResults.Checks {
		kinds[check.Kind] = true
	}
	require.True(t, kinds[verification.CheckLook])
}

func TestARunShowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.verified(t, look{})
	read[api.Verification](t, w.do(t, call{method: "POST", path: "/api/verification/runs/" + first + "/approve", body: `{"reason":"as drawn"}`}), 200)
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
	shot.Diff, shot.Changed = w.picture(t, "what changed"), &changed
	require.NoError(t, w.db.Verifications.CompareShot(t.Context(), shot))

	run := w.verification(t, id)
	require.Equal(t, "Is it there?", run.Prompt)
	require.Equal(t, "member", run.RequestedBy)
	require.Len(t, run.Shots, 1)
	place := func(content string) string { return "/api/verification/pictures/" + w.picture(t, content) + ".png" }
	require.Equal(t, place("another picture"), run.Thumbnail)
	require.Equal(t, api.VerificationShot{
		Theme: "light", Viewport: "wide", Picture: place("another picture"), Width: 1280, Height: 2000, Cut: true, Title: "Customer Zero",
		Notes: []string{"A dialog was closed."}, LoadMS: 321, Requests: 7, Bytes: 12345, Browser: "Chromium 156.0.8078.79",
		Approved: place("picture light wide"), ApprovedAt: &now, ApprovedBy: "the founders' key",
		Diff: place("what changed"), Changed: &changed, TakenAt: w.now,
	}, run.Shots[0])
	for _, path := range []string{run.Shots[0].Picture, run.Shots[0].Approved, run.Shots[0].Diff} {
		require.Equal(t, http.StatusOK, w.do(t, call{method: "GET", path: path, key: "none"}).Code, path)
	}
	require.Equal(t, "/runs/verification:"+id+"?run=run-"+id, run.RunURL)
	require.Empty(t, run.Screenshot)
	require.Equal(t, problem.NotFound, problemOf(t, w.do(t, call{method: "GET", path: "/api/verification/runs/nobody"})).Code)
}

func TestWhoMayApproveIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	member, founder := w.browserWith(w.login(t, ada, "")), w.founder(t)
	may := func(b *browser, id string) bool {
		return read[api.Verification](t, b.get(t, "/api/verification/runs/"+id), http.StatusOK).CanApprove
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
	t.Parallel()
	w := newWorld(t)
	list := func(query string) api.Verifications {
		return read[api.Verifications](t, w.do(t, call{method: "GET", path: "/api/verification/runs" + query, key: "none"}), 200)
	}
	require.Equal(t, api.Verifications{Runs: []api.VerificationBrief{}, Pagination: httpapi.Pagination{Limit: 20}}, list(""))

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
	require.Equal(t, httpapi.Pagination{Total: 4, Limit: 3, Offset: 3}, last.Pagination)
	require.Equal(t, well, last.Runs[0].ID)
	require.Equal(t, pictures+w.picture(t, "picture light wide")+".png", last.Runs[0].Thumbnail)
	for _, bad := range []string{"?limit=0", "?limit=101", "?offset=-1", "?order=1"} {
		require.Equal(t, http.StatusUnprocessableEntity, w.do(t, call{method: "GET", path: "/api/verification/runs" + bad, key: "none"}).Code, bad)
	}
}

// The page's types say lists, so there is none that is null.
func TestVerificationsHaveNoNulls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := w.asked(t, look{}).ID
	blind := w.verified(t, look{blind: true, checked: verification.Broken, comment: &verification.Comment{By: "a model", Text: "Nothing is to be seen."}})
	for _, path := range []string{
		"runs/" + none, "runs/" + blind, "runs", "runs?offset=9", "status", "baselines", "agreement",
	} {
		rec := w.do(t, call{method: "GET", path: "/api/verification/" + path, key: "none"})
		require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
		require.NotContains(t, rec.Body.String(), "null", path)
	}
	chaos := w.do(t, call{method: "GET", path: "/api/chaos/runs/" + w.requested(t).ID, key: "none"})
	require.Contains(t, chaos.Body.String(), `"captures":[]`)
}
