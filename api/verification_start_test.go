package api_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func TestAVerificationIsAnsweredWhenItHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	comment := verification.Comment{
		By: "openai:gpt-4o-mini", Text: "The page shows a bot.", Doubts: true, Trouble: "",
		Criteria: []verification.Criterion{{Text: "Is there a button?", Verdict: verification.CriterionFail, Why: "There is none."}},
	}
	w.runs.look = func(id string) {
		_, err := w.db.Verifications.BeginVerification(t.Context(), id, "verification:"+id, "run-"+id)
		require.NoError(t, err)
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
			t.Parallel()
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
	t.Parallel()
	for _, body := range []string{`{}`, `{"wait":false}`} {
		w := newWorld(t)
		w.runs.down = true
		answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", body), http.StatusOK)
		require.Contains(t, answered.Reason, "could not be started yet. It begins by itself")
		require.Equal(t, "requested", answered.Stage)
		require.Empty(t, answered.RunRef)
		require.Zero(t, w.runs.patient, "there is nothing to wait for")
		waiting, err := w.db.Verifications.OpenVerifications(t.Context())
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		require.Equal(t, answered.ID, waiting[0].ID)
	}
}

func TestAVerificationWithoutItsPictureIsAnsweredAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.endLooks(t)
	w.server.Pictures = noPictures{}
	answered := read[api.Verification](t, w.verifyFrom(t, "198.51.100.1", `{}`), http.StatusOK)
	require.Equal(t, "active", answered.Status)
	require.Empty(t, answered.Screenshot)
}

// Proves: V1.3.6
func TestVerificationsThatAreRefusedUseNothingUp(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Helper()
	body, err := json.Marshal(map[string]any{"url": url, "wait": false})
	require.NoError(t, err)
	return string(body)
}
