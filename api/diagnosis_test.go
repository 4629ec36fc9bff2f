package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

const diagnosticPath = "/api/auth/test-oauth?step="

// from gives a visitor of another network.
func (w *world) from(address string) *browser {
	b := w.browser()
	b.from = address
	return b
}

// Proves: V2.4.1-diagnostic
func TestADiagnosisIsRunOnceAMinuteForEachVisitor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	first := read[api.TestOAuth](t, b.get(t, diagnosticPath+"env"), http.StatusOK)
	require.True(t, first.OK)
	require.Equal(t, now.Add(time.Minute), first.NextAt)

	w.now = now.Add(59 * time.Second)
	again := read[api.TestOAuth](t, b.get(t, diagnosticPath+"env"), http.StatusOK)
	require.Equal(t, first, again, "the run before is shown")
	require.Len(t, w.runs.told(), 1)
	neighbour := read[api.TestOAuth](t, w.from("198.51.100.7").get(t, diagnosticPath+"env"), http.StatusOK)
	require.NotEqual(t, first.WorkflowID, neighbour.WorkflowID)

	w.now = now.Add(time.Minute)
	next := read[api.TestOAuth](t, b.get(t, diagnosticPath+"env"), http.StatusOK)
	require.NotEqual(t, first.WorkflowID, next.WorkflowID)
	for _, step := range []string{"signature", "request_token"} {
		require.Equal(t, next.WorkflowID, read[api.TestOAuth](t, b.get(t, diagnosticPath+step), http.StatusOK).WorkflowID)
	}
}

// Proves: V8.2.2
func TestLaterStepsBelongToARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	for _, step := range []string{"signature", "request_token"} {
		rec := b.get(t, diagnosticPath+step)
		require.Equal(t, http.StatusConflict, rec.Code)
		require.Equal(t, problem.Conflict, problemOf(t, rec).Code)
	}
	require.Equal(t, http.StatusOK, b.get(t, diagnosticPath+"env").Code)
	require.Equal(t, http.StatusConflict, w.from("198.51.100.7").get(t, diagnosticPath+"signature").Code, "another's run is not theirs")
	w.now = now.Add(10 * time.Minute)
	require.Equal(t, http.StatusOK, b.get(t, diagnosticPath+"signature").Code)
	w.now = now.Add(10*time.Minute + time.Second)
	require.Equal(t, http.StatusConflict, b.get(t, diagnosticPath+"signature").Code)
}

func TestStepsThatDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.rows(t)
	for _, query := range []string{"", "?step=", "?step=account", "?step=ENV", "?step=env,signature", "?step[]=env", "?steps=env", "?step=env&keys=1"} {
		rec := w.browser().get(t, "/api/auth/test-oauth"+query)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, query)
		require.Equal(t, problem.Invalid, problemOf(t, rec).Code)
	}
	require.Equal(t, before, w.rows(t))
}

// Proves: V8.2.3, S-write-only
func TestXsAnswerIsForFoundersEyes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	grace := w.founder(t)
	require.Equal(t, http.StatusOK, w.browser().get(t, diagnosticPath+"env").Code)
	for name, tt := range map[string]struct {
		headers []header
		sees    string
	}{
		"a visitor":         {nil, ""},
		"a member":          {[]header{{"Cookie", "session=" + w.login(t, ada, "")}}, ""},
		"a founder":         {[]header{{"Cookie", "session=" + grace.cookies["session"]}}, "raw answer"},
		"a founder's token": {[]header{{"Authorization", "Bearer " + w.login(t, w.accountOf(t, "grace"), account.ScopeCredentials)}}, ""},
	} {
		rec := w.say(t, call{method: http.MethodGet, path: diagnosticPath + "request_token"}, tt.headers)
		require.Equal(t, tt.sees != "", strings.Contains(rec.Body.String(), "raw"), name)
		shown := read[api.TestOAuth](t, rec, http.StatusOK)
		require.Equal(t, tt.sees, shown.RequestTokenTest.APIResponse.ResponseText, name)
		require.Equal(t, tt.sees, shown.Account.APIResponse.ResponseText, name)
	}
}

// X bills each diagnosis, so that strangers together may not run many.
// Proves: V2.4.1-diagnostic
func TestDiagnosesAreLimitedForEverybodyTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range account.DiagnosesOverall.Most {
		require.Equal(t, http.StatusOK, w.from(fmt.Sprintf("198.51.100.%d", i)).get(t, diagnosticPath+"env").Code)
	}
	rec := w.from("203.0.113.1").get(t, diagnosticPath+"env")
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.Equal(t, now.Add(account.DiagnosesOverall.Per).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
	require.Len(t, w.runs.told(), account.DiagnosesOverall.Most)
}
