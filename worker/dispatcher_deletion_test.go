package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/deletion"
	"customerzero/worker"
)

// door is the departures that are open, and notes which are started.
type door struct {
	open    []deletion.Departure
	err     error
	refuses string
	started []string
}

func (d *door) OpenDepartures(context.Context) ([]deletion.Departure, error) { return d.open, d.err }

func (d *door) Depart(_ context.Context, id string) (string, error) {
	d.started = append(d.started, id)
	if id == d.refuses {
		return "", errors.New("no Temporal")
	}
	return "run", nil
}

// watch lets the starter work for a while.
func (d *door) watch(t *testing.T, lasts time.Duration) {
	t.Helper()
	starter := worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Departures: d, DeletionRuns: d, Every: time.Second,
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	starter.Run(ctx)
}

func TestStarterGivesARunToEveryDeparture(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runID   string
		age     time.Duration
		watched time.Duration
		started int
	}{
		"when it starts, to all":               {watched: time.Millisecond, started: 1},
		"also to one whose run may be lost":    {runID: "r", age: time.Hour, watched: time.Millisecond, started: 1},
		"one that others start is left alone":  {watched: 1500 * time.Millisecond, started: 1},
		"not started by them":                  {watched: 2500 * time.Millisecond, started: 2},
		"under way, it is left alone":          {runID: "r", watched: 59 * time.Second, started: 1},
		"under way for a minute, it is called": {runID: "r", watched: 60500 * time.Millisecond, started: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &door{open: []deletion.Departure{{ID: "d", RunID: tt.runID, RequestedAt: time.Now().Add(-tt.age)}}}
				d.watch(t, tt.watched)
				require.Len(t, d.started, tt.started)
			})
		})
	}
}

func TestStarterWaitsWithDeparturesUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &door{open: []deletion.Departure{{ID: "a"}, {ID: "b"}}, refuses: "a"}
		d.watch(t, time.Millisecond)
		require.Equal(t, []string{"a"}, d.started)
		(&door{err: errors.New("no database")}).watch(t, time.Millisecond)
	})
}
