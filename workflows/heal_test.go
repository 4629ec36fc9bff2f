package workflows_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/workflows"
)

// healWorld is a chaos target that can be repaired, and the stored observations.
type healWorld struct {
	mu       sync.Mutex
	failing  target.Failing
	process  int
	orders   []string
	refuses  error // the supervisor's answer to every command
	healsAt  int   // healthy after the n-th command; the first if 0
	onProbe  func(n int)
	probes   int
	sickOn   map[int]target.Failing // failures of the n-th probe only
	slow     time.Duration          // duration of a command
	incident *heal.Incident
	closed   []heal.Incident
	alarms   []string
	seen     []heal.Observation
	signed   target.Signed
}

func (w *healWorld) Probe(context.Context) target.Sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.probes++
	if w.onProbe != nil {
		w.onProbe(w.probes)
	}
	return target.Sample{At: time.Now(), Failing: w.failing | w.sickOn[w.probes], Process: w.process}
}

func (w *healWorld) Inspect(context.Context) (target.Inspection, error) {
	return target.Inspection{Process: target.Process{ID: w.process, StartedAt: time.Now()}}, nil
}

func (w *healWorld) Manifest(context.Context) (target.Signed, error) {
	return target.Signed{Note: "signed"}, nil
}

func (w *healWorld) order(name string) error {
	<-time.After(w.slow)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, name)
	if w.refuses != nil {
		return w.refuses
	}
	if len(w.orders) >= w.healsAt {
		w.failing = 0
	}
	return nil
}

func (w *healWorld) RestoreFiles(_ context.Context, names []string) error {
	return w.order("files " + names[0])
}
func (w *healWorld) RestoreDatabase(context.Context) error { return w.order("database") }
func (w *healWorld) Restart(context.Context) error         { return w.order("restart") }

func (w *healWorld) SaveTargetState(_ context.Context, seen heal.Observation) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, seen)
	return nil
}

func (w *healWorld) SaveManifest(_ context.Context, signed target.Signed) error {
	w.signed = signed
	return nil
}

func (w *healWorld) OpenIncident(context.Context) (*heal.Incident, error) { return w.incident, nil }

func (w *healWorld) BeginIncident(_ context.Context, i heal.Incident) (heal.Incident, error) {
	if w.incident == nil {
		w.incident = &i
	}
	return *w.incident, nil
}

func (w *healWorld) NoteIncident(_ context.Context, _ string, failing target.Failing, steps []heal.Repair) error {
	w.incident.Failing |= failing
	w.incident.Steps = append(w.incident.Steps, steps...)
	return nil
}

func (w *healWorld) RaiseAlarm(_ context.Context, _, alarm string, at time.Time) error {
	if w.incident.Alarm == "" {
		w.incident.Alarm, w.incident.AlarmAt = alarm, &at
		w.alarms = append(w.alarms, alarm)
	}
	return nil
}

func (w *healWorld) EndIncident(_ context.Context, _ string, at time.Time) error {
	w.incident.EndedAt = &at
	w.closed = append(w.closed, *w.incident)
	w.incident = nil
	return nil
}

// inHealWorld runs the healer for a while in a synctest bubble.
func inHealWorld(t *testing.T, given func(w *healWorld), look func(t *testing.T, w *healWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, env := &healWorld{process: 7}, newTargetEnv()
		given(w)
		env.RegisterActivity(&activities.SelfHeal{Store: w, Target: w, Now: time.Now})
		env.ExecuteWorkflow(workflows.SelfHeal, workflows.SelfHealState{})
		require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
		look(t, w)
		<-time.After(20 * time.Minute)
	})
}

// sickens makes checks fail from the tenth probe on.
func sickens(checks ...target.Check) func(w *healWorld) {
	return func(w *healWorld) { w.at(10, func() { w.failing = target.Failed(checks...) }) }
}

// at calls do at the n-th probe.
func (w *healWorld) at(n int, do func()) {
	before := w.onProbe
	w.onProbe = func(probe int) {
		if before != nil {
			before(probe)
		}
		if probe == n {
			do()
		}
	}
}

