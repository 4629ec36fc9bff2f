package api_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

func (w *world) target(t *testing.T) chaosapi.TargetReport {
	return read[chaosapi.TargetReport](t, w.visits(t, "/api/chaos/target"), 200)
}

func (w *world) switchChaos(t *testing.T, body string) chaosapi.ChaosSwitch {
	return read[chaosapi.ChaosSwitch](t, w.send(t, "PUT", "/api/chaos/switch", body), 200)
}

func TestTheChaosTargetShowsItsLastProbe(t *testing.T) {
	w := newWorld(t)
	never := w.target(t)
	require.Equal(t, "unseen", never.Status)
	require.Nil(t, never.SeenAt)
	require.Empty(t, never.Files)
	require.Equal(t, []any{"http://target.example", chaosapi.ChaosLimits{PerVisitor: 3, Overall: 30}, chaosapi.ChaosSwitch{On: true}}, []any{never.URL, never.Limits, never.Switch})
	require.Equal(t, chaosapi.ChaosFault{Type: "crash-api", Title: "Crash the API", About: "Kills the process.", PromiseMS: 5000, Weight: 3}, never.Faults[1])

	see := func(failing target.Failing) {
		require.NoError(t, w.db.Chaos.SaveTargetState(t.Context(), heal.Observation{At: w.now, Failing: failing, Process: 77, StartedAt: &now}))
	}
	require.NoError(t, w.db.Chaos.SaveManifest(t.Context(), target.Signed{
		Note: "signed", Verifier: "cell+1+x", Files: []target.File{{Name: target.FileOGImage, Size: 9, SHA256: "ab"}, {Name: target.FileRules, Size: 8, SHA256: "cd"}},
	}))
	see(0)
	require.Equal(t, "healthy", w.target(t).Status)
	see(target.Failed(target.FileCheck(target.FileOGImage), target.CheckOGImage))
	broken := w.target(t)
	require.Equal(t, []any{"broken", []string{"file:public/og-image.png", "page:/og-image.png"}}, []any{broken.Status, broken.Failing})
	require.Equal(t, []chaosapi.TargetFile{{Name: target.FileOGImage, Size: 9, SHA256: "ab"}, {Name: target.FileRules, Size: 8, SHA256: "cd", OK: true}}, broken.Files)
	require.Equal(t, []any{77, "signed", "cell+1+x"}, []any{broken.Process, broken.Manifest, broken.Verifier})
	w.now = now.Add(10 * time.Second)
	require.Equal(t, "broken", w.target(t).Status)
	w.now = now.Add(10*time.Second + time.Millisecond)
	require.Equal(t, "unseen", w.target(t).Status)
}

func TestIncidentsNameTheirChaosRun(t *testing.T) {
	w := newWorld(t)
	require.Nil(t, w.target(t).Running)
	id := w.healed(t)
	w.repaired(t)
	w.now = now.Add(time.Hour)
	run := w.broken(t)
	w.now = w.now.Add(2 * time.Second)
	must(w.db.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "later", Failing: crashed, WorkflowID: "self-heal:chaos-target", OpenedAt: w.now, UnhealthyAt: w.now}))(t)
	report := w.target(t)
	require.Equal(t, []string{run.ID, "later", run.ID}, []string{report.Running.ID, report.Incident.ID, report.Incident.ChaosID})
	list := read[chaosapi.Incidents](t, w.visits(t, "/api/chaos/incidents?limit=2"), 200)
	require.Equal(t, httpapi.Pagination{Total: 2, Limit: 2}, list.Pagination)
	require.Equal(t, []string{"later", run.ID, "inc", id}, []string{list.Incidents[0].ID, list.Incidents[0].ChaosID, list.Incidents[1].ID, list.Incidents[1].ChaosID})
	require.Nil(t, list.Incidents[0].EndedAt)
	require.NotNil(t, list.Incidents[0].Steps)
}

func TestTheKillSwitch(t *testing.T) {
	w := newWorld(t)
	for pressed := range 2 {
		off := w.switchChaos(t, `{"on":false,"reason":"a demo"}`)
		require.Equal(t, []any{false, "the admin key", "a demo"}, []any{off.On, off.By, off.Reason})
		require.Equal(t, off, w.target(t).Switch)
		require.Len(t, w.runs.commands, pressed+1, "the fault is reverted, and repeating retries it")
	}
	for range 2 {
		require.True(t, w.switchChaos(t, `{"on":true}`).On)
	}
	require.Equal(t, []string{"stop chaos", "stop chaos"}, w.runs.commands)
	require.Equal(t, []audit.Action{audit.StopChaos, audit.AllowChaos}, w.noted(t))

	w.runs.err = errors.New("dial tcp: connection refused")
	p := refused(t, w.send(t, "PUT", "/api/chaos/switch", `{"on":false}`), problem.Unavailable, "the error names what failed")
	require.Contains(t, p.Message, "within 30 s")
	require.False(t, w.target(t).Switch.On, "it is off anyway")
}

