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

// openIDs are what the starter looks after.
func openIDs(t *testing.T, s *store.DB) []string {
	t.Helper()
	open, err := s.Experiments.OpenExperiments(t.Context())
	require.NoError(t, err)
	ids := []string{}
	for _, e := range open {
		ids = append(ids, e.ID)
	}
	return ids
}

// promised is an active experiment that promised to have one member at least.
func promised(t *testing.T, s *store.DB, title string) experiment.Experiment {
	t.Helper()
	e := submit(t, s, title, experiment.FromFounder)
	e, err := s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version,
		&experiment.Registration{Metric: experiment.Members, Threshold: 1, DueAt: november.Add(24 * time.Hour)}, november)
	require.NoError(t, err)
	return moveTo(t, s, e, experiment.Active)
}

func TestARunBeginsOnlyWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		planned := submit(t, s, "Is being planned", experiment.FromFounder)
		got, err := s.Experiments.BeginExperiment(t.Context(), planned.ID, "experiment:x", "run-1")
		require.NoError(t, err)
		require.Empty(t, got.RunID)
		require.Empty(t, labRow(t, s, planned.ID).RunID)

		e := moveTo(t, s, planned, experiment.Active)
		for range 2 {
			got, err = s.Experiments.BeginExperiment(t.Context(), e.ID, "experiment:x", "run-1")
			require.NoError(t, err)
			require.Equal(t, []string{"experiment:x", "run-1"}, []string{got.WorkflowID, got.RunID})
			require.Equal(t, got, labRow(t, s, e.ID))
			require.Equal(t, e.Version, got.Version, "nobody edited it")
			require.Equal(t, e.UpdatedAt, got.UpdatedAt.UTC())
		}
		ended := moveTo(t, s, e, experiment.Completed)
		got, err = s.Experiments.BeginExperiment(t.Context(), e.ID, "experiment:x", "run-2")
		require.NoError(t, err)
		require.Equal(t, "run-1", got.RunID)
		require.Equal(t, ended.Version, got.Version)
	})
}

func TestTheFirstVerdictStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := promised(t, s, "Emoji reactions")
		due := e.DueAt.UTC()
		require.Equal(t, 1, atOnce(t, 2, func(i int) error { // a founder gives it up when it is due
			if i == 0 {
				_, err := s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Completed, "", due)
				return err
			}
			_, err := s.Experiments.SettleExperiment(t.Context(), e.ID, experiment.Reading{Value: 3, Sample: 3, Any: true}, due)
			return err
		}, problem.MoveRefused, problem.EditStale))
		kept := labRow(t, s, e.ID)
		require.Equal(t, experiment.Completed, kept.Status)
		require.Equal(t, experiment.Met, kept.Verdict)
		require.InDelta(t, 3, *kept.Measured, 0)
		require.Equal(t, 100, kept.Progress)
		require.Equal(t, due, kept.EndedAt.UTC())
		require.Equal(t, e.Version+1, kept.Version)
		again, err := s.Experiments.SettleExperiment(t.Context(), e.ID, experiment.Reading{}, due.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, kept, again)
		require.Equal(t, kept, labRow(t, s, e.ID))

		given := moveTo(t, s, promised(t, s, "Too dear for us"), experiment.Declined)
		again, err = s.Experiments.SettleExperiment(t.Context(), given.ID, experiment.Reading{Value: 3, Any: true}, due)
		require.NoError(t, err)
		require.Equal(t, experiment.Abandoned, again.Verdict)
		unmeasured, err := s.Experiments.SettleExperiment(t.Context(), promised(t, s, "Nothing to see").ID, experiment.Reading{}, due)
		require.NoError(t, err)
		require.Equal(t, experiment.Unmeasured, unmeasured.Verdict)
		require.Nil(t, labRow(t, s, unmeasured.ID).Measured)
	})
}

func TestTheVotesAreCountedOnceAndByARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := begun(t, s, "Emoji reactions")
		for i := range 5 {
			_, err := s.Experiments.CastVote(t.Context(), e.ID, *newMember(t, s, "m"+strconv.Itoa(i)), 1-2*(i%2), november)
			require.NoError(t, err)
		}
		_, err := s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-1", november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err), "it goes on")

		e = moveTo(t, s, e, experiment.Completed)
		version := e.Version
		at := november.Add(time.Minute)
		for i := range 3 {
			count, err := s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-"+strconv.Itoa(i+1), at.Add(time.Duration(i)*time.Hour))
			require.NoError(t, err)
			require.Equal(t, experiment.Tally{Up: 3, Down: 2}, count)
			if i == 1 {
				e = moveTo(t, s, labRow(t, s, e.ID), experiment.Shipped)
				version++
			}
		}
		e = labRow(t, s, e.ID)
		require.Equal(t, []any{3, 2, at, "experiment:x", "run-1", version}, []any{*e.FinalUp, *e.FinalDown, e.VotesClosedAt.UTC(), e.WorkflowID, e.RunID, e.Version})
		require.Equal(t, rowsOf(t, s, e.ID), shownVotes(t, s, e.ID))
		require.NoError(t, s.Exec("DELETE FROM experiment_votes WHERE experiment_id = ?", e.ID))
		require.Equal(t, experiment.Tally{Up: 3, Down: 2}, shownVotes(t, s, e.ID), "as it was counted")
	})
}

func TestWhatNeverBeganHasNoRunToCountItsVotes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := submit(t, s, "Nobody wants it", experiment.FromFounder)
		_, err := s.Experiments.CastVote(t.Context(), e.ID, *newMember(t, s, "ada"), -1, november)
		require.NoError(t, err)
		before := labRow(t, s, moveTo(t, s, e, experiment.Declined).ID)
		count, err := s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-1", november)
		require.NoError(t, err)
		require.Equal(t, experiment.Tally{Down: 1}, count)
		require.Equal(t, before, labRow(t, s, e.ID), "it stays as it was")
		require.Equal(t, count, shownVotes(t, s, e.ID))
	})
}

func TestWhatTheStarterLooksAfter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		seedLab(t, s)
		require.NoError(t, s.Exec("UPDATE experiments SET status = 'planning', started_at = NULL WHERE id = '001'"))
		e := begun(t, s, "Emoji reactions")
		given := moveTo(t, s, begun(t, s, "Given up at once"), experiment.Declined)
		open := openIDs(t, s)
		require.Len(t, open, 4, "also what has completed and shipped: nobody counted its votes")
		require.Subset(t, open, []string{e.ID, given.ID})
		for _, id := range open {
			if id == e.ID {
				_, err := s.Experiments.BeginExperiment(t.Context(), id, "experiment:"+id, "run-1")
				require.NoError(t, err)
				continue
			}
			_, err := s.Experiments.CloseVotes(t.Context(), id, "experiment:"+id, "run-1", november)
			require.NoError(t, err)
		}
		require.Equal(t, []string{e.ID}, openIDs(t, s), "it goes on, and its run may get lost")
		moveTo(t, s, labRow(t, s, e.ID), experiment.Completed)
		require.Equal(t, []string{e.ID}, openIDs(t, s))
		_, err := s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:"+e.ID, "run-1", november)
		require.NoError(t, err)
		require.Empty(t, openIDs(t, s))
	})
}
