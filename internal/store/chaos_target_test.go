package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func cellNow(t *testing.T, s *store.DB) heal.Cell {
	t.Helper()
	c, err := s.Chaos.Cell(t.Context())
	require.NoError(t, err)
	return c
}

func TestACellThatNobodySaw(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Equal(t, heal.Cell{ID: "cell", Files: []target.File{}, ChaosOn: true}, cellNow(t, s))
	})
}

func TestTheCellAsLastSeen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		signed := target.Signed{Note: "note", Verifier: "key", Files: []target.File{{Name: target.FileHome, Size: 3, SHA256: "ab"}}}
		require.NoError(t, s.Chaos.SaveManifest(t.Context(), signed))
		all, started := target.Failed(target.Checks()...), november.Add(-time.Hour)
		require.NoError(t, s.Chaos.SawCell(t.Context(), heal.Seen{At: november, Failing: all, Process: 42, StartedAt: &started}))
		c := cellNow(t, s)
		require.Equal(t, []any{all, 42, signed.Files, "note", "key"}, []any{c.Failing, c.Process, c.Files, c.Note, c.Verifier})
		require.WithinDuration(t, november, *c.SeenAt, 0)
		require.WithinDuration(t, started, *c.StartedAt, 0)

		require.NoError(t, s.Chaos.SawCell(t.Context(), heal.Seen{At: november.Add(-time.Second), Process: 41}))
		require.Equal(t, 42, cellNow(t, s).Process, "what is older says nothing new")
		require.NoError(t, s.Chaos.SawCell(t.Context(), heal.Seen{At: november.Add(time.Second)}))
		c = cellNow(t, s)
		require.Equal(t, []any{target.Failing(0), 0}, []any{c.Failing, c.Process})
		require.Nil(t, c.StartedAt)
		require.Equal(t, "note", c.Note)
		require.True(t, c.ChaosOn)
	})
}

func TestTheChaosSwitch(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Chaos.SawCell(t.Context(), heal.Seen{At: november, Process: 42}))
		was, is, err := s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "We rest.", november)
		require.NoError(t, err)
		off := chaos.Switch{By: "grace", Reason: "We rest.", At: &november}
		require.Equal(t, []chaos.Switch{{On: true}, off}, []chaos.Switch{was, is})
		c := cellNow(t, s)
		require.False(t, c.ChaosOn)
		require.Equal(t, 42, c.Process, "nothing else has changed")

		was, is, err = s.Chaos.SetChaosSwitch(t.Context(), true, "ada", "", november.Add(time.Hour))
		require.NoError(t, err)
		require.WithinDuration(t, november, *was.At, 0)
		require.Equal(t, []any{false, "grace", "We rest."}, []any{was.On, was.By, was.Reason})
		require.Equal(t, []any{true, "ada", ""}, []any{is.On, is.By, is.Reason})
	})
}