// someRuns creates two runs healed in time, one late, one failed, one aborted, and one before the score's period.
func (w *world) someRuns(t *testing.T) (ids []string) {
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
	w := newWorld(t)
	score := read[chaosapi.ChaosScore](t, w.visits(t, "/api/chaos/score"), 200)
	require.Nil(t, score.Score)
	require.Len(t, score.Faults, 2)

	w.someRuns(t)
	score = read[chaosapi.ChaosScore](t, w.visits(t, "/api/chaos/score"), 200)
	require.InDelta(t, 62.5, *score.Score, 0.001)
	require.Equal(t, []any{4, chaos.Formula, now.Add(-30 * 24 * time.Hour)}, []any{score.Runs, score.Formula, score.Since})
	share, p := 0.625, func(n int) *int { return &n }
	require.Equal(t, chaosapi.FaultScore{
		Type: "crash-api", Title: "Crash the API", Weight: 3, PromiseMS: 5000, Runs: 4, Healed: 2, HealedLate: 1, Failed: 1, Aborted: 1,
		HealedShare: &share, DetectP50MS: p(300), DetectP95MS: p(500), HealP50MS: p(1000), HealP95MS: p(6000),
	}, score.Faults[1])
}

func TestRunsAreListed(t *testing.T) {
	w := newWorld(t)
	ids := w.someRuns(t)
	list := func(query string) chaosapi.ChaosRuns {
		return read[chaosapi.ChaosRuns](t, w.visits(t, "/api/chaos/runs"+query), 200)
	}
	all := list("?limit=4&type=crash-api")
	require.Equal(t, []any{httpapi.Pagination{Total: 6, Limit: 4, HasMore: true}, ids[5]}, []any{all.Pagination, all.Runs[0].ID})
	require.Equal(t, 2, list("?verdict=failed").Pagination.Total)
	require.Equal(t, []chaosapi.ChaosEvent{}, list("?type=delete-og-image").Runs)
	for range 45 {
		w.requested(t)
		w.endAll(t)
	}
	require.Len(t, read[chaosapi.RecentChaos](t, w.visits(t, "/api/chaos/recent"), 200).Events, 50)
}

func TestRunsAsCSV(t *testing.T) {
	w := newWorld(t)
	first := w.healed(t)
	w.now = now.Add(time.Minute)
	again := read[chaosapi.ChaosStarted](t, w.send(t, "POST", "/api/chaos/runs/"+first+"/replay", ""), 200)
	rec := w.visits(t, "/api/chaos/runs.csv")
	require.Equal(t, []any{ok, "text/csv; charset=utf-8"}, []any{rec.Code, rec.Header().Get("Content-Type")})
	require.Contains(t, rec.Header().Get("Content-Disposition"), "chaos-runs.csv")
	rows := must(csv.NewReader(rec.Body).ReadAll())(t)
	for i, row := range rows {
		rows[i] = []string{strings.Join(row, ",")}
	}
	require.Equal(t, [][]string{
		{"id,type,source,requested_by,verdict,reason,restored,requested_at,injected_at,ended_at,detect_ms,heal_ms,promise_ms,replay_of,workflow_id,run_id"},
		{again.ID + ",crash-api,replay,founder,,,false,2026-11-20T12:01:00.000Z,,,,,5000," + first + ",,"},
		{first + ",crash-api,dashboard,schedule,healed,,true,2026-11-20T12:00:00.000Z,2026-11-20T12:00:00.500Z,2026-11-20T12:00:03.000Z," +
			"500,1000,5000,,chaos:chaos-target,run-" + first},
	}, rows)
}

// listening starts a server whose write timeout is shorter than a stream.
func (w *world) listening(t *testing.T) string {
	server := httptest.NewUnstartedServer(w.handler)
	server.Config = api.HTTPServer(w.handler, nil)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

type sseEvent struct{ id, name, data string }

type stream struct {
	response *http.Response
	lines    *bufio.Scanner
}

func openStream(t *testing.T, url string, header map[string]string) *stream {
	req := must(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
	req.Header.Set("Accept-Encoding", "gzip") // as browsers do
	for name, value := range header {
		req.Header.Set(name, value)
	}
	response := must(testwait.Client.Do(req))(t)
	t.Cleanup(func() { _ = response.Body.Close() })
	return &stream{response, bufio.NewScanner(response.Body)}
}

// next waits for an event. An event without a name is the end of the stream.
func (s *stream) next(t *testing.T) (event sseEvent) {
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ":")
		switch field {
		case "id":
			event.id = value
		case "event":
			event.name = value
		case "data":
			event.data = value
		case "":
			if event.name != "" {
				return event
			}
		}
	}
	require.NoError(t, s.lines.Err())
	return event
}

