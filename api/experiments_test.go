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
)

const anIdea = `{"title":"Reply to every mention","problem":"People who write to the bot hear nothing back.",` +
	`"hypothesis":"If we reply within an hour, then more people join because somebody listens.","impact":"Strangers become members."}`

// titled returns anIdea with another title.
func titled(title string) string { return strings.Replace(anIdea, "Reply to every mention", title, 1) }

func (w *world) lab(t *testing.T, query string) experiments.Experiments {
	return read[experiments.Experiments](t, w.visits(t, "/api/experiments"+query), ok)
}

// detail reads an experiment with the admin key.
func (w *world) detail(t *testing.T, key string) experiments.ExperimentDetail {
	return read[experiments.ExperimentDetail](t, w.send(t, http.MethodGet, "/api/experiments/"+key, ""), ok)
}

// planned creates a public experiment as a founder.
func (w *world) planned(t *testing.T, title string) experiments.Experiment {
	rec := w.send(t, http.MethodPost, "/api/experiments/submit", titled(title))
	return read[experiments.SubmittedExperiment](t, rec, http.StatusCreated).Experiment
}

// moved moves an experiment through statuses.
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

// promised creates an experiment whose metric is 7 members in 10 days.
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

func TestExperimentsAreSearchedSortedAndPaged(t *testing.T) {
	w := newWorld(t)
	w.now = now.AddDate(0, 0, 2)
	second, third := w.planned(t, "Reply with a picture"), w.planned(t, "50% off_on Fridays")
	w.newMember(t, "ada").vote(t, `{"experimentId":"`+second.ID+`","vote":1}`)
	for query, want := range map[string][]string{
		"":                             {third.Slug, second.Slug, "001-public-experiments-page"},
		"?sort=votes":                  {second.Slug, third.Slug, "001-public-experiments-page"},
		"?status=planning":             {third.Slug, second.Slug},
		"?status=shipped":              {},
		"?q=" + url.QueryEscape("f_o"): {third.Slug},
	} {
		require.Equal(t, want, slugs(w.lab(t, query)), query)
	}
	page := w.lab(t, "?limit=1&offset=1&q=i")
	require.Equal(t, []any{httpapi.Pagination{Total: 3, Limit: 1, Offset: 1, HasMore: true}, experiments.ExperimentTotals{Experiments: 3, Running: 1, Votes: 1}},
		[]any{page.Pagination, page.Totals}, "totals ignore the filter")
	first := w.lab(t, "?q=Public").Experiments[0]
	require.Equal(t, []any{"001", "001-public-experiments-page", "active", 0, 3, true, "seed"},
		[]any{first.ID, first.Slug, first.Status, first.Progress, first.DayCount, first.VotesOpen, first.Origin})
	require.Equal(t, httpapi.RunRef{}, first.RunRef)
	must(w.db.Experiments.BeginExperiment(t.Context(), "001", "experiment:001", "run-1"))(t)
	shown := w.shown(t, "1")
	require.Equal(t, []any{"001", httpapi.RunOf("experiment:001", "run-1")}, []any{shown.ID, shown.RunRef})
	require.Equal(t, []int{5, 9, 3, 0, 1}, []int{len(shown.Methodology), len(shown.TechStack), len(shown.SuccessMetrics), len(shown.Moves), shown.LabNotes[0].Day})
	require.Nil(t, shown.Measure)
	for _, key := range []string{"nobody", "002%00", "%ff%fe"} {
		require.Equal(t, nothing, w.visits(t, "/api/experiments/"+key).Code, key)
	}
}

func TestSimilarExperimentsAreFound(t *testing.T) {
	w := newWorld(t)
	for n := range 4 {
		w.planned(t, fmt.Sprintf("Reply to every mention, part %d", n))
	}
	w.idea(t, w.browser(), titled("Reply to every mention in secret"))
	similar := func(title string) []experiments.Experiment {
		path := "/api/experiments/similar?title=" + url.QueryEscape(title)
		return read[experiments.SimilarExperiments](t, w.visits(t, path), ok).Experiments
	}
	require.Len(t, similar("reply to EVERY mention"), 3, "at most 3")
	for _, e := range similar("reply to EVERY mention") {
		require.Equal(t, "planning", e.Status, "waiting ones are hidden")
	}
	require.Equal(t, []experiments.Experiment{}, similar("quite another thing"))
}

// shown reads an experiment as a visitor.
func (w *world) shown(t *testing.T, key string) experiments.ExperimentDetail {
	return read[experiments.ExperimentDetail](t, w.visits(t, "/api/experiments/"+key), ok)
}

