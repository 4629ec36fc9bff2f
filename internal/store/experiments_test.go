package store_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func newIdea(t *testing.T, title string, by experiment.Origin, memberID *string, at time.Time) experiment.Experiment {
	t.Helper()
	e, err := experiment.New(xid.New().String(), experiment.Submission{
		Title: title, Problem: "Nobody can say how they feel.",
		Hypothesis: "If we build it, then they come, because they can.", Impact: "More people say more.",
	}, by, memberID, experiment.ReviewAll, at)
	require.NoError(t, err)
	return e
}

// submit submits an idea, which must be taken.
func submit(t *testing.T, s *store.DB, title string, by experiment.Origin) experiment.Experiment {
	t.Helper()
	e, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, title, by, nil, november), "")
	require.NoError(t, err)
	return e
}

// moveTo moves an experiment by statuses, one after the other.
func moveTo(t *testing.T, s *store.DB, e experiment.Experiment, way ...experiment.Status) experiment.Experiment {
	t.Helper()
	for _, to := range way {
		var err error
		e, err = s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, to, "Because.", november)
		require.NoError(t, err, to)
	}
	return e
}

// begun is a founder's experiment that is active.
func begun(t *testing.T, s *store.DB, title string) experiment.Experiment {
	t.Helper()
	return moveTo(t, s, submit(t, s, title, experiment.FromFounder), experiment.Active)
}

func labRow(t *testing.T, s *store.DB, id string) experiment.Experiment {
	t.Helper()
	e, err := s.Experiments.ExperimentRow(t.Context(), id)
	require.NoError(t, err)
	return e
}

func TestTheFirstExperimentIsThereWithItsContent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e, err := s.Experiments.Experiment(t.Context(), "001-public-experiments-page")
		require.NoError(t, err)
		require.Equal(t, "Public experiments page", e.Title)
		require.Equal(t, experiment.Active, e.Status)
		require.Equal(t, experiment.FromSeed, e.Origin)
		require.Equal(t, 1, *e.Number)
		require.Len(t, e.Methodology, 5)
		require.Len(t, e.TechStack, 9)
		require.Len(t, e.SuccessMetrics, 3)
		require.Equal(t, 60, e.Progress)
		require.Equal(t, time.Date(2026, 11, 20, 23, 37, 45, 0, time.UTC), e.StartedAt.UTC())
		require.Equal(t, 3, experiment.Day(e.StartedAt, e.EndedAt, november.AddDate(0, 0, 2)))
		notes, err := s.Experiments.LabNotes(t.Context(), e.ID)
		require.NoError(t, err)
		var days []string
		for _, n := range notes {
			days = append(days, n.Date)
			_, err := n.Clean(november.AddDate(0, 0, 3))
			require.NoError(t, err)
		}
		require.Equal(t, []string{"2026-11-22", "2026-11-21", "2026-11-20"}, days)

		// It says nothing that a submission might not.
		again, err := e.Edited(experiment.Edit{
			Title: &e.Title, Problem: &e.Problem, Hypothesis: &e.Hypothesis, Impact: &e.Impact,
			Methodology: &e.Methodology, TechStack: &e.TechStack, SuccessMetrics: &e.SuccessMetrics,
		}, e.UpdatedAt)
		require.NoError(t, err)
		again.Version = e.Version
		require.Equal(t, e.Experiment, again)
		require.Regexp(t, `(?is)\bif\b.+\bthen\b.+\bbecause\b`, e.Hypothesis)

		next := submit(t, s, "Emoji reactions", experiment.FromFounder)
		require.Equal(t, 2, *next.Number)
		require.Equal(t, "002-emoji-reactions", next.Slug)
	})
}

func TestWhatIsSubmittedIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		e := newIdea(t, "<script>alert('x')</script> 100%", experiment.FromMember, ada, november.Add(123*time.Nanosecond))
		kept, err := s.Experiments.SubmitExperiment(t.Context(), e, *ada)
		require.NoError(t, err)
		require.Equal(t, experiment.Waiting, kept.Status)
		require.Nil(t, kept.Number)
		e.SubmittedAt, e.UpdatedAt = november, november
		for _, key := range []string{e.ID, e.Slug} {
			found, err := s.Experiments.Experiment(t.Context(), key)
			require.NoError(t, err)
			found.SubmittedAt, found.UpdatedAt = found.SubmittedAt.UTC(), found.UpdatedAt.UTC()
			require.Equal(t, experiment.Listed{Experiment: e, Submitter: "ada"}, found)
		}
	})
}

func TestApprovedAtOnceEachHasANumberOfItsOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var waiting []experiment.Experiment
		for i := range 20 {
			waiting = append(waiting, submit(t, s, fmt.Sprintf("Idea of the day %d", i), experiment.FromVisitor))
		}
		done := atOnce(t, 40, func(i int) error { // two founders approve each
			e := waiting[i/2]
			_, err := s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Planning, "", november)
			return err
		}, problem.EditStale)
		require.Equal(t, 20, done)
		var numbers []int
		for _, e := range waiting {
			e = labRow(t, s, e.ID)
			numbers = append(numbers, *e.Number)
			require.Equal(t, experiment.Slug(*e.Number, e.Title), e.Slug)
			require.Equal(t, 2, e.Version)
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			require.Equal(t, i+2, n, "there is no gap")
		}
	})
}

func TestADeclinedIdeaTakesNoNumber(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := moveTo(t, s, submit(t, s, "Nobody wants it", experiment.FromVisitor), experiment.Declined)
		require.Nil(t, e.Number)
		e = labRow(t, s, e.ID)
		require.Equal(t, "Because.", e.Reason)
		require.Equal(t, november, e.EndedAt.UTC())
		require.Equal(t, 2, *moveTo(t, s, submit(t, s, "Everybody wants it", experiment.FromVisitor), experiment.Planning).Number)
	})
}

func TestTheSameTitleTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		again := func(title string) error {
			_, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, title, experiment.FromVisitor, nil, november), "ada")
			return err
		}
		err := again(" public EXPERIMENTS  page")
		require.Equal(t, problem.ExperimentDupe, problem.CodeOf(err))
		require.EqualError(t, err, "“Public experiments page” is in the lab already: experiment 001.")

		secret := submit(t, s, "A secret plan of ours", experiment.FromVisitor)
		err = again("a Secret Plan of ours")
		require.Equal(t, problem.ExperimentDupe, problem.CodeOf(err))
		require.EqualError(t, err, "An idea of this title has been submitted already.")
		require.Equal(t, 1, s.Count(t, "rate_windows"), "a refusal uses nothing up; the one that was taken counted for everybody")

		moveTo(t, s, secret, experiment.Declined)
		require.NoError(t, again("a Secret Plan of ours"), "what was declined may be tried again")
	})
}

func TestTheSameTitleAtOnceIsTakenOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		done := atOnce(t, 50, func(i int) error {
			by := experiment.FromVisitor
			if i%2 == 0 {
				by = experiment.FromFounder
			}
			_, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Emoji reactions", by, nil, november), strconv.Itoa(i))
			return err
		}, problem.ExperimentDupe)
		require.Equal(t, 1, done)
		require.Equal(t, 2, s.Count(t, "experiments"))

		other := submit(t, s, "Emoji answers", experiment.FromFounder)
		title := "emoji reactions"
		_, err := s.Experiments.EditExperiment(t.Context(), other.ID, other.Version, experiment.Edit{Title: &title}, november)
		require.Equal(t, problem.ExperimentDupe, problem.CodeOf(err), "nor can another be given it")
		require.Equal(t, other.Title, labRow(t, s, other.ID).Title)
		own := "EMOJI answers"
		_, err = s.Experiments.EditExperiment(t.Context(), other.ID, other.Version, experiment.Edit{Title: &own}, november)
		require.NoError(t, err, "its own in another case")
	})
}