func decoded[T any](t *testing.T, event sseEvent, name, id string) T {
	require.Equal(t, []string{name, id}, []string{event.name, event.id}, event.data)
	var out T
	require.NoError(t, json.Unmarshal([]byte(event.data), &out))
	return out
}

func TestARunIsStreamedToItsEnd(t *testing.T) {
	w := newWorld(t)
	url := w.listening(t)
	r := w.requested(t)
	w.probed(t, r.ID, 0, 0, 0, 0, 0)
	s := openStream(t, url+"/api/chaos/runs/"+r.ID+"/events", nil)
	require.Equal(t, ok, s.response.StatusCode)
	require.Contains(t, s.response.Header.Get("Content-Type"), "text/event-stream")
	require.Empty(t, s.response.Header.Get("Content-Encoding"), "compression would buffer events")
	require.Equal(t, "requested", decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "").Stage)

	must(w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:chaos-target", "run"))(t)
	require.Equal(t, "checking", decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "").Stage)
	require.NoError(t, w.db.Chaos.InjectedChaos(t.Context(), r.ID, now.Add(halfSecond), now.Add(time.Minute)))
	require.Equal(t, "watching", decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "").Stage)
	for id, ms := range []int{-500, -250, 0} {
		require.Equal(t, ms, decoded[chaosapi.Probe](t, s.next(t), "probe", string(rune('0'+id))).MS, "counted from the injection")
	}
	w.probed(t, r.ID, 1, 3, crashed, 0)
	require.Equal(t, []int{14, 17}, decoded[chaosapi.Probe](t, s.next(t), "probe", "3").Failing)
	require.Equal(t, 500, decoded[chaosapi.Probe](t, s.next(t), "probe", "4").MS)
	w.endAll(t)
	require.Equal(t, "aborted", decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "").Verdict)
	end := decoded[chaosapi.ChaosRun](t, s.next(t), "end", "")
	require.Equal(t, w.chaos(t, r.ID), end)
	require.Empty(t, s.next(t).name, "the stream is over")
}

// Proves: F30, V2.4.1-rest
func TestOnlySoManyLookOnAtOnce(t *testing.T) {
	w := newWorld(t)
	w.server.TrustedProxies = []string{"127.0.0.1"}
	w.handler = w.server.Handler()
	path := "http://" + w.patientFor(t, time.Minute) + "/api/chaos/runs/" + w.requested(t).ID + "/events"
	follow := func(from int) *stream {
		return openStream(t, path, map[string]string{"X-Forwarded-For": fmt.Sprint("10.0.0.", from)})
	}
	first := follow(0)
	var last *stream
	for n := 1; n < 100; n++ {
		last = follow(n / 20)
		require.Equal(t, ok, last.response.StatusCode)
	}
	require.Equal(t, ok, follow(9).response.StatusCode, "a few networks leave room for another")
	for first.next(t).name != "" { // the oldest of those with the most ends
	}
	full := follow(4)
	require.Equal(t, http.StatusServiceUnavailable, full.response.StatusCode)
	var p httpapi.Problem
	require.NoError(t, json.NewDecoder(full.response.Body).Decode(&p))
	require.Equal(t, problem.Unavailable, p.Code)
	require.NoError(t, last.response.Body.Close())
	require.Eventually(t, func() bool { return follow(4).response.StatusCode == ok }, testwait.Limit, 50*time.Millisecond, "a disconnect releases a connection")
}

func TestAFailedCSVDownloadIsIncomplete(t *testing.T) {
	w := newWorld(t)
	w.server.Chaos = failingList{ChaosStore: w.db.Chaos}
	req := must(http.NewRequestWithContext(t.Context(), http.MethodGet, w.listening(t)+"/api/chaos/runs.csv", nil))(t)
	for _, encoding := range []string{"identity", "gzip"} {
		req.Header.Set("Accept-Encoding", encoding)
		response := must(testwait.Client.Do(req))(t)
		require.Equal(t, ok, response.StatusCode)
		_, err := io.Copy(io.Discard, response.Body)
		require.Error(t, err, encoding)
		require.NoError(t, response.Body.Close())
	}
}
