package api_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

func (w *world) cell(t *testing.T) api.CellReport {
	t.Helper()
	return read[api.CellReport](t, w.do(t, call{method: "GET", path: "/api/chaos/cell", key: "none"}), 200)
}

func (w *world) switchChaos(t *testing.T, body string) api.ChaosSwitch {
	t.Helper()
	return read[api.ChaosSwitch](t, w.do(t, call{method: "PUT", path: "/api/chaos/switch", body: body}), 200)
}

func TestTheCellIsAsItWasLastSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	never := w.cell(t)
	require.Equal(t, "unseen", never.Status)
	require.Nil(t, never.SeenAt)
	require.Empty(t, never.Files)
	require.Equal(t, "http://cell.example", never.URL)
	require.Equal(t, api.ChaosLimits{PerVisitor: 3, Overall: 30}, never.Limits)
	require.Equal(t, api.ChaosSwitch{On: true}, never.Switch)
	require.Equal(t, api.ChaosFault{Type: "crash-api", Title: "Crash the API", About: "Kills the process.", PromiseMS: 5000, Weight: 3}, never.Faults[1])

	see := func(failing target.Failing) {
		require.NoError(t, w.db.Chaos.SawCell(t.Context(), heal.Seen{At: w.now, Failing: failing, Process: 77, StartedAt: &now}))
	}
	require.NoError(t, w.db.Chaos.SaveManifest(t.Context(), target.Signed{
		Note: "signed", Verifier: "cell+1+x", Files: []target.File{{Name: target.FileOGImage, Size: 9, SHA256: "ab"}, {Name: target.FileRules, Size: 8, SHA256: "cd"}},
	}))
	see(0)
	require.Equal(t, "healthy", w.cell(t).Status)
	see(target.Failed(target.FileCheck(target.FileOGImage), target.CheckOGImage))
	broken := w.cell(t)
	require.Equal(t, "broken", broken.Status)
	require.Equal(t, []string{"file:public/og-image.png", "page:/og-image.png"}, broken.Failing)
	require.Equal(t, []api.CellFile{{Name: target.FileOGImage, Size: 9, SHA256: "ab"}, {Name: target.FileRules, Size: 8, SHA256: "cd", OK: true}}, broken.Files)
	require.Equal(t, []any{77, "signed", "cell+1+x"}, []any{broken.Process, broken.Manifest, broken.Verifier})
	w.now = now.Add(10 * time.Second)
	require.Equal(t, "broken", w.cell(t).Status)
	w.now = now.Add(10*time.Second + time.Millisecond)
	require.Equal(t, "unseen", w.cell(t).Status)
}

func TestTheCellNamesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Nil(t, w.cell(t).Running)
	run := w.broken(t)
	w.now = now.Add(2 * time.Second)
	w.sicken(t)
	report := w.cell(t)
	require.Equal(t, run.ID, report.Running.ID)
	require.Equal(t, []string{"inc", run.ID}, []string{report.Incident.ID, report.Incident.ChaosID})
}

func TestIncidentsAreListedWithTheRunThatRanThen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.healed(t)
	w.mended(t)
	w.now = now.Add(time.Hour)
	_, err := w.db.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "later", Failing: crashed, WorkflowID: "self-heal:cell", OpenedAt: w.now, SickAt: w.now})
	require.NoError(t, err)
	list := read[api.Incidents](t, w.do(t, call{method: "GET", path: "/api/chaos/incidents?limit=2", key: "none"}), 200)
	require.Equal(t, httpapi.Pagination{Total: 2, Limit: 2}, list.Pagination)
	require.Equal(t, [][2]string{{"later", ""}, {"inc", id}}, [][2]string{
		{list.Incidents[0].ID, list.Incidents[0].ChaosID}, {list.Incidents[1].ID, list.Incidents[1].ChaosID},
	})
	require.Nil(t, list.Incidents[0].EndedAt)
	require.NotNil(t, list.Incidents[0].Steps)
}

func TestTheKillSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	off := w.switchChaos(t, `{"on":false,"reason":"a demo"}`)
	require.Equal(t, []any{false, "the founders' key", "a demo"}, []any{off.On, off.By, off.Reason})
	require.Equal(t, []string{"stop chaos"}, w.runs.orders, "what is broken is taken back")
	require.Equal(t, off, w.cell(t).Switch)
	w.switchChaos(t, `{"on":false,"reason":"a demo"}`)
	require.Len(t, w.runs.orders, 2, "pressed again, it is tried again")
	require.True(t, w.switchChaos(t, `{"on":true}`).On)
	require.True(t, w.switchChaos(t, `{"on":true}`).On)
	require.Len(t, w.runs.orders, 2)
	require.Equal(t, []audit.Action{audit.StopChaos, audit.AllowChaos}, w.noted(t))
	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 2, 0)
	require.NoError(t, err)
	require.Equal(t, "Chaos is switched off: a demo.", entries[1].Detail)
}

// The switch is off all the same, and says what it could not do.
func TestTheKillSwitchWithoutTemporal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.err = errors.New("dial tcp: connection refused")
	rec := w.do(t, call{method: "PUT", path: "/api/chaos/switch", body: `{"on":false}`})
	p := problemOf(t, rec)
	require.Equal(t, problem.Unavailable, p.Code)
	require.Contains(t, p.Message, "within 30 s")
	require.False(t, w.cell(t).Switch.On)
	require.Equal(t, []audit.Action{audit.StopChaos}, w.noted(t))
}
