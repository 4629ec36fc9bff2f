package api_test

import (
	"encoding/csv"
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// some runs: two in time, one late, one failed, one aborted, and one of long ago.
func (w *world) someRuns(t *testing.T) (ids []string) {
	t.Helper()
	w.now = now.Add(-31 * 24 * time.Hour)
	ids = append(ids, w.endedAs(t, chaos.Failed, 500, -1))
	w.now = now.Add(-time.Hour)
	for _, end := range []struct {
		verdict      chaos.Verdict
		detect, heal int
	}{
		{chaos.Aborted, -1, -1}, {chaos.Failed, 400, -1}, {chaos.HealedLate, 300, 6000}, {chaos.Healed, 250, 900}, {chaos.Healed, 500, 1000},
	} {
		w.now = w.now.Add(time.Minute)
		ids = append(ids, w.endedAs(t, end.verdict, end.detect, end.heal))
	}
	w.now = now
	return ids
}

func TestScore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	score := read[api.ChaosScore](t, w.do(t, call{method: "GET", path: "/api/chaos/score", key: "none"}), 200)
	require.Nil(t, score.Score)
	require.Len(t, score.Faults, 2)

	w.someRuns(t)
	score = read[api.ChaosScore](t, w.do(t, call{method: "GET", path: "/api/chaos/score", key: "none"}), 200)
	require.InDelta(t, 62.5, *score.Score, 0.001)
	require.Equal(t, 4, score.Runs)
	require.Equal(t, chaos.Formula, score.Formula)
	require.Equal(t, now.Add(-30*24*time.Hour), score.Since)
	share, p := 0.625, func(n int) *int { return &n }
	require.Equal(t, api.FaultScore{
		Type: "crash-api", Title: "Crash the API", Weight: 3, PromiseMS: 5000, Runs: 4, Healed: 2, HealedLate: 1, Failed: 1, Aborted: 1,
		HealedShare: &share, DetectP50MS: p(300), DetectP95MS: p(500), HealP50MS: p(1000), HealP95MS: p(6000),
	}, score.Faults[1])
}

func TestRunsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.someRuns(t)
	list := func(query string) api.ChaosRuns {
		return read[api.ChaosRuns](t, w.do(t, call{method: "GET", path: "/api/chaos/runs" + query, key: "none"}), 200)
	}
	all := list("?limit=4")
	require.Equal(t, httpapi.Pagination{Total: 6, Limit: 4, HasMore: true}, all.Pagination)
	require.Equal(t, ids[5], all.Runs[0].ID)
	require.Equal(t, 2, list("?verdict=failed").Pagination.Total)
	require.Equal(t, 6, list("?type=crash-api").Pagination.Total)
	require.Equal(t, []api.ChaosEvent{}, list("?type=delete-og-image").Runs)
	for _, bad := range []string{"?verdict=lost", "?limit=0", "?limit=101", "?offset=-1", "?order=1"} {
		rec := w.do(t, call{method: "GET", path: "/api/chaos/runs" + bad, key: "none"})
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, bad)
		require.Equal(t, problem.Invalid, problemOf(t, rec).Code, bad)
	}
}

func TestTheEventLogIsFiftyLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 51 {
		w.requested(t)
		w.endAll(t)
	}
	require.Len(t, read[api.RecentChaos](t, w.do(t, call{method: "GET", path: "/api/chaos/recent", key: "none"}), 200).Events, 50)
}

