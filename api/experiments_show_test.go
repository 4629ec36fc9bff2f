package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

// shown reads an experiment as a visitor.
func (w *world) shown(t *testing.T, key string) api.ExperimentDetail {
	t.Helper()
	return read[api.ExperimentDetail](t, w.do(t, call{method: http.MethodGet, path: "/api/experiments/" + key, key: "none"}), ok)
}

func TestAnExperimentHasThreeNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []string{"001-public-experiments-page", "001", "1"} {
		e := w.shown(t, key)
		require.Equal(t, "001", e.ID, key)
		require.Len(t, e.Methodology, 5)
		require.Len(t, e.TechStack, 9)
		require.Len(t, e.SuccessMetrics, 3)
		require.Equal(t, []api.ExperimentMove{}, e.Moves)
		require.False(t, e.CanEdit)
		require.Nil(t, e.Measure)
	}
	notes := w.shown(t, "1").LabNotes
	require.Equal(t, []string{"2026-11-22", "2026-11-21", "2026-11-20"}, []string{notes[0].Date, notes[1].Date, notes[2].Date}, "the newest first")
	require.Equal(t, []int{3, 2, 1}, []int{notes[0].Day, notes[1].Day, notes[2].Day})
}

func TestUnknownExperimentsAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []string{
		"nobody", "002", "0", "-1", "1.0", "99999999999999999999", "001-PUBLIC-experiments-page",
		"<script>", "%27%20OR%201=1--", url.PathEscape("１"), strings.Repeat("x", 120),
	} {
		rec := w.do(t, call{method: "GET", path: "/api/experiments/" + key, key: "none"})
		require.Equal(t, nothing, rec.Code, key)
		require.Equal(t, "There is no such experiment.", problemOf(t, rec).Message, key)
	}
	for _, noText := range []string{"%00", "a%00b", "%ff%fe"} {
		require.Equal(t, nothing, w.do(t, call{method: "GET", path: "/api/experiments/" + noText, key: "none"}).Code, noText)
	}
	require.Equal(t, 422, w.do(t, call{method: "GET", path: "/api/experiments/" + strings.Repeat("x", 121), key: "none"}).Code)
}

func TestWhatWaitsIsSeenByItsSubmitterAndFounders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, _ := w.everybody(t)
	waiting := read[api.SubmittedExperiment](t, w.browserWith(p.member).post(t, "/api/experiments/submit", anIdea), 201).Experiment
	visitors := read[api.SubmittedExperiment](t, w.submit(t, "", titled("A visitor's idea")), 201).Experiment
	for _, tt := range []struct {
		name           string
		who            *browser
		hers, visitors int
	}{
		{"a visitor", w.browser(), nothing, nothing},
		{"its submitter", w.browserWith(p.member), ok, nothing},
		{"another member", w.browserWith(p.other), nothing, nothing},
		{"a founder", w.browserWith(p.founder), ok, ok},
	} {
		require.Equal(t, tt.hers, tt.who.get(t, "/api/experiments/"+waiting.ID).Code, tt.name)
		require.Equal(t, tt.visitors, tt.who.get(t, "/api/experiments/"+visitors.ID).Code, tt.name)
	}
	hers := read[api.ExperimentDetail](t, w.browserWith(p.member).get(t, "/api/experiments/"+waiting.ID), ok)
	require.Equal(t, []any{false, 0}, []any{hers.CanEdit, len(hers.Moves)})

	// Declined without a number it stays between them; with one it is public, and says why.
	w.moved(t, waiting.ID, "declined")
	require.Equal(t, nothing, w.browser().get(t, "/api/experiments/"+waiting.ID).Code)
	require.Equal(t, "because", read[api.ExperimentDetail](t, w.browserWith(p.member).get(t, "/api/experiments/"+waiting.ID), ok).Reason)
	public := w.moved(t, visitors.ID, "planning", "declined")
	require.Equal(t, "002", public.ID)
	told := w.shown(t, "002-a-visitors-idea")
	require.Equal(t, []any{"declined", "because", false}, []any{told.Status, told.Reason, told.VotesOpen})
	require.Equal(t, "002", w.shown(t, visitors.ID).ID, "a link from before leads there")
}

func TestFoundersSeeWhereItMayGoAndWhyNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	require.True(t, e.CanEdit)
	require.Equal(t, []api.ExperimentMove{{To: "active"}, {To: "declined", NeedsReason: true}}, e.Moves)
	active := w.moved(t, e.Slug, "active")
	require.Equal(t, []string{"testing", "completed", "declined"}, []string{active.Moves[0].To, active.Moves[1].To, active.Moves[2].To})
	require.Empty(t, active.Moves[0].Refused)
	require.Contains(t, active.Moves[1].Refused, "30 Nov 2026", "its run completes it")

	late := w.promised(t, "Reply late")
	w.now = now.AddDate(0, 0, 11)
	require.Contains(t, w.detail(t, late.Slug).Moves[0].Refused, "has passed")
}

func TestARunIsNamedOnceThereIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, httpapi.RunRef{}, w.shown(t, "001").RunRef)
	_, err := w.db.Experiments.BeginExperiment(t.Context(), "001", "experiment:001", "run-1")
	require.NoError(t, err)
	require.Equal(t, []string{"experiment:001", "run-1"}, []string{w.shown(t, "001").WorkflowID, w.shown(t, "001").RunID})
}

func TestAMetricIsShownAsItStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	m := e.Measure
	require.Equal(t, []any{"members", "Members", "members", 7.0, false, now.AddDate(0, 0, 10)}, []any{m.Metric, m.Label, m.Unit, m.Threshold, m.AtMost, m.DueAt.UTC()})
	require.Nil(t, m.Value, "it has not begun")
	require.Empty(t, m.WouldBe)
	require.Equal(t, []api.MetricPoint{}, m.Points)

	w.moved(t, e.Slug, "active")
	for _, name := range []string{"ada", "eve", "bob"} {
		w.join(t, name)
	}
	w.now = now.Add(60 * time.Hour) // two midnights later
	m = w.shown(t, e.Slug).Measure
	require.Equal(t, []any{3.0, 3, "missed"}, []any{*m.Value, m.Sample, m.WouldBe})
	at := []time.Time{}
	for _, point := range m.Points {
		at = append(at, point.At.UTC())
		require.InDelta(t, 3, point.Value, 0)
	}
	midnight := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)
	require.Equal(t, []time.Time{midnight, midnight.AddDate(0, 0, 1), w.now}, at)
	require.Nil(t, m.MeasuredAt)

	// The verdict stands as it was set, whatever came after.
	due := now.AddDate(0, 0, 10)
	_, err := w.db.Experiments.SettleExperiment(t.Context(), w.rowID(t, e.Slug), experiment.Reading{Value: 8, Sample: 8, Any: true}, due)
	require.NoError(t, err)
	w.now = due.AddDate(0, 0, 30)
	settled := w.shown(t, e.Slug)
	m = settled.Measure
	require.Equal(t, []any{"completed", "met", "met", 8.0}, []any{settled.Status, settled.Verdict, m.WouldBe, *m.Value})
	require.WithinDuration(t, due, *m.MeasuredAt, 0)
	require.Len(t, m.Points, 11)
	require.WithinDuration(t, due, m.Points[10].At, 0, "drawn until then")
}

// rowID is the ID of an experiment's row.
func (w *world) rowID(t *testing.T, key string) string {
	t.Helper()
	e, err := w.db.Experiments.Experiment(t.Context(), key)
	require.NoError(t, err)
	return e.ID
}

func TestSixtyDaysAreDrawnAtMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.planned(t, "Reply to every mention")
	rec := w.do(t, call{method: "PUT", path: "/api/experiments/" + e.Slug + "/metric", body: asJSON(t, map[string]any{
		"version": 1, "metric": "success_rate", "threshold": 90, "due_at": now.AddDate(0, 0, 300),
	})})
	require.Equal(t, ok, rec.Code, rec.Body.String())
	w.moved(t, e.Slug, "active")
	w.now = now.AddDate(0, 0, 100)
	m := w.shown(t, e.Slug).Measure
	require.Nil(t, m.Value)
	require.Equal(t, "unmeasured", m.WouldBe)
	require.Empty(t, m.Points, "days with nothing to measure are left out")

	w.now = now.Add(time.Hour)
	w.publish(t, "the first")
	for days, points := range map[int]int{1: 2, 59: 60, 60: 60, 100: 60} {
		w.now = now.AddDate(0, 0, days)
		m = w.shown(t, e.Slug).Measure
		require.Len(t, m.Points, points, days)
		require.WithinDuration(t, w.now, m.Points[points-1].At, 0)
		require.Equal(t, 24*time.Hour, m.Points[1].At.Sub(m.Points[0].At).Round(24*time.Hour))
	}
}

func TestAnExperimentThatWasGivenUpIsNotMeasured(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	w.moved(t, e.Slug, "active", "declined")
	told := w.shown(t, e.Slug)
	require.Equal(t, []any{"abandoned", "abandoned"}, []any{told.Verdict, told.Measure.WouldBe})
	require.Nil(t, told.Measure.Value)
	require.Equal(t, problem.VotesClosed, problemOf(t, w.browserWith(w.someMember(t)).post(t, "/api/experiments/vote", `{"experimentId":"`+e.Slug+`","vote":1}`)).Code)
}

// someMember is a member's session.
func (w *world) someMember(t *testing.T) string {
	t.Helper()
	account, _ := w.join(t, "zoe")
	return w.login(t, account, "")
}
