package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
	"customerzero/worker"
)

// looks is the verifications that are open, and notes which are started.
type looks struct {
	open    []verification.Run
	err     error
	refuses string
	started []string
}

func (l *looks) OpenVerifications(context.Context) ([]verification.Run, error) { return l.open, l.err }

func (l *looks) Verify(_ context.Context, id string) (string, error) {
	l.started = append(l.started, id)
	if id == l.refuses {
		return "", errors.New("no Temporal")
	}
	return "run", nil
}

func TestStarterLooksAfterVerificationsThatAreOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runID   string
		age     time.Duration
		started bool
	}{
		"just asked for: others start it":      {age: 2*time.Second - time.Millisecond},
		"not started by them":                  {age: 2 * time.Second, started: true},
		"nobody has for long":                  {age: time.Hour, started: true},
		"under way":                            {runID: "r", age: 2 * time.Second},
		"under way for long":                   {runID: "r", age: 3*time.Minute - time.Millisecond},
		"left behind by a run that was killed": {runID: "r", age: 3 * time.Minute, started: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &looks{open: []verification.Run{{ID: "v", RunID: tt.runID, RequestedAt: time.Now().Add(-tt.age)}}}
				sweepOnce(t, l)
				require.Equal(t, tt.started, len(l.started) == 1)
			})
		})
	}
}

func TestStarterWaitsWithVerificationsUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := time.Now().Add(-time.Minute)
		l := &looks{open: []verification.Run{{ID: "a", RequestedAt: long}, {ID: "b", RequestedAt: long}}, refuses: "a"}
		sweepOnce(t, l)
		require.Equal(t, []string{"a"}, l.started)
		sweepOnce(t, &looks{err: errors.New("no database")})
	})
}

func sweepOnce(t *testing.T, l *looks) {
	t.Helper()
	starter := worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Verifications: l, VerificationRuns: l, Every: time.Second,
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	starter.Run(ctx)
}
