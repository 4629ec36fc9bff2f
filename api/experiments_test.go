package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/experiments"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

const anIdea = `{"title":"Reply to every mention","problem":"People who write to the bot hear nothing back.",` +
	`"hypothesis":"If we reply within an hour, then more people join because somebody listens.","impact":"Strangers become members."}`

// titled is anIdea by another title.
func titled(title string) string { return strings.Replace(anIdea, "Reply to every mention", title, 1) }

// lab reads the list as a visitor.
func (w *world) lab(t *testing.T, query string) experiments.Experiments {
	return read[experiments.Experiments](t, w.visits(t, "/api/experiments"+query), ok)
}

// detail reads an experiment as the founders do.
func (w *world) detail(t *testing.T, key string) experiments.ExperimentDetail {
	return read[experiments.ExperimentDetail](t, w.send(t, http.MethodGet, "/api/experiments/"+key, ""), ok)
}

// planned is a public experiment that founders wrote.
func (w *world) planned(t *testing.T, title string) experiments.Experiment {
	rec := w.send(t, http.MethodPost, "/api/experiments/submit", titled(title))
	return read[experiments.SubmittedExperiment](t, rec, http.StatusCreated).Experiment
}

// moved takes an experiment from status to status.
func (w *world) moved(t *testing.T, key string, to ...string) experiments.ExperimentDetail {
	for _, status := range to {
		rec := w.step(t, key, map[string]any{"version": w.detail(t, key).Version, "to": status, "reason": "because"})
		require.Equal(t, ok, rec.Code, rec.Body.String())
	}
	return w.detail(t, key)
}

func (w *world) step(t *testing.T, key string, move map[string]any) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodPost, path: "/api/experiments/" + key + "/move", body: asJSON(t, move)})
}

// promised is a planned experiment that promises seven members in ten days.
func (w *world) promised(t *testing.T, title string) experiments.ExperimentDetail {
	e := w.planned(t, title)
	rec := w.do(t, call{method: http.MethodPut, path: "/api/experiments/" + e.Slug + "/metric", body: asJSON(t, map[string]any{
		"version": e.Version, "metric": experiment.Members, "threshold": 7, "due_at": w.now.AddDate(0, 0, 10),
	})})
	return read[experiments.ExperimentDetail](t, rec, ok)
}

func slugs(page experiments.Experiments) []string {
	all := []string{}
	for _, e := range page.Experiments {
		all = append(all, e.Slug)
	}
	return all
}

func TestTheLabOpensWithItsFirstExperiment(t *testing.T) {
	w := newWorld(t)
	page := w.lab(t, "")
	require.Equal(t, []any{httpapi.Pagination{Total: 1, Limit: 20}, experiments.ExperimentTotals{Experiments: 1, Running: 1}}, []any{page.Pagination, page.Totals})
	first := page.Experiments[0]
	require.Equal(t, []any{"001", "001-public-experiments-page", "active", 60, 1, true, "seed"},
		[]any{first.ID, first.Slug, first.Status, first.Progress, first.DayCount, first.VotesOpen, first.Origin})
	w.now = now.AddDate(0, 0, 3)
	require.Equal(t, 4, w.lab(t, "").Experiments[0].DayCount, "days go by")
}

func TestTheLabIsSearchedSortedAndPaged(t *testing.T) {
	w := newWorld(t)
	w.now = now.AddDate(0, 0, 2)
	second, third := w.planned(t, "Reply with a picture"), w.planned(t, "50% off_on Fridays")
	ada := w.newMember(t, "ada")
	require.Equal(t, ok, ada.post(t, "/api/experiments/vote", `{"experimentId":"`+second.ID+`","vote":1}`).Code)
	all := []string{third.Slug, second.Slug, "001-public-experiments-page"}
	for query, want := range map[string][]string{
		"":                             all,
		"?sort=newest":                 all,
		"?sort=votes":                  {second.Slug, third.Slug, "001-public-experiments-page"},
		"?sort=progress":               {"001-public-experiments-page", third.Slug, second.Slug},
		"?status=planning":             {third.Slug, second.Slug},
		"?status=shipped":              {},
		"?q=PICTURE":                   {second.Slug},
		"?q=" + url.QueryEscape("0%"):  {third.Slug},
		"?q=" + url.QueryEscape("f_o"): {third.Slug},
		"?q=nothing+like+it":           {},
		"?limit=1":                     {third.Slug},
		"?limit=1&offset=2":            {"001-public-experiments-page"},
		"?limit=1&offset=3":            {},
	} {
		require.Equal(t, want, slugs(w.lab(t, query)), query)
	}
	require.Equal(t, httpapi.Pagination{Total: 3, Limit: 1, Offset: 1, HasMore: true}, w.lab(t, "?limit=1&offset=1").Pagination)
	require.Equal(t, experiments.ExperimentTotals{Experiments: 3, Running: 1, Votes: 1}, w.lab(t, "?q=picture").Totals, "of all, whatever was asked for")
}

