package store_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
)

func newIdea(t *testing.T, title string, by experiment.Origin, memberID *string, at time.Time) experiment.Experiment {
	t.Helper()
	return must(experiment.New(xid.New().String(), experiment.Submission{
		Title: title, Problem: "Nobody can say how they feel.",
		Hypothesis: "If we build it, then they come, because they can.", Impact: "More people say more.",
	}, by, memberID, experiment.ReviewAll, at))(t)
}

func submit(t *testing.T, s *store.DB, title string, by experiment.Origin) experiment.Experiment {
	t.Helper()
	return must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, title, by, nil, november), account.Asker{Founder: true}))(t)
}

func moveTo(t *testing.T, s *store.DB, e experiment.Experiment, way ...experiment.Status) experiment.Experiment {
	t.Helper()
	for _, to := range way {
		e = must(s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, to, "Because.", november))(t, to)
	}
	return e
}

func activeExperiment(t *testing.T, s *store.DB, title string) experiment.Experiment {
	t.Helper()
	return moveTo(t, s, submit(t, s, title, experiment.FromFounder), experiment.Active)
}

func labRow(t *testing.T, s *store.DB, id string) experiment.Experiment {
	t.Helper()
	return must(s.Experiments.ExperimentRow(t.Context(), id))(t)
}

