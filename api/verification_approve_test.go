package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func approving(id, body string) call {
	return call{method: http.MethodPost, path: "/api/verification/runs/" + id + "/approve", body: body}
}

func (w *world) approve(t *testing.T, id, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, approving(id, body))
}

func (w *world) baselines(t *testing.T, query string) api.Baselines {
	t.Helper()
	return read[api.Baselines](t, w.do(t, call{method: "GET", path: "/api/verification/baselines" + query, key: "none"}), http.StatusOK)
}

// current names the views whose approved look counts, with its reason.
func (w *world) current(t *testing.T) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for _, b := range w.baselines(t, "?limit=100").Baselines {
		if b.Current {
			counts[b.Path+" "+b.Theme+" "+b.Viewport] = b.Reason
		}
	}
	return counts
}

func TestALookIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.verified(t, look{checked: verification.Warning})
	founder := w.founder(t)
	answered := read[api.Verification](t, founder.post(t, approving(id, "").path, `{"reason":"  The new header. "}`), http.StatusOK)
	require.Equal(t, id, answered.ID)
	require.True(t, answered.CanApprove)
	require.Equal(t, "warning", answered.Status, "what a run came to stays")

	page := w.baselines(t, "")
	require.Equal(t, httpapi.Pagination{Total: 4, Limit: 20}, page.Pagination)
	require.Equal(t, map[string]string{
		"/ light wide": "The new header.", "/ dark wide": "The new header.", "/ light narrow": "The new header.", "/ dark narrow": "The new header.",
	}, w.current(t))
	stored, err := w.db.Verifications.CurrentBaselines(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, stored, 4)
	for _, b := range stored {
		require.Equal(t, w.picture(t, "picture "+verification.ViewName(b.Theme, b.Viewport)), b.Picture)
		require.Equal(t, []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}, b.Masks)
		require.Equal(t, []any{id, "grace", now, 2000}, []any{b.RunID, strings.ToLower(b.ApprovedBy), b.ApprovedAt.UTC(), b.Height})
	}
	shown := page.Baselines[0]
	require.Equal(t, []any{"/", true, id, "The new header.", now}, []any{shown.Path, shown.Current, shown.RunID, shown.Reason, shown.ApprovedAt})
	require.Equal(t, http.StatusOK, w.do(t, call{method: "GET", path: shown.Picture, key: "none"}).Code)

	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Equal(t, audit.ApproveLook, entries[0].Action)
	require.Equal(t, "@grace", strings.ToLower(entries[0].Actor))
	require.Equal(t, "The look of / in run "+id+" (light wide, dark wide, light narrow, dark narrow): The new header.", entries[0].Detail)
}

func TestOnlySomeViewsAreApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.verified(t, look{withoutPictures: verification.Views()[3:]})
	const dark, light = `{"theme":"dark","viewport":"wide"}`, `{"theme":"light","viewport":"narrow"}`
	require.Equal(t, http.StatusOK, w.approve(t, id, `{"reason":"one","views":[`+dark+`,`+dark+`]}`).Code)
	require.Equal(t, map[string]string{"/ dark wide": "one"}, w.current(t))
	require.Equal(t, http.StatusOK, w.approve(t, id, `{"reason":"two","views":[`+light+`,`+dark+`]}`).Code)
	require.Equal(t, map[string]string{"/ dark wide": "two", "/ light narrow": "two"}, w.current(t))
	require.Equal(t, http.StatusOK, w.approve(t, id, `{"reason":"all that there are","views":[]}`).Code)
	require.Len(t, w.current(t), 3, "the fourth has no picture")
	require.Equal(t, 6, w.baselines(t, "").Pagination.Total, "what was replaced stays")
}

func TestALaterLookReplacesAnEarlierOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.verified(t, look{})
	other := w.verified(t, look{url: "http://example.com/docs", path: "/docs"})
	require.Equal(t, http.StatusOK, w.approve(t, first, `{"reason":"first"}`).Code)
	require.Equal(t, http.StatusOK, w.approve(t, other, `{"reason":"the docs"}`).Code)
	w.now = now.Add(time.Minute)
	second := w.verified(t, look{})
	require.Equal(t, http.StatusOK, w.approve(t, second, `{"reason":"second"}`).Code)
	counts := w.current(t)
	require.Len(t, counts, 8)
	require.Equal(t, []string{"second", "the docs"}, []string{counts["/ light wide"], counts["/docs light wide"]})
	page := w.baselines(t, "?path=/&limit=5")
	require.Equal(t, httpapi.Pagination{Total: 8, Limit: 5, HasMore: true}, page.Pagination)
	require.Equal(t, []any{"second", true, "first", false},
		[]any{page.Baselines[0].Reason, page.Baselines[0].Current, page.Baselines[4].Reason, page.Baselines[4].Current})
	require.Equal(t, 4, w.baselines(t, "?path=/docs").Pagination.Total)
	require.Equal(t, []api.Baseline{}, w.baselines(t, "?path=/nowhere").Baselines)
}

func TestApprovalsThatAreRefusedChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	whole := w.verified(t, look{})
	half := w.verified(t, look{withoutPictures: verification.Views()[2:]})
	blind := w.verified(t, look{blind: true, checked: verification.Broken})
	open := w.carried(t, look{}).ID
	w.seen(t, open, verification.Views()[0], "a picture")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		id, body string
		status   int
		code     problem.Code
		details  []problem.Detail
	}{
		"no reason":           {whole, `{}`, 422, problem.Invalid, nil},
		"an empty reason":     {whole, `{"reason":""}`, 422, problem.Invalid, nil},
		"a blank reason":      {whole, `{"reason":" \n"}`, 422, problem.Invalid, []problem.Detail{{Field: "body.reason", Reason: "it is empty"}}},
		"a long reason":       {whole, `{"reason":"` + strings.Repeat("x", 201) + `"}`, 422, problem.Invalid, nil},
		"an unknown theme":    {whole, `{"reason":"a","views":[{"theme":"pink","viewport":"wide"}]}`, 422, problem.Invalid, nil},
		"an unknown viewport": {whole, `{"reason":"a","views":[{"theme":"dark","viewport":"../wide"}]}`, 422, problem.Invalid, nil},
		"five views":          {whole, `{"reason":"a","views":[` + strings.Repeat(`{"theme":"dark","viewport":"wide"},`, 4) + `{"theme":"dark","viewport":"wide"}]}`, 422, problem.Invalid, nil},
		"a field of ours":     {whole, `{"reason":"a","approvedBy":"somebody"}`, 422, problem.Invalid, nil},
		"no such run":         {"nobody", `{"reason":"a"}`, 404, problem.NotFound, nil},
		"a run under way":     {open, `{"reason":"a"}`, 409, problem.Conflict, nil},
		"nothing was seen":    {blind, `{"reason":"a"}`, 409, problem.Conflict, nil},
		"one was not seen": {
			half, `{"reason":"a","views":[{"theme":"dark","viewport":"wide"},{"theme":"dark","viewport":"narrow"}]}`, 409, problem.Conflict,
			[]problem.Detail{{Field: "body.views[1]", Reason: "there is no picture of it in this run"}},
		},
	} {
		rec := w.approve(t, tt.id, tt.body)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		p := problemOf(t, rec)
		require.Equal(t, tt.code, p.Code, name)
		if tt.details != nil {
			require.Equal(t, tt.details, p.Details, name)
		}
	}
	ada, _ := w.join(t, "ada")
	member := w.browserWith(w.login(t, ada, ""))
	joined := w.rows(t)
	require.NotEqual(t, before, joined)
	require.Equal(t, http.StatusUnauthorized, w.browser().post(t, approving(whole, "").path, `{"reason":"a"}`).Code)
	require.Equal(t, http.StatusForbidden, member.post(t, approving(whole, "").path, `{"reason":"a"}`).Code)
	require.Equal(t, joined, w.rows(t))
	require.Empty(t, w.current(t))
}
