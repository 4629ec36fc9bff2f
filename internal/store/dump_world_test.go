package store_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// dump is what a backup keeps of a database.
type dump struct {
	version int64
	digests map[string]store.Digest
	lines   map[string]string
}

func takeDump(t *testing.T, s *store.DB) dump {
	t.Helper()
	d := dump{digests: map[string]store.Digest{}, lines: map[string]string{}}
	require.NoError(t, s.Snapshot(t.Context(), func(m *store.Snapshot) error {
		d.version = m.Version
		for _, table := range m.Tables {
			var lines bytes.Buffer
			digest, err := m.Write(table, &lines)
			require.NoError(t, err)
			d.digests[table.Name], d.lines[table.Name] = digest, lines.String()
		}
		return nil
	}))
	return d
}

// load is the dump, to be loaded as it was.
func (d dump) load() store.Load {
	return store.Load{Version: d.version, Tables: d.digests, Fill: func(fill func(string, io.Reader) error) error {
		for table, lines := range d.lines { // in whatever order
			if err := fill(table, bytes.NewBufferString(lines)); err != nil {
				return err
			}
		}
		return nil
	}}
}

// openUnmigrated opens a database without any table.
func openUnmigrated(t *testing.T, kind string) *store.DB {
	t.Helper()
	s, err := store.Open(testdb.Address(t, kind))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// each pair of databases, the first to be dumped and the second to be filled.
func eachPair(t *testing.T, test func(t *testing.T, from *store.DB, to string)) {
	t.Helper()
	for _, to := range testdb.Kinds {
		t.Run("into "+to, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, from *store.DB) { test(t, from, to) })
		})
	}
}

// furnish fills a database with values that are easily lost on the way.
func furnish(t *testing.T, s *store.DB) {
	t.Helper()
	ada := newMember(t, s, "ada")
	create(t, s, ada, november.Add(time.Hour))
	odd := draft(nil, november.Add(123456*time.Microsecond))
	odd.Text = "<b>\"quoted\" & 'said'</b> \\ \u2028 \t\r\n é 👩‍🚀 \u007f"
	_, err := s.Posts.CreatePost(t.Context(), odd, november)
	require.NoError(t, err)
	_, err = s.Hide(t.Context(), "a secret")
	require.NoError(t, err)

	for _, statement := range []string{
		`INSERT INTO model_calls (id, task, prompt, model, question, answer, outcome, detail, tokens_in, tokens_out, cost_nano_usd, priced, took_ms, created_at)
		 VALUES ('big', '', '', '', '', '', '', '', 0, 0, 9007199254740993, true, 0, '2026-11-20 12:00:00.000001+00:00')`,
		`INSERT INTO experiments (id, number, slug, title, problem, hypothesis, impact, difficulty, status, reason, progress, methodology, tech_stack,
		   success_metrics, origin, submitted_at, started_at, ended_at, metric, threshold, due_at, measured, verdict, workflow_id, run_id, version, updated_at)
		 VALUES ('x', 2, 'x', 'x', 'x', 'x', 'x', 'easy', 'shipped', '', 100, '[]', '[]', '[]', 'seed', '2026-11-20 12:00:00+00:00', '2026-11-20 12:00:00+00:00',
		   '2026-11-21 12:00:00.5+00:00', 'heal_time', 0.1, '2026-11-21 12:00:00+00:00', 1e21, 'met', '', '', 1, '2026-11-21 12:00:00+00:00')`,
	} {
		require.NoError(t, s.Exec(statement))
	}
	put(t, s, "zz-older", 1, nil)
	put(t, s, "aa-younger", 2, func(r *chaos.Run) { r.ReplayOf = new("zz-older") }) // refers to a row behind it
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	require.NoError(t, s.Exec("INSERT INTO chaos_probes (run_id, part, data) VALUES ('aa-younger', 0, ?), ('aa-younger', 1, ?)", bytes, []byte{}))
}