// Proves: V2.4.1-rest
func TestExperiments(t *testing.T) {
	t.Parallel()
	each(t, "the first experiment is seeded", func(t *testing.T, s *store.DB) {
		e := must(s.Experiments.Experiment(t.Context(), "001-public-experiments-page"))(t)
		require.Equal(t, []any{"Public experiments page", experiment.Active, experiment.FromSeed, 1}, []any{e.Title, e.Status, e.Origin, *e.Number})
		require.Equal(t, []int{5, 9, 3}, []int{len(e.Methodology), len(e.TechStack), len(e.SuccessMetrics)})
		require.Equal(t, []any{0, time.Date(2026, 11, 20, 23, 37, 45, 0, time.UTC)}, []any{e.Progress, e.StartedAt.UTC()})
		require.Equal(t, 3, experiment.Day(e.StartedAt, e.EndedAt, november.AddDate(0, 0, 2)))
		notes := must(s.Experiments.Notes(t.Context(), e.ID))(t)
		require.Len(t, notes, 1)
		require.Equal(t, []any{true, ""}, []any{notes[0].Example, notes[0].Author}, "no founder wrote it")
		must(notes[0].Clean(november.AddDate(0, 0, 3)))(t)

		// The message does not reveal the other submission.
		again := must(e.Edited(experiment.Edit{
			Title: &e.Title, Problem: &e.Problem, Hypothesis: &e.Hypothesis, Impact: &e.Impact,
			Methodology: &e.Methodology, TechStack: &e.TechStack, SuccessMetrics: &e.SuccessMetrics,
		}, e.UpdatedAt))(t)
		again.Version = e.Version
		require.Equal(t, e.Experiment, again)
		require.Regexp(t, `(?is)\bif\b.+\bthen\b.+\bbecause\b`, e.Hypothesis)
		next := submit(t, s, "Emoji reactions", experiment.FromFounder)
		require.Equal(t, []any{2, "002-emoji-reactions"}, []any{*next.Number, next.Slug})
	})
	each(t, "a submission is stored as it was made", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		e := newIdea(t, "<script>alert('x')</script> 100%", experiment.FromMember, ada, november.Add(123*time.Nanosecond))
		kept := must(s.Experiments.SubmitExperiment(t.Context(), e, account.Asker{Member: *ada}))(t)
		require.Equal(t, experiment.Waiting, kept.Status)
		require.Nil(t, kept.Number)
		e.SubmittedAt, e.UpdatedAt = november, november
		for _, key := range []string{e.ID, e.Slug} {
			found := must(s.Experiments.Experiment(t.Context(), key))(t)
			found.SubmittedAt, found.UpdatedAt = found.SubmittedAt.UTC(), found.UpdatedAt.UTC()
			require.Equal(t, experiment.Listed{Experiment: e, Submitter: "ada"}, found)
		}
	})
	each(t, "experiments approved at once get consecutive numbers", func(t *testing.T, s *store.DB) {
		var waiting []experiment.Experiment
		for i := range 20 {
			waiting = append(waiting, submit(t, s, fmt.Sprintf("Idea of the day %d", i), experiment.FromVisitor))
		}
		require.Equal(t, 20, atOnce(t, 40, func(i int) error { // two founders approve each one
			e := waiting[i/2]
			return errOf(s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Planning, "", november))
		}, problem.EditStale))
		var numbers []int
		for _, e := range waiting {
			e = labRow(t, s, e.ID)
			numbers = append(numbers, *e.Number)
			require.Equal(t, []any{experiment.Slug(*e.Number, e.Title), 2}, []any{e.Slug, e.Version})
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			require.Equal(t, i+2, n, "there is no gap")
		}
	})
	each(t, "a declined idea takes no number", func(t *testing.T, s *store.DB) {
		e := moveTo(t, s, submit(t, s, "Nobody wants it", experiment.FromVisitor), experiment.Declined)
		require.Nil(t, e.Number)
		e = labRow(t, s, e.ID)
		require.Equal(t, []any{"Because.", november}, []any{e.Reason, e.EndedAt.UTC()})
		require.Equal(t, 2, *moveTo(t, s, submit(t, s, "Everybody wants it", experiment.FromVisitor), experiment.Planning).Number)
	})
	each(t, "the same title twice", func(t *testing.T, s *store.DB) {
		again := func(title string) error {
			return errOf(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, title, experiment.FromVisitor, nil, november), asker("ada")))
		}
		err := again(" public EXPERIMENTS  page")
		require.Equal(t, problem.ExperimentDupe, problem.CodeOf(err))
		require.EqualError(t, err, "Experiment 001 already has the title “Public experiments page”. Choose another title.")
		secret := submit(t, s, "A secret plan of ours", experiment.FromVisitor)
		err = again("a Secret Plan of ours")
		require.Equal(t, problem.ExperimentDupe, problem.CodeOf(err))
		require.EqualError(t, err, "An experiment with this title has already been submitted. Choose another title.")
		require.Equal(t, 1, s.Count(t, "rate_windows"), "a refusal uses nothing up; the accepted one counted overall")
		moveTo(t, s, secret, experiment.Declined)
		require.NoError(t, again("a Secret Plan of ours"), "a declined title may be submitted again")
	})
	each(t, "the same title at once is taken once", func(t *testing.T, s *store.DB) {
		by := []experiment.Origin{experiment.FromFounder, experiment.FromVisitor}
		require.Equal(t, 1, atOnce(t, 50, func(i int) error {
			return errOf(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Emoji reactions", by[i%2], nil, november), asker(strconv.Itoa(i))))
		}, problem.ExperimentDupe))
		require.Equal(t, 2, s.Count(t, "experiments"))
		other := submit(t, s, "Emoji answers", experiment.FromFounder)
		rename := func(title string) error {
			return errOf(s.Experiments.EditExperiment(t.Context(), other.ID, other.Version, experiment.Edit{Title: &title}, november))
		}
		requireCode(t, problem.ExperimentDupe, rename("emoji reactions"))
		require.Equal(t, other.Title, labRow(t, s, other.ID).Title)
		require.NoError(t, rename("EMOJI answers"), "its own in another case")
	})
	each(t, "limits of submissions", func(t *testing.T, s *store.DB) {
		n, end := 0, november.Add(time.Hour)
		ask := func(by experiment.Origin, whom string, at time.Time) error {
			n++
			return errOf(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Idea of the day "+strconv.Itoa(n), by, nil, at), account.Asker{
				Member: map[bool]string{true: whom}[by == experiment.FromMember], Visitor: whom, Networks: []string{whom},
			}))
		}
		for range 3 {
			require.NoError(t, ask(experiment.FromVisitor, "net", november))
		}
		requireTooMany(t, ask(experiment.FromVisitor, "net", end.Add(-time.Minute)), end, "Too many ideas.")
		for range 10 {
			require.NoError(t, ask(experiment.FromMember, "ada", november))
		}
		requireCode(t, problem.TooMany, ask(experiment.FromMember, "ada", november))
		for i := range 57 {
			require.NoError(t, ask(experiment.FromVisitor, "v"+strconv.Itoa(i), november))
		}
		requireTooMany(t, ask(experiment.FromVisitor, "last", november), end, "Too many ideas overall.")
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket = 'experiment-visitor:last'"), "a refusal uses nothing up")
		require.Equal(t, 71, s.Count(t, "experiments"))
		require.NoError(t, ask(experiment.FromFounder, "", november))
		require.NoError(t, ask(experiment.FromVisitor, "net", end))
	})
	each(t, "one of many edits at once wins", func(t *testing.T, s *store.DB) {
		e, at := submit(t, s, "Emoji reactions", experiment.FromFounder), november.Add(time.Hour)
		require.Equal(t, 1, atOnce(t, 20, func(i int) error {
			return errOf(s.Experiments.EditExperiment(t.Context(), e.ID, 1, experiment.Edit{Progress: &i}, at))
		}, problem.EditStale))
		e = labRow(t, s, e.ID)
		require.Equal(t, []any{2, at}, []any{e.Version, e.UpdatedAt.UTC()})
		requireCode(t, problem.EditStale, errOf(s.Experiments.MoveExperiment(t.Context(), e.ID, 1, experiment.Active, "", at)),
			errOf(s.Experiments.RegisterMetric(t.Context(), e.ID, 1, nil, at)),
			errOf(s.Experiments.EditExperiment(t.Context(), e.ID, 3, experiment.Edit{}, at)))
		requireCode(t, problem.Invalid, errOf(s.Experiments.EditExperiment(t.Context(), e.ID, 2, experiment.Edit{Problem: new("short")}, at)))
		require.Equal(t, e, labRow(t, s, e.ID))
		requireCode(t, problem.NotFound,
			errOf(s.Experiments.EditExperiment(t.Context(), "nobody", 1, experiment.Edit{}, at)), errOf(s.Experiments.Experiment(t.Context(), "nobody")),
			errOf(s.Experiments.CastVote(t.Context(), "nobody", experiment.Voter{MemberID: *newMember(t, s, "ada")}, 1, at)),
			s.Experiments.DeleteNote(t.Context(), "nobody", "2026-11-20", 1, at), errOf(s.Experiments.BeginExperiment(t.Context(), "nobody", "w", "r")),
			errOf(s.Experiments.CloseVotes(t.Context(), "nobody", "w", "r", at)))
	})
}

