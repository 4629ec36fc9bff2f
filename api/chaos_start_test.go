package api_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
)

// recorded is how many runs there are.
func (w *world) recorded(t *testing.T) int {
	t.Helper()
	_, total, err := w.db.Chaos.ChaosRuns(t.Context(), chaos.Filter{}, 1, 0)
	require.NoError(t, err)
	return total
}

// endAll ends the run that is under way, with a verdict that says nothing.
func (w *world) endAll(t *testing.T) {
	t.Helper()
	running, err := w.db.Chaos.OpenChaos(t.Context())
	require.NoError(t, err)
	if running != nil {
		_, err = w.db.Chaos.EndChaos(t.Context(), running.ID, chaos.Outcome{Verdict: chaos.Aborted, Reason: "For the test."}, w.now)
		require.NoError(t, err)
	}
}

func (w *world) sicken(t *testing.T) {
	t.Helper()
	_, err := w.db.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "inc", Failing: crashed, WorkflowID: "self-heal:cell", OpenedAt: w.now, SickAt: w.now})
	require.NoError(t, err)
}

// Proves: V2.4.1-chaos
func TestChaosThatIsRefusedUsesNothingUp(t *testing.T) {
	t.Parallel()
	nothing := func(*testing.T, *world) {}
	for name, tt := range map[string]struct {
		body   string
		before func(*testing.T, *world)
		status int
		code   problem.Code
		says   string
	}{
		"an unknown type":           {`{"type":"rm-rf","source":"dashboard"}`, nothing, 422, problem.FaultUnknown, "There is no such fault. Choose one of: delete-og-image, crash-api."},
		"a type in capitals":        {`{"type":"Crash-API","source":"dashboard"}`, nothing, 422, problem.FaultUnknown, "There is no such fault. Fault names are written in small letters. Choose one of: delete-og-image, crash-api."},
		"an empty type":             {`{"type":"","source":"dashboard"}`, nothing, 422, problem.FaultUnknown, "Choose one of"},
		"no type":                   {`{"source":"dashboard"}`, nothing, 422, problem.Invalid, "see details"},
		"no source":                 {`{"type":"crash-api"}`, nothing, 422, problem.Invalid, "see details"},
		"an empty source":           {`{"type":"crash-api","source":""}`, nothing, 422, problem.Invalid, "see details"},
		"a formula as source":       {`{"type":"crash-api","source":"=1+1"}`, nothing, 422, problem.Invalid, "see details"},
		"a source in capitals":      {`{"type":"crash-api","source":"Dashboard"}`, nothing, 422, problem.Invalid, "see details"},
		"an unknown field":          {`{"type":"crash-api","source":"dashboard","lease":1}`, nothing, 422, problem.Invalid, "see details"},
		"chaos is switched off":     {crash, func(t *testing.T, w *world) { w.switchChaos(t, `{"on":false,"reason":"a demo"}`) }, 409, problem.ChaosOff, "a demo"},
		"the cell is sick":          {crash, func(t *testing.T, w *world) { w.sicken(t) }, 409, problem.IncidentOpen, "sick"},
		"another test is under way": {crash, func(t *testing.T, w *world) { w.requested(t) }, 409, problem.ChaosRunning, "The test crash-api has been running since 12:00:00 UTC."},
		"an unknown type, when off": {`{"type":"rm-rf","source":"dashboard"}`, func(t *testing.T, w *world) { w.switchChaos(t, `{"on":false}`) }, 422, problem.FaultUnknown, "no such fault"},
		"off, sick and busy at once": {crash, func(t *testing.T, w *world) {
			w.requested(t)
			w.sicken(t)
			w.switchChaos(t, `{"on":false}`)
		}, 409, problem.ChaosOff, "switched chaos off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.before(t, w)
			before := w.rows(t)
			w.runs.orders = nil
			rec := w.chaosFrom(t, "198.51.100.1", tt.body)
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			p := problemOf(t, rec)
			require.Equal(t, tt.code, p.Code)
			require.Contains(t, p.Message, tt.says)
			require.Empty(t, w.runs.orders)
			require.Equal(t, before, w.rows(t), "no row, and no limit, has changed")
		})
	}
}

func TestChaosBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.ChaosLease = 12 * time.Second
	started := read[api.ChaosStarted](t, w.chaosFrom(t, "198.51.100.1", crash), http.StatusOK)
	require.True(t, started.Success)
	require.Equal(t, "The cell is being broken: crash-api.", started.Message)
	require.Equal(t, []string{"chaos " + started.ID}, w.runs.orders)
	run := "run-" + started.ID
	require.Equal(t, httpapi.RunRef{WorkflowID: "chaos:cell", RunID: run, RunURL: "/runs/chaos:cell?run=" + run}, started.RunRef)
	started.RunRef = httpapi.RunRef{} // the row does not know it yet
	require.Equal(t, api.ChaosEvent{
		ID: started.ID, Type: "crash-api", Source: "dashboard", RequestedBy: "visitor", Timestamp: now, Stage: "requested", PromiseMS: 5000,
	}, started.ChaosEvent)
	row, err := w.db.Chaos.ChaosRun(t.Context(), started.ID)
	require.NoError(t, err)
	require.Equal(t, 12_000, row.LeaseMS)
	recent := read[api.RecentChaos](t, w.do(t, call{method: "GET", path: "/api/chaos/recent", key: "none"}), 200)
	require.Equal(t, []api.ChaosEvent{started.ChaosEvent}, recent.Events)
}

// The row is there: the starter begins it when the workflow service answers.
// Proves: F5
func TestChaosThatCannotBeStartedYetSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.down = true
	started := read[api.ChaosStarted](t, w.chaosFrom(t, "198.51.100.1", crash), http.StatusOK)
	require.Contains(t, started.Message, "could not be started yet")
	require.Equal(t, "requested", started.Stage)
	waiting, err := w.db.Chaos.OpenChaos(t.Context())
	require.NoError(t, err)
	require.Equal(t, started.ID, waiting.ID)
	require.Empty(t, waiting.RunID)
}

// Proves: V15.4.2
func TestTwoVisitorsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answers := make([]*httptest.ResponseRecorder, 2)
	var both sync.WaitGroup
	for i := range answers {
		req := w.request(t, call{method: http.MethodPost, path: "/api/chaos", body: crash, key: "none", from: "198.51.100." + string(rune('1'+i))})
		answers[i] = httptest.NewRecorder()
		both.Go(func() { w.handler.ServeHTTP(answers[i], req) })
	}
	both.Wait()
	if answers[0].Code != http.StatusOK {
		answers[0], answers[1] = answers[1], answers[0]
	}
	began := read[api.ChaosStarted](t, answers[0], http.StatusOK)
	require.Equal(t, http.StatusConflict, answers[1].Code, answers[1].Body.String())
	p := problemOf(t, answers[1])
	require.Equal(t, problem.ChaosRunning, p.Code)
	require.Contains(t, p.Message, "The test crash-api has been running since")
	require.Equal(t, 1, w.recorded(t))
	report := read[api.CellReport](t, w.do(t, call{method: "GET", path: "/api/chaos/cell", key: "none"}), 200)
	require.Equal(t, began.ID, report.Running.ID, "the other sees it run")
}

// Proves: V2.4.1-chaos
func TestTheFourthRunOfAVisitorWithinTheHourWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		require.Equal(t, http.StatusOK, w.chaosFrom(t, "198.51.100.1", crash).Code)
		w.endAll(t)
	}
	rec := w.chaosFrom(t, "198.51.100.1", crash)
	require.Equal(t, http.StatusTooManyRequests, rec.Code, rec.Body.String())
	p := problemOf(t, rec)
	require.Equal(t, problem.TooMany, p.Code)
	require.Contains(t, p.Message, "13:00:00 UTC")
	require.Equal(t, now.Add(time.Hour).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
	require.Equal(t, 3, w.recorded(t))
	require.Equal(t, http.StatusOK, w.chaosFrom(t, "198.51.100.2", crash).Code, "others are not held back")
	w.endAll(t)
	w.now = now.Add(time.Hour)
	require.Equal(t, http.StatusOK, w.chaosFrom(t, "198.51.100.1", crash).Code)
}

func TestWhoAsksForChaos(t *testing.T) {
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
		started := read[api.ChaosStarted](t, tt.who.post(t, "/api/chaos", crash), http.StatusOK)
		require.Equal(t, tt.is, started.RequestedBy, name)
		w.endAll(t)
	}
}

// Proves: V2.4.1-chaos
func TestFoundersCountInTheSumOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range chaos.Overall.Most {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/chaos", body: crash})
		require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
		w.endAll(t)
	}
	require.Equal(t, http.StatusTooManyRequests, w.do(t, call{method: http.MethodPost, path: "/api/chaos", body: crash}).Code)
	require.Equal(t, http.StatusTooManyRequests, w.chaosFrom(t, "198.51.100.1", crash).Code)
}
