package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestANoteIsWrittenChangedAndDeleted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		e := submit(t, s, "Emoji reactions", experiment.FromFounder)
		at := november.Add(time.Hour)
		note := experiment.Note{ExperimentID: e.ID, Date: "2026-11-19", Content: " **Hi** <script>alert(1)</script> ", Author: "grace"}
		n, err := s.Experiments.WriteNote(t.Context(), note, 0, at)
		require.NoError(t, err)
		require.Equal(t, 1, n.Version)
		require.Equal(t, "**Hi** <script>alert(1)</script>", n.Content)
		note.Date, note.Content = "2026-11-20", "Today."
		_, err = s.Experiments.WriteNote(t.Context(), note, 0, at)
		require.NoError(t, err)
		note.Content, note.Author = "Today, again.", "barbara"
		n, err = s.Experiments.WriteNote(t.Context(), note, 1, at.Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, 2, n.Version)

		notes, err := s.Experiments.LabNotes(t.Context(), e.ID)
		require.NoError(t, err)
		for i := range notes {
			notes[i].UpdatedAt = notes[i].UpdatedAt.UTC()
		}
		require.Equal(t, []experiment.Note{
			{ExperimentID: e.ID, Date: "2026-11-20", Content: "Today, again.", Author: "barbara", Version: 2, UpdatedAt: at.Add(time.Minute)},
			{ExperimentID: e.ID, Date: "2026-11-19", Content: "**Hi** <script>alert(1)</script>", Author: "grace", Version: 1, UpdatedAt: at},
		}, notes)
		e = labRow(t, s, e.ID)
		require.Equal(t, 1, e.Version, "a note is no edit of the experiment")
		require.Equal(t, at.Add(time.Minute), e.UpdatedAt.UTC(), "but something was written")

		for _, version := range []int{0, 1, 3} {
			_, err = s.Experiments.WriteNote(t.Context(), note, version, at)
			require.Equal(t, problem.EditStale, problem.CodeOf(err), version)
		}
		require.Equal(t, problem.EditStale, problem.CodeOf(s.Experiments.DeleteNote(t.Context(), e.ID, note.Date, 1, at)))
		require.NoError(t, s.Experiments.DeleteNote(t.Context(), e.ID, note.Date, 2, at))
		require.Equal(t, problem.EditStale, problem.CodeOf(s.Experiments.DeleteNote(t.Context(), e.ID, note.Date, 2, at)))
		_, err = s.Experiments.WriteNote(t.Context(), note, 2, at)
		require.Equal(t, problem.EditStale, problem.CodeOf(err), "it was deleted meanwhile")
		note.Date = "2026-11-21"
		_, err = s.Experiments.WriteNote(t.Context(), note, 0, at)
		require.Equal(t, problem.Invalid, problem.CodeOf(err), "tomorrow")
		notes, err = s.Experiments.LabNotes(t.Context(), e.ID)
		require.NoError(t, err)
		require.Len(t, notes, 1)
	})
}

func TestADaysNoteIsWrittenOnceAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		note := experiment.Note{ExperimentID: "001", Date: "2026-11-19", Content: "First.", Author: "grace"}
		require.Equal(t, 1, atOnce(t, 20, func(int) error {
			_, err := s.Experiments.WriteNote(t.Context(), note, 0, november)
			return err
		}, problem.EditStale))
		require.Equal(t, 1, atOnce(t, 20, func(int) error {
			_, err := s.Experiments.WriteNote(t.Context(), note, 1, november)
			return err
		}, problem.EditStale))
		require.Equal(t, 4, s.Count(t, "lab_notes"))
	})
}