func TestWhatWaitsIsShownToFoundersOnly(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	require.Equal(t, http.StatusCreated, ada.post(t, "/api/experiments/submit", anIdea).Code)

	require.Len(t, w.lab(t, "").Experiments, 1)
	require.Zero(t, w.lab(t, "").Totals.Waiting)
	require.Zero(t, read[experiments.Experiments](t, ada.get(t, "/api/experiments"), ok).Totals.Waiting)
	for _, rec := range []int{
		w.visits(t, "/api/experiments?status=waiting").Code,
		ada.get(t, "/api/experiments?status=waiting").Code,
	} {
		require.Equal(t, never, rec)
	}
	rec := w.founder(t).get(t, "/api/experiments?status=waiting")
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	waiting := read[experiments.Experiments](t, rec, ok)
	require.Equal(t, experiments.ExperimentTotals{Experiments: 1, Running: 1, Waiting: 1}, waiting.Totals)
	require.Equal(t, []string{"waiting", "member", "ada"}, []string{waiting.Experiments[0].Status, waiting.Experiments[0].Origin, waiting.Experiments[0].Submitter})
	require.Len(t, waiting.Experiments, 1)
	require.Equal(t, 1, waiting.Pagination.Total)
}

func TestIdeasThatSayNearlyTheSameAreFound(t *testing.T) {
	w := newWorld(t)
	for n := range 4 {
		w.planned(t, fmt.Sprintf("Reply to every mention, part %d", n))
	}
	w.browser().post(t, "/api/experiments/submit", titled("Reply to every mention in secret"))
	declined := w.planned(t, "Reply to every mention, or not")
	w.moved(t, declined.Slug, "declined")
	similar := func(title string) []experiments.Experiment {
		path := "/api/experiments/similar?title=" + url.QueryEscape(title)
		return read[experiments.SimilarExperiments](t, w.visits(t, path), ok).Experiments
	}
	require.Len(t, similar("reply to EVERY mention"), 3, "three at most")
	for _, e := range similar("reply to EVERY mention") {
		require.Equal(t, "planning", e.Status, "what waits, and what was declined, is not told of")
	}
	require.Equal(t, "Public experiments page", similar("public experim")[0].Title)
	require.Equal(t, []experiments.Experiment{}, similar("quite another thing"))
	require.Equal(t, []experiments.Experiment{}, similar(""))
	require.Equal(t, 422, w.visits(t, "/api/experiments/similar?title=%00%ff").Code, "it is no text")
}

// shown reads an experiment as a visitor.
func (w *world) shown(t *testing.T, key string) experiments.ExperimentDetail {
	return read[experiments.ExperimentDetail](t, w.visits(t, "/api/experiments/"+key), ok)
}

func TestAnExperimentHasThreeNames(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"001-public-experiments-page", "001", "1"} {
		e := w.shown(t, key)
		require.Equal(t, "001", e.ID, key)
		require.Len(t, e.Methodology, 5)
		require.Len(t, e.TechStack, 9)
		require.Len(t, e.SuccessMetrics, 3)
		require.Equal(t, []any{[]experiments.ExperimentMove{}, false}, []any{e.Moves, e.CanEdit})
		require.Nil(t, e.Measure)
	}
	notes := w.shown(t, "1").LabNotes
	require.Equal(t, []string{"2026-11-22", "2026-11-21", "2026-11-20"}, []string{notes[0].Date, notes[1].Date, notes[2].Date}, "the newest first")
	require.Equal(t, []int{3, 2, 1}, []int{notes[0].Day, notes[1].Day, notes[2].Day})
}

func TestUnknownExperimentsAreNotFound(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{
		"nobody", "002", "0", "-1", "1.0", "99999999999999999999", "001-PUBLIC-experiments-page",
		"<script>", "%27%20OR%201=1--", url.PathEscape("１"), strings.Repeat("x", 120),
	} {
		rec := w.visits(t, "/api/experiments/"+key)
		require.Equal(t, nothing, rec.Code, key)
		require.Equal(t, "There is no such experiment.", problemOf(t, rec).Message, key)
	}
	for _, noText := range []string{"%00", "a%00b", "%ff%fe"} {
		require.Equal(t, nothing, w.visits(t, "/api/experiments/"+noText).Code, noText)
	}
	require.Equal(t, 422, w.do(t, call{method: "GET", path: "/api/experiments/" + strings.Repeat("x", 121), key: "none"}).Code)
}

