package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/problem"
)

func TestFoundersEditWhatAnExperimentSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace := w.founder(t)
	rec := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"The open lab","progress":75,"techStack":["Go"],"successMetrics":[]}`)
	e := read[api.ExperimentDetail](t, rec, ok)
	require.Equal(t, []any{"The open lab", 75, 2, "001-public-experiments-page"}, []any{e.Title, e.Progress, e.Version, e.Slug}, "its address stays")
	require.Equal(t, [][]string{{"Go"}, {}}, [][]string{e.TechStack, e.SuccessMetrics})
	require.Len(t, e.Methodology, 5, "what is left out stays")
	last, _ := w.lastAudit(t)
	require.Equal(t, []any{audit.EditExperiment, "@Grace", "Experiment 001 (The open lab) was edited."}, []any{last.Action, last.Actor, last.Detail})

	before := w.rows(t)
	stale := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"Another title"}`)
	require.Equal(t, 409, stale.Code)
	require.Equal(t, problem.EditStale, problemOf(t, stale).Code, "nobody overwrites what they have not read")
	require.Equal(t, before, w.rows(t))
}

func TestBadEditsAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.planned(t, "Reply to every mention")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		code               problem.Code
	}{
		"no version":            {"PATCH", "001", `{"title":"The open lab"}`, 422, problem.Invalid},
		"version 0":             {"PATCH", "001", `{"version":0,"title":"The open lab"}`, 422, problem.Invalid},
		"a later version":       {"PATCH", "001", `{"version":2,"title":"The open lab"}`, 409, problem.EditStale},
		"a blank title":         {"PATCH", "001", `{"version":1,"title":"          "}`, 422, problem.Invalid},
		"a title with NUL":      {"PATCH", "001", `{"version":1,"title":"nothing\u0000here"}`, 400, problem.Invalid},
		"a title of 1 MB":       {"PATCH", "001", `{"version":1,"title":"` + strings.Repeat("x", 1<<20) + `"}`, 413, problem.TooLarge},
		"somebody else's title": {"PATCH", "001", `{"version":1,"title":"REPLY to every mention"}`, 409, problem.ExperimentDupe},
		"a bad second field":    {"PATCH", "001", `{"version":1,"title":"The open lab","impact":"short"}`, 422, problem.Invalid},
		"101 percent":           {"PATCH", "001", `{"version":1,"progress":101}`, 422, problem.Invalid},
		"21 steps":              {"PATCH", "001", `{"version":1,"methodology":[` + strings.Repeat(`"x",`, 20) + `"x"]}`, 422, problem.Invalid},
		"an empty step":         {"PATCH", "001", `{"version":1,"methodology":["x",""]}`, 422, problem.Invalid},
		"a status":              {"PATCH", "001", `{"version":1,"status":"shipped"}`, 422, problem.Invalid},
		"a vote":                {"PATCH", "001", `{"version":1,"upvotes":100}`, 422, problem.Invalid},
		"of nobody":             {"PATCH", "nobody", `{"version":1}`, 404, problem.NotFound},

		"to nowhere":       {"POST", "001/move", `{"version":1,"to":"lost"}`, 422, problem.Invalid},
		"to waiting":       {"POST", "001/move", `{"version":1,"to":"waiting"}`, 422, problem.Invalid},
		"back":             {"POST", "001/move", `{"version":1,"to":"planning"}`, 409, problem.MoveRefused},
		"where it is":      {"POST", "001/move", `{"version":1,"to":"active"}`, 409, problem.MoveRefused},
		"too far":          {"POST", "001/move", `{"version":1,"to":"shipped"}`, 409, problem.MoveRefused},
		"without a reason": {"POST", "001/move", `{"version":1,"to":"declined","reason":"  "}`, 422, problem.Invalid},
		"a long reason":    {"POST", "001/move", `{"version":1,"to":"declined","reason":"` + strings.Repeat("x", 301) + `"}`, 422, problem.Invalid},
		"a stale move":     {"POST", "001/move", `{"version":7,"to":"testing"}`, 409, problem.EditStale},
		"nobody's move":    {"POST", "nobody/move", `{"version":1,"to":"testing"}`, 404, problem.NotFound},

		"a promise too late":   {"PUT", "001/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2026-12-01T00:00:00Z"}`, 409, problem.MetricLocked},
		"taken back too late":  {"DELETE", "001/metric?version=1", "", 409, problem.MetricLocked},
		"an unknown metric":    {"PUT", "002/metric", `{"version":1,"metric":"luck","threshold":7,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"150 percent":          {"PUT", "002/metric", `{"version":1,"metric":"conversion","threshold":150,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"less than nothing":    {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":-1,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"no number":            {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":NaN,"due_at":"2026-12-01T00:00:00Z"}`, 400, problem.Invalid},
		"an infinite one":      {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":1e999,"due_at":"2026-12-01T00:00:00Z"}`, 400, problem.Invalid},
		"a date that has been": {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2026-11-20T12:00:00Z"}`, 422, problem.Invalid},
		"a date in years":      {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2028-01-01T00:00:00Z"}`, 422, problem.Invalid},
		"no date":              {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"soon"}`, 422, problem.Invalid},
		"no version to drop":   {"DELETE", "002/metric", "", 422, problem.Invalid},

		"a note of no day":      {"PUT", "001/notes/yesterday", `{"version":0,"content":"hi"}`, 422, problem.Invalid},
		"of the 31st of June":   {"PUT", "001/notes/2026-06-31", `{"version":0,"content":"hi"}`, 422, problem.Invalid},
		"of tomorrow":           {"PUT", "001/notes/2026-11-21", `{"version":1,"content":"hi"}`, 422, problem.Invalid},
		"an empty note":         {"PUT", "001/notes/2026-11-19", `{"version":0,"content":" \n "}`, 422, problem.Invalid},
		"a note of 8001":        {"PUT", "001/notes/2026-11-19", `{"version":0,"content":"` + strings.Repeat("x", 8001) + `"}`, 422, problem.Invalid},
		"a note with NUL":       {"PUT", "001/notes/2026-11-19", `{"version":0,"content":"a\u0000b"}`, 400, problem.Invalid},
		"over a note unread":    {"PUT", "001/notes/2026-11-20", `{"version":0,"content":"hi"}`, 409, problem.EditStale},
		"over one that is gone": {"PUT", "001/notes/2026-11-19", `{"version":1,"content":"hi"}`, 409, problem.EditStale},
		"delete a stale one":    {"DELETE", "001/notes/2026-11-20?version=2", "", 409, problem.EditStale},
		"delete no day":         {"DELETE", "001/notes/%00?version=1", "", 404, problem.NotFound},
		"a note of nobody":      {"PUT", "nobody/notes/2026-11-19", `{"version":0,"content":"hi"}`, 404, problem.NotFound},
		"delete of nobody":      {"DELETE", "nobody/notes/2026-11-19?version=1", "", 404, problem.NotFound},
	} {
		rec := w.do(t, call{method: tt.method, path: "/api/experiments/" + tt.path, body: tt.body})
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.Less(t, rec.Body.Len(), 1000, "values are not echoed")
	}
	require.Equal(t, before, w.rows(t))
	require.Empty(t, w.runs.told())
}

func TestARunIsToldOfEveryMoveThatConcernsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	idea := read[api.SubmittedExperiment](t, w.submit(t, "", anIdea), 201).Experiment
	heed := "heed experiment " + idea.ID
	key := idea.ID
	for _, tt := range []struct {
		to   string
		told []string
	}{{"planning", nil}, {"active", []string{heed}}, {"testing", []string{heed}}, {"active", []string{heed}}, {"completed", []string{heed}}, {"shipped", nil}} {
		w.runs.orders = nil
		e := w.moved(t, key, tt.to)
		require.Equal(t, tt.to, e.Status)
		require.Equal(t, tt.told, w.runs.told(), tt.to)
		key = e.Slug
	}
	e := w.detail(t, key)
	require.Equal(t, []any{"002", "002-reply-to-every-mention", 100}, []any{e.ID, e.Slug, e.Progress})
	require.NotNil(t, e.EndedAt)

	w.runs.orders = nil
	early := w.planned(t, "Never begun")
	w.moved(t, early.Slug, "declined")
	require.Empty(t, w.runs.told(), "it has no run")
	late := w.planned(t, "Given up")
	w.moved(t, late.Slug, "active")
	w.runs.orders = nil
	w.moved(t, late.Slug, "declined")
	require.Equal(t, []string{"heed experiment " + w.rowID(t, late.Slug)}, w.runs.told())
}

func TestAMoveIsInTheAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.founder(t).post(t, "/api/experiments/001/move", `{"version":1,"to":"declined","reason":"Nobody came"}`)
	require.Equal(t, "Nobody came", read[api.ExperimentDetail](t, rec, ok).Reason)
	last, entries := w.lastAudit(t)
	require.Equal(t, 1, entries)
	require.Equal(t, []any{audit.MoveExperiment, "@Grace", "Experiment 001 (Public experiments page) went from active to declined: Nobody came."},
		[]any{last.Action, last.Actor, last.Detail})
}

// The row is what counts: the starter tells the run later.
// Proves: F5
func TestAMoveSucceedsThoughTemporalIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.err = errors.New("dial tcp 10.0.0.3: connection refused")
	rec := w.step(t, "001", map[string]any{"version": 1, "to": "testing"})
	require.Equal(t, "testing", read[api.ExperimentDetail](t, rec, ok).Status)
	require.NotContains(t, rec.Body.String(), "10.0.0.3")
	require.Contains(t, journal.String(), "the run of an experiment is told later")
	require.Equal(t, "testing", w.shown(t, "001").Status)
}

func TestAMetricIsPromisedBeforeItBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	last, _ := w.lastAudit(t)
	require.Equal(t, []any{audit.RegisterMetric, "Experiment 002 (Reply to every mention) promises members of 7 by 2026-11-30T12:00:00Z."}, []any{last.Action, last.Detail})
	require.Equal(t, []any{"members", 2}, []any{e.Metric, e.Version})
	dropped := read[api.ExperimentDetail](t, w.do(t, call{method: "DELETE", path: "/api/experiments/002/metric?version=2"}), ok)
	require.Empty(t, dropped.Metric)
	require.Nil(t, dropped.Measure)
	last, _ = w.lastAudit(t)
	require.Equal(t, audit.DropMetric, last.Action)
}

func TestLabNotesAreWrittenByDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace := w.founder(t)
	w.now = now.AddDate(0, 0, 4)
	const markdown = "We *learnt* <script>alert(1)</script>\n\n- one\n\t- two"
	write := func(version int, content string) api.LabNote {
		rec := grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", asJSON(t, map[string]any{"version": version, "content": content}))
		return read[api.LabNote](t, rec, ok)
	}
	note := write(0, markdown)
	require.WithinDuration(t, w.now, note.UpdatedAt, time.Second)
	note.UpdatedAt = time.Time{}
	require.Equal(t, api.LabNote{Day: 5, Date: "2026-11-24", Content: markdown, Author: "Grace", Version: 1}, note)
	require.Equal(t, 2, write(1, "Other words").Version)
	require.Equal(t, "Other words", w.shown(t, "001").LabNotes[0].Content)
	require.Equal(t, 409, grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", `{"version":1,"content":"Mine"}`).Code)

	require.Equal(t, ok, grace.send(t, http.MethodDelete, "/api/experiments/001/notes/2026-11-24?version=2", "").Code)
	require.Len(t, w.shown(t, "001").LabNotes, 3)
	require.Equal(t, []audit.Action{audit.WriteLabNote, audit.WriteLabNote, audit.DeleteLabNote}, w.noted(t))
}
