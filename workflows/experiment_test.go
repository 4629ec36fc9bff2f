package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
)

func TestExperimentEnds(t *testing.T) {
	t.Parallel()
	promising := func(threshold float64) func(*testing.T, *trial) {
		return func(t *testing.T, e *trial) { e.promise(t, experiment.Members, threshold) }
	}
	for name, tt := range map[string]struct {
		given    func(t *testing.T, e *trial) // before it is active
		then     func(t *testing.T, e *trial) // when it is
		status   experiment.Status
		verdict  experiment.Verdict
		measured bool
		after    time.Duration
	}{
		"met": {
			given: promising(3), status: experiment.Completed, verdict: experiment.Met, measured: true, after: 48 * time.Hour,
		},
		"missed": {
			given: promising(4), status: experiment.Completed, verdict: experiment.Missed, measured: true, after: 48 * time.Hour,
		},
		"nothing to measure": {
			given:  func(t *testing.T, e *trial) { e.promise(t, experiment.HealTime, 2) },
			status: experiment.Completed, verdict: experiment.Unmeasured, after: 48 * time.Hour,
		},
		"tested before its date": {
			given: promising(3),
			then: func(t *testing.T, e *trial) {
				e.after(time.Hour, func() { e.tells(t, experiment.Testing) })
				e.after(2*time.Hour, func() { e.tells(t, experiment.Active) })
				e.after(3*time.Hour, func() { e.tells(t, experiment.Testing) })
			},
			status: experiment.Completed, verdict: experiment.Met, measured: true, after: 48 * time.Hour,
		},
		"given up before its date": {
			given:  promising(3),
			then:   func(t *testing.T, e *trial) { e.after(5*time.Hour, func() { e.tells(t, experiment.Declined) }) },
			status: experiment.Declined, verdict: experiment.Abandoned, after: 5 * time.Hour,
		},
		"given up, and its run not told": {
			given:  promising(3),
			then:   func(t *testing.T, e *trial) { e.after(5*time.Hour, func() { e.move(t, experiment.Declined) }) },
			status: experiment.Declined, verdict: experiment.Abandoned, after: 24 * time.Hour,
		},
		"given up in the last moment": {
			given: promising(3),
			then: func(t *testing.T, e *trial) {
				e.after(48*time.Hour-time.Second, func() { e.move(t, experiment.Declined) })
			},
			status: experiment.Declined, verdict: experiment.Abandoned, after: 48 * time.Hour,
		},
		"completed by a founder, nothing promised": {
			then:   func(t *testing.T, e *trial) { e.after(240*time.Hour, func() { e.tells(t, experiment.Completed) }) },
			status: experiment.Completed, after: 240 * time.Hour,
		},
		"completed by a founder, and its run not told": {
			then:   func(t *testing.T, e *trial) { e.after(30*time.Hour, func() { e.move(t, experiment.Completed) }) },
			status: experiment.Completed, after: 48 * time.Hour,
		},
		"completed and shipped before its run began": {
			then: func(t *testing.T, e *trial) {
				e.move(t, experiment.Completed)
				e.move(t, experiment.Shipped)
			},
			status: experiment.Shipped,
		},
		"completed while its run begins": {
			then: func(t *testing.T, e *trial) {
				e.begun = func() { e.tells(t, experiment.Completed) }
			},
			status: experiment.Completed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newTrial(t)
			if tt.given != nil {
				tt.given(t, e)
			}
			e.move(t, experiment.Active)
			e.join(t, "ada", begin, 1)
			e.join(t, "ben", begin, -1)
			e.join(t, "cyd", begin, 1)
			if tt.then != nil {
				tt.then(t, e)
			}
			result := e.ends(t)
			require.Equal(t, tt.status, result.Status)
			require.Equal(t, tt.verdict, result.Verdict)
			require.Equal(t, tt.measured, result.Measured != nil)
			require.Equal(t, [2]int{2, 1}, [2]int{result.Up, result.Down})
			require.WithinDuration(t, begin.Add(tt.after), e.env.Now(), time.Second)
		})
	}
}

func TestExperimentIsMeasuredFromItsStartUntilItsDateHoweverLate(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.promise(t, experiment.Members, 1)
	e.join(t, "ada", begin, 1)
	e.move(t, experiment.Active)
	late := e.next(due.Add(72 * time.Hour))
	late.join(t, "ben", due.Add(time.Hour), 1)
	require.InDelta(t, 1, *late.ends(t).Measured, 0)
	require.Equal(t, [][2]time.Time{{begin, due}}, late.metered)
	require.Equal(t, due, late.row(t).EndedAt.UTC())
}