func TestWaitingExperimentsAreVisibleToSubmitterAndFounders(t *testing.T) {
	w := newWorld(t)
	p, _ := w.loginAll(t)
	ada := w.browserWith(p.member)
	hers, visitors := w.idea(t, ada, anIdea), w.idea(t, w.browser(), titled("A visitor's idea"))
	for name, tt := range map[string]struct {
		who                  *browser
		hers, visitors, list int
		waiting              int // in the totals
	}{
		"a visitor":      {w.browser(), nothing, nothing, never, 0},
		"its submitter":  {ada, ok, nothing, never, 0},
		"another member": {w.browserWith(p.other), nothing, nothing, never, 0},
		"a founder":      {w.browserWith(p.founder), ok, ok, ok, 2},
	} {
		require.Equal(t, tt.hers, tt.who.get(t, "/api/experiments/"+hers.ID).Code, name)
		require.Equal(t, tt.visitors, tt.who.get(t, "/api/experiments/"+visitors.ID).Code, name)
		require.Equal(t, tt.list, tt.who.get(t, "/api/experiments?status=waiting").Code, name)
		page := read[experiments.Experiments](t, tt.who.get(t, "/api/experiments"), ok)
		require.Equal(t, []int{1, tt.waiting}, []int{len(page.Experiments), page.Totals.Waiting}, name)
	}
	require.Equal(t, []string{"waiting", "member", "ada"}, []string{hers.Status, hers.Origin, hers.Submitter})
	shown := read[experiments.ExperimentDetail](t, ada.get(t, "/api/experiments/"+hers.ID), ok)
	require.Equal(t, []any{false, 0}, []any{shown.CanEdit, len(shown.Moves)})

	// An experiment declined without a number stays private; one with a number is public, with the reason.
	w.moved(t, hers.ID, "declined")
	require.Equal(t, nothing, w.browser().get(t, "/api/experiments/"+hers.ID).Code)
	require.Equal(t, "because", read[experiments.ExperimentDetail](t, ada.get(t, "/api/experiments/"+hers.ID), ok).Reason)
	w.moved(t, visitors.ID, "planning", "declined")
	declined := w.shown(t, visitors.ID) // the old link still works
	require.Equal(t, []any{"002", "declined", "because", false}, []any{declined.ID, declined.Status, declined.Reason, declined.VotesOpen})
}

func TestAMetricIsShownUntilItsVerdict(t *testing.T) {
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	require.Equal(t, []any{true, []experiments.ExperimentMove{{To: "active"}, {To: "declined", NeedsReason: true}}}, []any{e.CanEdit, e.Moves})
	m := e.Measure
	require.Equal(t, []any{"members", "Members", "members", 7.0, false, now.AddDate(0, 0, 10)}, []any{m.Metric, m.Label, m.Unit, m.Threshold, m.AtMost, m.DueAt.UTC()})
	require.Nil(t, m.Value, "it has not started")
	require.Empty(t, m.WouldBe)
	require.Equal(t, []experiments.MetricPoint{}, m.Points)

	require.Contains(t, w.moved(t, e.Slug, "active").Moves[1].Refused, "30 Nov 2026", "its workflow completes it")
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

	// Later values do not change the verdict.
	due := now.AddDate(0, 0, 10)
	must(w.db.Experiments.SettleExperiment(t.Context(), w.rowID(t, e.Slug), experiment.Reading{Value: 8, Sample: 8, Any: true}, due))(t)
	w.now = due.AddDate(0, 0, 30)
	settled := w.shown(t, e.Slug)
	m = settled.Measure
	require.Equal(t, []any{"completed", "met", "met", 8.0}, []any{settled.Status, settled.Verdict, m.WouldBe, *m.Value})
	require.WithinDuration(t, due, *m.MeasuredAt, 0)
	require.Len(t, m.Points, 11)
	require.WithinDuration(t, due, m.Points[10].At, 0, "points end at the due date")
}

func (w *world) rowID(t *testing.T, key string) string {
	return must(w.db.Experiments.Experiment(t.Context(), key))(t).ID
}

func TestAMetricHasAtMostSixtyPoints(t *testing.T) {
	w := newWorld(t)
	e := w.planned(t, "Reply to every mention")
	promise := `{"version":1,"metric":"success_rate","threshold":90,"due_at":"2027-09-16T12:00:00Z"}`
	require.Equal(t, ok, w.send(t, "PUT", "/api/experiments/"+e.Slug+"/metric", promise).Code)
	w.moved(t, e.Slug, "active")
	m := w.shown(t, e.Slug).Measure
	require.Equal(t, []any{(*float64)(nil), "unmeasured", 0}, []any{m.Value, m.WouldBe, len(m.Points)}, "days without data are omitted")
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

// idea submits an experiment.
func (w *world) idea(t *testing.T, b *browser, body string) experiments.Experiment {
	return read[experiments.SubmittedExperiment](t, b.post(t, "/api/experiments/submit", body), http.StatusCreated).Experiment
}