func openIDs(t *testing.T, s *store.DB) []string {
	t.Helper()
	return idsOf(must(s.Experiments.OpenExperiments(t.Context()))(t))
}

// promised returns an active experiment with a registered metric: at least one member.
func promised(t *testing.T, s *store.DB, title string) experiment.Experiment {
	t.Helper()
	e := submit(t, s, title, experiment.FromFounder)
	e = must(s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version,
		&experiment.Registration{Metric: experiment.Members, Threshold: 1, DueAt: november.Add(24 * time.Hour)}, november))(t)
	return moveTo(t, s, e, experiment.Active)
}

func TestExperimentRuns(t *testing.T) {
	t.Parallel()
	each(t, "a run begins only an active experiment", func(t *testing.T, s *store.DB) {
		planned := submit(t, s, "Is being planned", experiment.FromFounder)
		got := must(s.Experiments.BeginExperiment(t.Context(), planned.ID, "experiment:x", "run-1"))(t)
		require.Empty(t, got.RunID)
		require.Empty(t, labRow(t, s, planned.ID).RunID)

		e := moveTo(t, s, planned, experiment.Active)
		for range 2 {
			got = must(s.Experiments.BeginExperiment(t.Context(), e.ID, "experiment:x", "run-1"))(t)
			require.Equal(t, []string{"experiment:x", "run-1"}, []string{got.WorkflowID, got.RunID})
			require.Equal(t, got, labRow(t, s, e.ID))
			require.Equal(t, e.Version, got.Version, "nobody edited it")
			require.Equal(t, e.UpdatedAt, got.UpdatedAt.UTC())
		}
		ended := moveTo(t, s, e, experiment.Completed)
		got = must(s.Experiments.BeginExperiment(t.Context(), e.ID, "experiment:x", "run-2"))(t)
		require.Equal(t, []any{"run-1", ended.Version}, []any{got.RunID, got.Version})
	})
	each(t, "the first verdict stays", func(t *testing.T, s *store.DB) {
		e := promised(t, s, "Emoji reactions")
		due, met := e.DueAt.UTC(), experiment.Reading{Value: 3, Sample: 3, Any: true}
		settle := func(id string, r experiment.Reading, at time.Time) experiment.Experiment {
			return must(s.Experiments.SettleExperiment(t.Context(), id, r, at))(t)
		}
		require.Equal(t, 1, atOnce(t, 2, func(i int) error { // a founder declines it when it is due
			if i == 0 {
				return errOf(s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Completed, "", due))
			}
			return errOf(s.Experiments.SettleExperiment(t.Context(), e.ID, met, due))
		}, problem.MoveRefused, problem.EditStale))
		kept := labRow(t, s, e.ID)
		require.Equal(t, []any{experiment.Completed, experiment.Met, 3.0}, []any{kept.Status, kept.Verdict, *kept.Measured})
		require.Equal(t, []any{100, due, e.Version + 1}, []any{kept.Progress, kept.EndedAt.UTC(), kept.Version})
		require.Equal(t, kept, settle(e.ID, experiment.Reading{}, due.Add(time.Hour)))
		require.Equal(t, kept, labRow(t, s, e.ID))

		given := moveTo(t, s, promised(t, s, "Too dear for us"), experiment.Declined)
		require.Equal(t, experiment.Abandoned, settle(given.ID, met, due).Verdict)
		unmeasured := settle(promised(t, s, "Nothing to see").ID, experiment.Reading{}, due)
		require.Equal(t, experiment.Unmeasured, unmeasured.Verdict)
		require.Nil(t, labRow(t, s, unmeasured.ID).Measured)
	})
	each(t, "the votes are counted once, by a run", func(t *testing.T, s *store.DB) {
		e := activeExperiment(t, s, "Emoji reactions")
		for i := range 5 {
			must(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: *newMember(t, s, "m"+strconv.Itoa(i))}, 1-2*(i%2), november))(t)
		}
		require.Equal(t, problem.Conflict, codeOf(s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-1", november)), "it has not ended")

		e = moveTo(t, s, e, experiment.Completed)
		version := e.Version
		at := november.Add(time.Minute)
		for i := range 3 {
			count := must(s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-"+strconv.Itoa(i+1), at.Add(time.Duration(i)*time.Hour)))(t)
			require.Equal(t, experiment.VoteCounts{Up: 3, Down: 2}, count)
			if i == 1 {
				e = moveTo(t, s, labRow(t, s, e.ID), experiment.Shipped)
				version++
			}
		}
		e = labRow(t, s, e.ID)
		require.Equal(t, []any{3, 2, at, "experiment:x", "run-1", version}, []any{*e.FinalUp, *e.FinalDown, e.VotesClosedAt.UTC(), e.WorkflowID, e.RunID, e.Version})
		require.Equal(t, rowsOf(t, s, e.ID), shownVotes(t, s, e.ID))
		require.NoError(t, s.Exec("DELETE FROM experiment_votes WHERE experiment_id = ?", e.ID))
		require.Equal(t, experiment.VoteCounts{Up: 3, Down: 2}, shownVotes(t, s, e.ID), "as it was counted")
	})
	each(t, "votes of an experiment that never began", func(t *testing.T, s *store.DB) {
		e := submit(t, s, "Nobody wants it", experiment.FromFounder)
		must(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: *newMember(t, s, "ada")}, -1, november))(t)
		before := labRow(t, s, moveTo(t, s, e, experiment.Declined).ID)
		count := must(s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:x", "run-1", november))(t)
		require.Equal(t, experiment.VoteCounts{Down: 1}, count)
		require.Equal(t, before, labRow(t, s, e.ID), "it stays as it was")
		require.Equal(t, count, shownVotes(t, s, e.ID))
	})
	each(t, "open experiments are listed", func(t *testing.T, s *store.DB) {
		seedLab(t, s)
		require.NoError(t, s.Exec("UPDATE experiments SET status = 'planning', started_at = NULL WHERE id = '001'"))
		e := activeExperiment(t, s, "Emoji reactions")
		given := moveTo(t, s, activeExperiment(t, s, "Given up at once"), experiment.Declined)
		closeVotes := func(id string) {
			must(s.Experiments.CloseVotes(t.Context(), id, "experiment:"+id, "run-1", november))(t)
		}
		open := openIDs(t, s)
		require.Len(t, open, 4, "also what has completed and shipped: its votes were not counted")
		require.Subset(t, open, []string{e.ID, given.ID})
		must(s.Experiments.BeginExperiment(t.Context(), e.ID, "experiment:"+e.ID, "run-1"))(t)
		for _, id := range slices.DeleteFunc(open, func(id string) bool { return id == e.ID }) {
			closeVotes(id)
		}
		require.Equal(t, []string{e.ID}, openIDs(t, s), "it continues, and its run may be lost")
		moveTo(t, s, labRow(t, s, e.ID), experiment.Completed)
		require.Equal(t, []string{e.ID}, openIDs(t, s))
		closeVotes(e.ID)
		require.Empty(t, openIDs(t, s))
	})
	each(t, "a registered metric is stored, then locked", func(t *testing.T, s *store.DB) {
		e, due := submit(t, s, "Emoji reactions", experiment.FromFounder), november.Add(48*time.Hour)
		promise := &experiment.Registration{Metric: experiment.HealTime, Threshold: 2.5, DueAt: due.Add(123 * time.Nanosecond)}
		e = must(s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, promise, november))(t)
		kept := labRow(t, s, e.ID)
		require.Equal(t, []any{experiment.HealTime, 2.5, due}, []any{kept.Metric, *kept.Threshold, kept.DueAt.UTC()})
		e = must(s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, nil, november))(t)
		kept = labRow(t, s, e.ID)
		require.True(t, kept.Metric == "" && kept.Threshold == nil && kept.DueAt == nil)
		e = moveTo(t, s, e, experiment.Active)
		requireCode(t, problem.MetricLocked, errOf(s.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, promise, november)))
		require.Empty(t, labRow(t, s, e.ID).Metric)
	})
}