func TestWhatWaitsIsSeenByItsSubmitterAndFounders(t *testing.T) {
	w := newWorld(t)
	p, _ := w.everybody(t)
	waiting := w.idea(t, w.browserWith(p.member), anIdea)
	visitors := w.idea(t, w.browser(), titled("A visitor's idea"))
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
	hers := read[experiments.ExperimentDetail](t, w.browserWith(p.member).get(t, "/api/experiments/"+waiting.ID), ok)
	require.Equal(t, []any{false, 0}, []any{hers.CanEdit, len(hers.Moves)})

	// Declined without a number it stays between them; with one it is public, and says why.
	w.moved(t, waiting.ID, "declined")
	require.Equal(t, nothing, w.browser().get(t, "/api/experiments/"+waiting.ID).Code)
	require.Equal(t, "because", read[experiments.ExperimentDetail](t, w.browserWith(p.member).get(t, "/api/experiments/"+waiting.ID), ok).Reason)
	public := w.moved(t, visitors.ID, "planning", "declined")
	require.Equal(t, "002", public.ID)
	told := w.shown(t, "002-a-visitors-idea")
	require.Equal(t, []any{"declined", "because", false}, []any{told.Status, told.Reason, told.VotesOpen})
	require.Equal(t, "002", w.shown(t, visitors.ID).ID, "a link from before leads there")
}

func TestFoundersSeeWhereItMayGoAndWhyNot(t *testing.T) {
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	require.Equal(t, []any{true, []experiments.ExperimentMove{{To: "active"}, {To: "declined", NeedsReason: true}}}, []any{e.CanEdit, e.Moves})
	active := w.moved(t, e.Slug, "active")
	require.Equal(t, []experiment.Status{"testing", "completed", "declined"}, []experiment.Status{active.Moves[0].To, active.Moves[1].To, active.Moves[2].To})
	require.Empty(t, active.Moves[0].Refused)
	require.Contains(t, active.Moves[1].Refused, "30 Nov 2026", "its run completes it")

	late := w.promised(t, "Reply late")
	w.now = now.AddDate(0, 0, 11)
	require.Contains(t, w.detail(t, late.Slug).Moves[0].Refused, "has passed")
}

func TestARunIsNamedOnceThereIsOne(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, httpapi.RunRef{}, w.shown(t, "001").RunRef)
	must(w.db.Experiments.BeginExperiment(t.Context(), "001", "experiment:001", "run-1"))(t)
	require.Equal(t, []string{"experiment:001", "run-1"}, []string{w.shown(t, "001").WorkflowID, w.shown(t, "001").RunID})
}

func TestAMetricIsShownAsItStands(t *testing.T) {
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	m := e.Measure
	require.Equal(t, []any{"members", "Members", "members", 7.0, false, now.AddDate(0, 0, 10)}, []any{m.Metric, m.Label, m.Unit, m.Threshold, m.AtMost, m.DueAt.UTC()})
	require.Nil(t, m.Value, "it has not begun")
	require.Empty(t, m.WouldBe)
	require.Equal(t, []experiments.MetricPoint{}, m.Points)

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
	must(w.db.Experiments.SettleExperiment(t.Context(), w.rowID(t, e.Slug), experiment.Reading{Value: 8, Sample: 8, Any: true}, due))(t)
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
	e := must(w.db.Experiments.Experiment(t.Context(), key))(t)
	return e.ID
}

func TestSixtyDaysAreDrawnAtMost(t *testing.T) {
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
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	w.moved(t, e.Slug, "active", "declined")
	told := w.shown(t, e.Slug)
	require.Equal(t, []any{"abandoned", "abandoned"}, []any{told.Verdict, told.Measure.WouldBe})
	require.Nil(t, told.Measure.Value)
	refused(t, w.newMember(t, "zoe").post(t, "/api/experiments/vote", `{"experimentId":"`+e.Slug+`","vote":1}`), problem.VotesClosed)
}

// idea is what somebody has submitted.
func (w *world) idea(t *testing.T, b *browser, body string) experiments.Experiment {
	return read[experiments.SubmittedExperiment](t, b.post(t, "/api/experiments/submit", body), http.StatusCreated).Experiment
}
