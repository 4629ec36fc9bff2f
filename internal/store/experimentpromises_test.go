package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestAPromiseIsKeptAndThenLocked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := submit(t, s, "Emoji reactions", experiment.FromFounder)
		due := november.Add(48 * time.Hour)
		promise := &experiment.Registration{Metric: experiment.HealTime, Threshold: 2.5, DueAt: due.Add(123 * time.Nanosecond)}
		e, err := s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, promise, november)
		require.NoError(t, err)
		kept := labRow(t, s, e.ID)
		require.Equal(t, []any{experiment.HealTime, 2.5, due}, []any{kept.Metric, *kept.Threshold, kept.DueAt.UTC()})
		e, err = s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, nil, november)
		require.NoError(t, err)
		kept = labRow(t, s, e.ID)
		require.Equal(t, experiment.Metric(""), kept.Metric)
		require.Nil(t, kept.Threshold)
		require.Nil(t, kept.DueAt)

		e = moveTo(t, s, e, experiment.Active)
		_, err = s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, promise, november)
		require.Equal(t, problem.MetricLocked, problem.CodeOf(err))
		require.Equal(t, experiment.Metric(""), labRow(t, s, e.ID).Metric)
	})
}

// A promise and a beginning that meet: either there is a promise, or it came too late.
func TestAPromiseAndABeginningAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for i := range 10 {
			e := submit(t, s, "Idea of the day "+strconv.Itoa(i), experiment.FromFounder)
			require.Equal(t, 1, atOnce(t, 2, func(i int) error {
				if i == 0 {
					_, err := s.Experiments.MoveExperiment(t.Context(), e.ID, 1, experiment.Active, "", november)
					return err
				}
				_, err := s.Experiments.RegisterMetric(t.Context(), e.ID, 1, &experiment.Registration{Metric: experiment.Members, Threshold: 5, DueAt: november.Add(time.Hour)}, november)
				return err
			}, problem.EditStale))
			e = labRow(t, s, e.ID)
			require.NotEqual(t, e.Status == experiment.Active, e.Metric == experiment.Members)
		}
	})
}