// Proves: V2.4.1-rest
func TestLimitsOfSubmissions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		n := 0
		ask := func(by experiment.Origin, whom string, at time.Time) error {
			n++
			_, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Idea of the day "+strconv.Itoa(n), by, nil, at), whom)
			return err
		}
		for range 3 {
			require.NoError(t, ask(experiment.FromVisitor, "net", november))
		}
		err := ask(experiment.FromVisitor, "net", november.Add(59*time.Minute))
		require.Equal(t, problem.TooMany, problem.CodeOf(err))
		require.EqualError(t, err, "Too many ideas from your network. Try again after 13:00:00 UTC.")
		for range 10 {
			require.NoError(t, ask(experiment.FromMember, "ada", november))
		}
		require.Equal(t, problem.TooMany, problem.CodeOf(ask(experiment.FromMember, "ada", november)))
		for i := range 47 {
			require.NoError(t, ask(experiment.FromVisitor, "v"+strconv.Itoa(i), november))
		}
		err = ask(experiment.FromVisitor, "last", november)
		require.EqualError(t, err, "Too many ideas from everybody. Try again after 13:00:00 UTC.")
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket = 'experiment-visitor:last'"), "a refusal uses nothing up")
		require.Equal(t, 61, s.Count(t, "experiments"))
		require.NoError(t, ask(experiment.FromFounder, "", november))
		require.NoError(t, ask(experiment.FromVisitor, "net", november.Add(time.Hour)))
	})
}

func TestTwoWhoEditAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := submit(t, s, "Emoji reactions", experiment.FromFounder)
		at := november.Add(time.Hour)
		done := atOnce(t, 20, func(i int) error {
			_, err := s.Experiments.EditExperiment(t.Context(), e.ID, 1, experiment.Edit{Progress: &i}, at)
			return err
		}, problem.EditStale)
		require.Equal(t, 1, done)
		e = labRow(t, s, e.ID)
		require.Equal(t, 2, e.Version)
		require.Equal(t, at, e.UpdatedAt.UTC())

		stale := func(err error) {
			t.Helper()
			require.Equal(t, problem.EditStale, problem.CodeOf(err))
		}
		_, err := s.Experiments.MoveExperiment(t.Context(), e.ID, 1, experiment.Active, "", at)
		stale(err)
		_, err = s.Experiments.RegisterMetric(t.Context(), e.ID, 1, nil, at)
		stale(err)
		_, err = s.Experiments.EditExperiment(t.Context(), e.ID, 3, experiment.Edit{}, at)
		stale(err)
		require.Equal(t, e, labRow(t, s, e.ID))

		short := "short"
		_, err = s.Experiments.EditExperiment(t.Context(), e.ID, 2, experiment.Edit{Problem: &short}, at)
		require.Equal(t, problem.Invalid, problem.CodeOf(err))
		require.Equal(t, e, labRow(t, s, e.ID))
		for _, err := range []error{
			second(s.Experiments.EditExperiment(t.Context(), "nobody", 1, experiment.Edit{}, at)),
			second(s.Experiments.MoveExperiment(t.Context(), "nobody", 1, experiment.Active, "", at)),
			second(s.Experiments.RegisterMetric(t.Context(), "nobody", 1, nil, at)),
			second(s.Experiments.Experiment(t.Context(), "nobody")), second(s.Experiments.ExperimentRow(t.Context(), "nobody")),
			second(s.Experiments.CastVote(t.Context(), "nobody", *newMember(t, s, "ada"), 1, at)),
			second(s.Experiments.WriteNote(t.Context(), experiment.Note{ExperimentID: "nobody", Date: "2026-11-20", Content: "x"}, 0, at)),
			s.Experiments.DeleteNote(t.Context(), "nobody", "2026-11-20", 1, at),
			second(s.Experiments.BeginExperiment(t.Context(), "nobody", "w", "r")),
			second(s.Experiments.SettleExperiment(t.Context(), "nobody", experiment.Reading{}, at)),
			second(s.Experiments.CloseVotes(t.Context(), "nobody", "w", "r", at)),
		} {
			require.Equal(t, problem.NotFound, problem.CodeOf(err))
		}
	})
}

func second[T any](_ T, err error) error { return err }

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
