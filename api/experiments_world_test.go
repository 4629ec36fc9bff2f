package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/experiment"
)

const anIdea = `{"title":"Reply to every mention","problem":"People who write to the bot hear nothing back.",` +
	`"hypothesis":"If we reply within an hour, then more people join because somebody listens.","impact":"Strangers become members."}`

// titled is anIdea by another title.
func titled(title string) string { return strings.Replace(anIdea, "Reply to every mention", title, 1) }

// submit asks for an idea as a visitor from a network.
func (w *world) submit(t *testing.T, address, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodPost, path: "/api/experiments/submit", body: body, key: "none", from: address})
}

// lab reads the list as a visitor.
func (w *world) lab(t *testing.T, query string) api.Experiments {
	t.Helper()
	return read[api.Experiments](t, w.do(t, call{method: http.MethodGet, path: "/api/experiments" + query, key: "none"}), ok)
}

// detail reads an experiment as the founders do.
func (w *world) detail(t *testing.T, key string) api.ExperimentDetail {
	t.Helper()
	return read[api.ExperimentDetail](t, w.do(t, call{method: http.MethodGet, path: "/api/experiments/" + key}), ok)
}

// planned is a public experiment that founders wrote.
func (w *world) planned(t *testing.T, title string) api.Experiment {
	t.Helper()
	rec := w.do(t, call{method: http.MethodPost, path: "/api/experiments/submit", body: titled(title)})
	return read[api.SubmittedExperiment](t, rec, http.StatusCreated).Experiment
}

// moved takes an experiment from status to status.
func (w *world) moved(t *testing.T, key string, to ...string) api.ExperimentDetail {
	t.Helper()
	for _, status := range to {
		rec := w.step(t, key, map[string]any{"version": w.detail(t, key).Version, "to": status, "reason": "because"})
		require.Equal(t, ok, rec.Code, rec.Body.String())
	}
	return w.detail(t, key)
}

func (w *world) step(t *testing.T, key string, move map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodPost, path: "/api/experiments/" + key + "/move", body: asJSON(t, move)})
}

// promised is a planned experiment that promises seven members in ten days.
func (w *world) promised(t *testing.T, title string) api.ExperimentDetail {
	t.Helper()
	e := w.planned(t, title)
	rec := w.do(t, call{method: http.MethodPut, path: "/api/experiments/" + e.Slug + "/metric", body: asJSON(t, map[string]any{
		"version": e.Version, "metric": experiment.Members, "threshold": 7, "due_at": w.now.AddDate(0, 0, 10),
	})})
	return read[api.ExperimentDetail](t, rec, ok)
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func jsonInto(text string, value any) error { return json.Unmarshal([]byte(text), value) }