func TestHealerRepairs(t *testing.T) {
	t.Parallel()
	picture := target.FileCheck(target.FileOGImage)
	const files = "files public/og-image.png"
	for name, c := range map[string]struct {
		fails  []target.Check
		orders []string
	}{
		"a file": {[]target.Check{picture, target.CheckOGImage}, []string{files}},
		"the database, which restarts the process": {[]target.Check{target.CheckDatabase, target.CheckHome}, []string{"database"}},
		"the process":                 {[]target.Check{target.CheckProcess}, []string{"restart"}},
		"everything, the files first": {[]target.Check{picture, target.CheckDatabase, target.CheckProcess}, []string{files, "database"}},
		"a process that fails slowly": {[]target.Check{target.CheckAPI}, []string{"restart"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inHealWorld(t, func(w *healWorld) {
				sickens(c.fails...)(w)
				w.healsAt = len(c.orders)
			}, func(t *testing.T, w *healWorld) {
				require.Equal(t, c.orders, w.orders)
				require.Len(t, w.closed, 1)
				incident := w.closed[0]
				require.Equal(t, target.Failed(c.fails...), incident.Failing)
				require.Len(t, incident.Steps, len(c.orders))
				require.Equal(t, target.ProbeEvery, incident.UnhealthyAt.Sub(incident.OpenedAt), "two consecutive failures")
				require.False(t, incident.EndedAt.Before(incident.UnhealthyAt))
				require.Empty(t, w.alarms)
				require.NotEmpty(t, incident.RunID)
			})
		})
	}
}

func TestOneFailedProbeRepairsNothing(t *testing.T) {
	t.Parallel()
	inHealWorld(t, func(w *healWorld) { w.sickOn = map[int]target.Failing{5: 1, 9: 1, 20: 1} }, func(t *testing.T, w *healWorld) {
		require.Empty(t, w.orders)
		require.Empty(t, w.closed)
		require.Equal(t, "signed", w.signed.Note)
	})
}

// TestHealerReportsTargetState checks that the state is stored often enough: after 10 s pages call it
// unknown.
func TestHealerReportsTargetState(t *testing.T) {
	t.Parallel()
	inHealWorld(t, sickens(target.CheckProcess), func(t *testing.T, w *healWorld) {
		sick := 0
		for i, seen := range w.seen[1:] {
			require.LessOrEqual(t, seen.At.Sub(w.seen[i].At), 6*time.Second)
			if seen.Failing.Any() {
				sick++
			}
		}
		require.Positive(t, sick, "a change is stored at once")
		require.NotNil(t, w.seen[0].StartedAt)
	})
}

func TestHealerRaisesAlarmAndContinues(t *testing.T) {
	t.Parallel()
	inHealWorld(t, func(w *healWorld) {
		sickens(target.CheckProcess)(w)
		w.refuses = problem.New(problem.TargetRefused, "There is no room left on the disk of the chaos target.")
		w.at(400, func() { w.refuses = nil })
	}, func(t *testing.T, w *healWorld) {
		require.Len(t, w.alarms, 1, "once")
		require.Contains(t, w.alarms[0], "3 times")
		require.Len(t, w.closed, 1)
		steps := w.closed[0].Steps
		last := len(steps) - 1
		require.Greater(t, last, 4, "it continues to repair")
		require.Equal(t, "There is no room left on the disk of the chaos target.", steps[0].Error)
		require.Empty(t, steps[last].Error)
		require.Greater(t, steps[last].At.Sub(steps[last-1].At), 5*time.Second, "with longer and longer pauses")
	})
}

// TestHealerStoresRepairErrors checks that an incident shows why a step failed, without internal
// details.
func TestHealerStoresRepairErrors(t *testing.T) {
	t.Parallel()
	for says, given := range map[string]func(w *healWorld){
		"The repair was not completed in time.": func(w *healWorld) { w.slow, w.healsAt = 13*time.Second, 2 },
		"The supervisor did not confirm the repair.": func(w *healWorld) {
			w.refuses = errors.New("dial tcp 10.0.0.3: refused")
			w.at(30, func() { w.failing = 0 })
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			inHealWorld(t, func(w *healWorld) {
				sickens(target.CheckProcess)(w)
				given(w)
			}, func(t *testing.T, w *healWorld) {
				require.Len(t, w.closed, 1)
				require.Equal(t, says, w.closed[0].Steps[0].Error)
			})
		})
	}
}

func TestHealerResumesOpenIncident(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]target.Failing{"still unhealthy": target.Failed(target.CheckProcess), "healthy again": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inHealWorld(t, func(w *healWorld) { w.incident, w.failing = &heal.Incident{ID: "old"}, failing }, func(t *testing.T, w *healWorld) {
				require.Len(t, w.closed, 1)
				require.Equal(t, "old", w.closed[0].ID)
				require.Len(t, w.orders, failing.Count())
			})
		})
	}
}