func TestRunsAsATable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.healed(t)
	again := read[api.ChaosStarted](t, w.do(t, call{method: "POST", path: "/api/chaos/runs/" + first + "/replay"}), 200)
	rec := w.do(t, call{method: "GET", path: "/api/chaos/runs.csv", key: "none"})
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, "text/csv; charset=utf-8", rec.Header().Get("Content-Type"))
	require.Contains(t, rec.Header().Get("Content-Disposition"), "chaos-runs.csv")
	rows, err := csv.NewReader(rec.Body).ReadAll()
	require.NoError(t, err)
	replayed, run := map[string]string{}, map[string]string{}
	require.Len(t, rows, 3)
	for i, column := range rows[0] {
		replayed[column], run[column] = rows[1][i], rows[2][i]
		if rows[1][0] != again.ID { // both were asked for at the same moment
			replayed[column], run[column] = rows[2][i], rows[1][i]
		}
	}
	require.Equal(t, strings.Split("id,type,source,requested_by,verdict,reason,restored,requested_at,injected_at,ended_at,"+
		"detect_ms,heal_ms,promise_ms,replay_of,workflow_id,run_id", ","), rows[0])
	require.Equal(t, map[string]string{
		"id": first, "type": "crash-api", "source": "dashboard", "requested_by": "schedule", "verdict": "healed", "reason": "", "restored": "true",
		"requested_at": "2026-11-20T12:00:00.000Z", "injected_at": "2026-11-20T12:00:00.500Z", "ended_at": "2026-11-20T12:00:03.000Z",
		"detect_ms": "500", "heal_ms": "1000", "promise_ms": "5000", "replay_of": "", "workflow_id": "chaos:cell", "run_id": "run-" + first,
	}, run)
	require.Equal(t, []string{first, "", "", "", "false"},
		[]string{replayed["replay_of"], replayed["verdict"], replayed["injected_at"], replayed["heal_ms"], replayed["restored"]})
}

func TestATableThatCannotBeReadIsAProblem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.db.Close())
	rec := w.do(t, call{method: "GET", path: "/api/chaos/runs.csv"})
	require.Equal(t, http.StatusInternalServerError, rec.Code)
	require.Equal(t, problem.Internal, problemOf(t, rec).Code)
	require.Empty(t, rec.Header().Get("Content-Disposition"))
}

func TestBadges(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before        func(*testing.T, *world)
		path          string
		title, colour string
	}{
		"no runs":                   {func(*testing.T, *world) {}, "score.svg", "resilience: no runs yet", "#5c636a"},
		"nothing healed yet":        {func(*testing.T, *world) {}, "last-heal.svg", "last heal: no runs yet", "#5c636a"},
		"all in time":               {func(t *testing.T, w *world) { w.healed(t) }, "score.svg", "resilience: 100.0 %", "#2b8a3e"},
		"some failed":               {func(t *testing.T, w *world) { w.someRuns(t) }, "score.svg", "resilience: 62.5 %", "#c92a2a"},
		"healed three minutes ago":  {func(t *testing.T, w *world) { w.healed(t); w.now = now.Add(3*time.Minute + 3*time.Second) }, "last-heal.svg", "last heal: 1.0 s · 3 min ago", "#2b8a3e"},
		"healed just now, but late": {func(t *testing.T, w *world) { w.endedAs(t, chaos.HealedLate, 300, 6000) }, "last-heal.svg", "last heal: 6.0 s · just now", "#a66300"},
		"not healed":                {func(t *testing.T, w *world) { w.endedAs(t, chaos.Failed, 300, -1) }, "last-heal.svg", "last heal: not healed", "#c92a2a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.before(t, w)
			rec := w.do(t, call{method: "GET", path: "/api/chaos/badges/" + tt.path, key: "none"})
			require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
			require.Equal(t, "image/svg+xml", rec.Header().Get("Content-Type"))
			require.Equal(t, "public, max-age=60", rec.Header().Get("Cache-Control"))
			var picture struct {
				Title string `xml:"title"`
				Path  struct {
					Fill string `xml:"fill,attr"`
				} `xml:"path"`
				Texts []string `xml:"g>text"`
			}
			require.NoError(t, xml.Unmarshal(rec.Body.Bytes(), &picture), rec.Body.String())
			require.Equal(t, []string{tt.title, tt.colour, tt.title}, []string{picture.Title, picture.Path.Fill, strings.Join(picture.Texts, ": ")})
		})
	}
	w := newWorld(t)
	for _, name := range []string{"score", "score.png", "Score.svg", "..%2Fscore.svg"} {
		require.Equal(t, http.StatusNotFound, w.do(t, call{method: "GET", path: "/api/chaos/badges/" + name, key: "none"}).Code, name)
	}
	require.Equal(t, "no-store", w.do(t, call{method: "GET", path: "/api/chaos/badges/score.svg"}).Header().Get("Cache-Control"))
}
