package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/deletion"
	"customerzero/internal/domain/problem"
)

// Proves: V7.4.2
func TestDeletionLogsOutEverywhereAndStartsItsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	token, elsewhere, others := w.login(t, ada, ""), w.login(t, ada, ""), w.login(t, eve, "")
	bearer := w.login(t, ada, account.ScopeCredentials)
	b := w.browserWith(token)
	left := read[api.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":" @ADA "}`), http.StatusAccepted)
	open, err := w.db.Deletions.OpenDepartures(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, []string{"depart " + open[0].ID}, w.runs.orders)
	require.Equal(t, "departure:"+open[0].ID, left.WorkflowID)
	require.Equal(t, "run-"+open[0].ID, left.RunID)
	require.Equal(t, "/runs/departure:"+open[0].ID+"?run="+left.RunID, left.RunURL)
	require.Equal(t, now, left.At)
	require.Empty(t, b.cookies["session"], "the cookie is closed")

	for _, one := range []string{token, elsewhere, bearer} {
		require.False(t, w.whoHas(t, one).IsAuthenticated)
		require.Equal(t, http.StatusUnauthorized, w.browserWith(one).get(t, "/api/account").Code)
		rec := w.browserWith(one).post(t, "/api/experiments/vote", `{"experimentId":"001","memberId":"x","vote":1}`)
		require.Equal(t, problem.Unauthorized, problemOf(t, rec).Code)
	}
	rec := w.do(t, call{method: http.MethodGet, path: "/api/auth/credentials/status", key: "none", header: map[string]string{"Authorization": "Bearer " + bearer}})
	require.Equal(t, http.StatusUnauthorized, rec.Code)
	require.True(t, w.whoHas(t, others).IsAuthenticated)
	require.NotContains(t, w.do(t, call{method: http.MethodGet, path: "/api/members", key: "none"}).Body.String(), `"ada"`)
}

// Whoever got the answer is forgotten, though Temporal is away: the starter sees to it.
// Proves: V16.5.2
func TestDeletionIsWrittenDownWhileTemporalIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.runs.err = problem.New(problem.Unavailable, "No.")
	b := w.browserWith(w.login(t, ada, ""))
	read[api.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":"ada"}`), http.StatusAccepted)
	open, err := w.db.Deletions.OpenDepartures(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, deletion.Requested, open[0].Stage)
}

func TestDeletionIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	fresh, founder := w.login(t, ada, ""), w.login(t, grace.ID, "")
	for name, tt := range map[string]struct {
		token, body string
		later       time.Duration
		status      int
		code        problem.Code
	}{
		"another name":        {fresh, `{"confirm":"eve"}`, 0, http.StatusUnprocessableEntity, problem.ConfirmWrong},
		"the address":         {fresh, `{"confirm":"ada@example.com"}`, 0, http.StatusUnprocessableEntity, problem.ConfirmWrong},
		"no name":             {fresh, `{"confirm":""}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"nothing":             {fresh, `{}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"somebody else, too":  {fresh, `{"confirm":"ada","account":"x"}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"nobody":              {"", `{"confirm":"ada"}`, 0, http.StatusUnauthorized, problem.Unauthorized},
		"a login that is old": {fresh, `{"confirm":"ada"}`, account.FreshFor, http.StatusForbidden, problem.LoginStale},
		"a founder":           {founder, `{"confirm":"grace"}`, 0, http.StatusForbidden, problem.Forbidden},
	} {
		w.now = now.Add(tt.later)
		rec := w.browserWith(tt.token).post(t, "/api/account/deletion", tt.body)
		require.Equal(t, tt.status, rec.Code, name)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		w.now = now
	}
	require.Zero(t, w.count(t, "SELECT count(*) FROM departures"))
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM sessions"), "nothing is half done")
	require.Empty(t, w.runs.orders)
}

// Proves: V8.2.2
func TestExportIsAFileOfMyOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	b := w.browserWith(w.login(t, ada, ""))
	require.Equal(t, http.StatusCreated, b.post(t, "/api/posts", `{"content":"mine"}`).Code)
	rec := b.get(t, "/api/account/export")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, `attachment; filename="customerzero-ada-2026-11-20.json"`, rec.Header().Get("Content-Disposition"))
	require.Equal(t, "application/json; charset=utf-8", rec.Header().Get("Content-Type"))
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	var file deletion.Export
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &file))
	require.Equal(t, "ada@example.com", *file.Account.Email)
	require.Equal(t, "ada", file.Membership.Username)
	require.Len(t, file.Posts, 1)
	require.Equal(t, "mine", file.Posts[0].Text)
	require.Equal(t, deletion.Stays(), file.Stays)
	require.NotContains(t, rec.Body.String(), "eve@")
	require.Equal(t, http.StatusUnauthorized, w.browserWith("").get(t, "/api/account/export").Code)
}

// Proves: V2.4.1-rest
func TestExportIsGivenTenTimesAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	for range 10 {
		require.Equal(t, http.StatusOK, b.get(t, "/api/account/export").Code)
	}
	rec := b.get(t, "/api/account/export")
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.Contains(t, problemOf(t, rec).Message, "Too many downloads of your data.")
	w.now = now.Add(time.Hour)
	require.Equal(t, http.StatusOK, b.get(t, "/api/account/export").Code)
}