func TestLabNotes(t *testing.T) {
	t.Parallel()
	each(t, "a note is written, changed and deleted", func(t *testing.T, s *store.DB) {
		e, at := submit(t, s, "Emoji reactions", experiment.FromFounder), november.Add(time.Hour)
		write := func(n experiment.Note, version int, at time.Time) (experiment.Note, error) {
			return s.Experiments.WriteNote(t.Context(), n, version, at)
		}
		note := experiment.Note{ExperimentID: e.ID, Date: "2026-11-19", Content: " **Hi** <script>alert(1)</script> ", Author: "grace"}
		n := must(write(note, 0, at))(t)
		require.Equal(t, []any{1, "**Hi** <script>alert(1)</script>"}, []any{n.Version, n.Content})
		note.Date, note.Content = "2026-11-20", "Today."
		must(write(note, 0, at))(t)
		note.Content, note.Author = "Today, again.", "barbara"
		require.Equal(t, 2, must(write(note, 1, at.Add(time.Minute)))(t).Version)
		notes := must(s.Experiments.Notes(t.Context(), e.ID))(t)
		for i := range notes {
			notes[i].UpdatedAt = notes[i].UpdatedAt.UTC()
		}
		require.Equal(t, []experiment.Note{
			{ExperimentID: e.ID, Date: "2026-11-20", Content: "Today, again.", Author: "barbara", Version: 2, UpdatedAt: at.Add(time.Minute)},
			{ExperimentID: e.ID, Date: "2026-11-19", Content: "**Hi** <script>alert(1)</script>", Author: "grace", Version: 1, UpdatedAt: at},
		}, notes)
		e = labRow(t, s, e.ID)
		require.Equal(t, []any{1, at.Add(time.Minute)}, []any{e.Version, e.UpdatedAt.UTC()}, "a note is no edit of the experiment, but something was written")

		drop := func(version int) error { return s.Experiments.DeleteNote(t.Context(), e.ID, note.Date, version, at) }
		requireCode(t, problem.EditStale, errOf(write(note, 0, at)), errOf(write(note, 1, at)), errOf(write(note, 3, at)), drop(1))
		require.NoError(t, drop(2))
		requireCode(t, problem.EditStale, drop(2), errOf(write(note, 2, at))) // deleted in between
		note.Date = "2026-11-21"
		requireCode(t, problem.Invalid, errOf(write(note, 0, at))) // in the future
		require.Len(t, must(s.Experiments.Notes(t.Context(), e.ID))(t), 1)
	})
	each(t, "a day's note is written once", func(t *testing.T, s *store.DB) {
		note := experiment.Note{ExperimentID: "001", Date: "2026-11-19", Content: "First.", Author: "grace"}
		for version := range 2 {
			require.Equal(t, 1, atOnce(t, 20, func(int) error {
				return errOf(s.Experiments.WriteNote(t.Context(), note, version, november))
			}, problem.EditStale))
		}
		require.Equal(t, 2, s.Count(t, "experiment_notes"))
	})
	each(t, "the example is dated from the installation, once", func(t *testing.T, s *store.DB) {
		later := time.Now().Add(time.Hour)
		require.NoError(t, s.Experiments.DateExample(t.Context(), later))
		e := must(s.Experiments.Experiment(t.Context(), "001"))(t)
		require.WithinRange(t, *e.StartedAt, later.Add(-25*time.Hour), later)
		require.Equal(t, []time.Time{*e.StartedAt, *e.StartedAt}, []time.Time{e.SubmittedAt, e.UpdatedAt})
		note := must(s.Experiments.Notes(t.Context(), e.ID))(t)[0]
		require.Equal(t, 1, experiment.NoteDay(note.Date, e.StartedAt))
		require.NoError(t, s.Experiments.DateExample(t.Context(), later.Add(time.Hour)))
		require.Equal(t, e, must(s.Experiments.Experiment(t.Context(), "001"))(t))

		note.Author, note.Content = "grace", "We began."
		note = must(s.Experiments.WriteNote(t.Context(), note, note.Version, later))(t)
		require.False(t, must(s.Experiments.Notes(t.Context(), e.ID))(t)[0].Example, "a founder's note is no example")
	})
}
