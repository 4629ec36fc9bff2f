package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// Proves: F35
func TestDumpRoundTrip(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		furnish(t, from)
		first := takeDump(t, from)
		require.Contains(t, first.lines["chaos_probes"], `"AAECAwQF`, "bytes")
		require.Contains(t, first.lines["model_calls"], `"cost_nano_usd":9007199254740993,"created_at":"2026-11-20T12:00:00.000001Z"`)
		require.Contains(t, first.lines["experiments"], `"due_at":"2026-11-21T12:00:00.000000Z"`, "times are as long as they can be")
		require.Contains(t, first.lines["experiments"], `"measured":1e+21`)

		to := openUnmigrated(t, kind)
		require.NoError(t, to.Load(t.Context(), first.load()))
		require.NoError(t, to.CheckSchema(t.Context()))
		require.Equal(t, first, takeDump(t, to))
		again := openUnmigrated(t, map[string]string{"sqlite": "postgres", "postgres": "sqlite"}[kind])
		require.NoError(t, again.Load(t.Context(), takeDump(t, to).load()))
		require.Equal(t, first, takeDump(t, again))
	})
}

// TestRestoredConstraints checks that a restored database still enforces its constraints.
// Proves: F35
func TestRestoredConstraints(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		furnish(t, from)
		to := storetest.New(t, kind) // already migrated
		require.NoError(t, to.Load(t.Context(), takeDump(t, from).load()))
		require.ErrorContains(t, to.Exec("UPDATE chaos_runs SET replay_of = 'nobody' WHERE id = 'aa-younger'"), "constraint")
		require.Error(t, to.Exec("UPDATE quota_slots SET state = 'free' WHERE post_id IS NOT NULL"))
		if kind == "postgres" {
			require.Zero(t, to.Number(t, "SELECT count(*) FROM pg_constraint WHERE condeferrable"))
		}
		create(t, to, nil, november.Add(2*time.Hour))
	})
}

// Proves: F35
func TestDumpIsConsistent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		create(t, s, newMember(t, s, "ada"), november)
		before := takeDump(t, s)
		require.Equal(t, before, dumpWhile(t, s, func() { create(t, s, nil, november) }))
		require.NotEqual(t, before, takeDump(t, s))
	})
}

// TestInvalidUTF8RoundTrip covers texts that SQLite stores although they are not valid UTF-8.
func TestInvalidUTF8RoundTrip(t *testing.T) {
	t.Parallel()
	from := storetest.New(t, "sqlite")
	require.NoError(t, from.Exec("INSERT INTO client_errors VALUES ('e', '/', ?, '', '2026-11-20 12:00:00+00:00')", "\xff\xfeno text"))
	taken := takeDump(t, from)
	require.Contains(t, taken.lines["client_errors"], `"message":{"base64":`)
	to := openUnmigrated(t, "sqlite")
	require.NoError(t, to.Load(t.Context(), taken.load()))
	require.Equal(t, taken, takeDump(t, to))
}

func TestLoadRequiresEmptyDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, from *store.DB) {
		furnish(t, from)
		taken := takeDump(t, from)
		for name, statement := range map[string]string{
			"a row":               "INSERT INTO client_errors VALUES ('e', '/', '', '', '2026-11-20 12:00:00+00:00')",
			"a changed first row": "UPDATE chaos_targets SET chaos_on = false",
			"a deleted first row": "DELETE FROM experiment_notes WHERE date = '2026-11-20'",
			"a foreign table":     "CREATE TABLE theirs (id text PRIMARY KEY)",
		} {
			to := storetest.New(t, from.Dialect())
			require.NoError(t, to.Exec(statement), name)
			before := takeDump(t, to)
			require.ErrorContains(t, to.Load(t.Context(), taken.load()), "the database is not empty", name)
			require.Equal(t, before, takeDump(t, to), name)
		}
	})
}

func TestLoadRequiresSameSchema(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		taken := takeDump(t, s)
		l, own := taken.load(), taken.version
		for _, l.Version = range []int64{0, own - 1, own + 1} {
			require.ErrorContains(t, s.Load(t.Context(), l), fmt.Sprintf("the backup has schema version %d and this program's is %d", l.Version, own))
		}
		require.NoError(t, s.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))
		use := func(*store.Snapshot) error { return nil }
		require.ErrorContains(t, s.Snapshot(t.Context(), use), "back it up with the program version that matches")
		require.ErrorContains(t, s.Load(t.Context(), taken.load()), "newer than this program")
	})
}

// TestFailedLoadRollsBack checks that the database stays empty and can still be loaded.
func TestFailedLoadRollsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, from *store.DB) {
		furnish(t, from)
		taken := takeDump(t, from)
		to := storetest.New(t, from.Dialect())
		empty := takeDump(t, to)
		for name, tt := range map[string]struct {
			breakIt func(*store.Load)
			says    string
		}{
			"truncated": {func(l *store.Load) {
				fill := l.Fill
				l.Fill = func(f func(string, io.Reader) error) error { return errors.Join(fill(f), errors.New("cut off")) }
			}, "cut off"},
			"a wrong digest":                   {func(l *store.Load) { l.Tables["posts"] = store.Digest{Rows: 2, SHA256: "x"} }, "the restored rows of posts differ from the backup"},
			"a table is missing":               {func(l *store.Load) { delete(l.Tables, "posts") }, "is missing table posts"},
			"an unknown table":                 {func(l *store.Load) { l.Tables["theirs"] = store.Digest{} }, "has a table theirs"},
			"a row that violates a constraint": {breakLine("posts", `"attempt":0`, `"attempt":-1`), "posts"},
			"a missing foreign key":            {breakLine("chaos_runs", `"replay_of":"zz-older"`, `"replay_of":"nobody"`), ""},
			"an invalid row":                   {breakLine("posts", `{"armed_at"`, `{{"armed_at"`), "invalid row of posts"},
			"a missing column":                 {breakLine("posts", `"armed_at":null,`, ``), "the table has"},
			"an unknown column":                {breakLine("posts", `"armed_at":null,`, `"armed":null,`), "lacks the column armed_at"},
			"a value of the wrong type":        {breakLine("posts", `"attempt":0`, `"attempt":"0"`), "posts.attempt"},
		} {
			bad := taken.load()
			tt.breakIt(&bad)
			err := to.Load(t.Context(), bad)
			require.Error(t, err, name)
			require.ErrorContains(t, err, tt.says, name)
			require.Equal(t, empty, takeDump(t, to), name)
		}
		require.NoError(t, to.Load(t.Context(), taken.load()))
	})
}

// breakLine replaces a piece of the first line of a table that contains it.
func breakLine(table, piece, other string) func(*store.Load) {
	return func(l *store.Load) {
		fill := l.Fill
		l.Fill = func(f func(string, io.Reader) error) error {
			return fill(func(name string, lines io.Reader) error {
				text, err := io.ReadAll(lines)
				if err != nil || name != table {
					return errors.Join(err, f(name, bytes.NewReader(text)))
				}
				if !strings.Contains(string(text), piece) {
					return fmt.Errorf("no line of %s has %s", table, piece)
				}
				return f(name, strings.NewReader(strings.Replace(string(text), piece, other, 1)))
			})
		}
	}
}

func TestDumpOrderIgnoresCollation(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	require.NoError(t, s.Exec(`ALTER TABLE client_errors ALTER COLUMN id TYPE text COLLATE "und-x-icu"`))
	require.NoError(t, s.Exec("INSERT INTO client_errors SELECT id, '', '', '', now() FROM unnest(ARRAY['a', 'B', 'c-1', 'c1']) AS id"))
	require.Regexp(t, `(?s)"id":"B".*"id":"a".*"id":"c-1".*"id":"c1"`, takeDump(t, s).lines["client_errors"])
}

type dump struct {
	version int64
	digests map[string]store.Digest
	lines   map[string]string
}

func takeDump(t *testing.T, s *store.DB) dump {
	t.Helper()
	return dumpWhile(t, s, func() {})
}

// dumpWhile takes a dump and calls change between any two tables.
func dumpWhile(t *testing.T, s *store.DB, change func()) dump {
	t.Helper()
	d := dump{digests: map[string]store.Digest{}, lines: map[string]string{}}
	require.NoError(t, s.Snapshot(t.Context(), func(m *store.Snapshot) error {
		d.version = m.Version
		for _, table := range m.Tables {
			var lines bytes.Buffer
			d.digests[table.Name] = must(m.Write(table, &lines))(t)
			d.lines[table.Name] = lines.String()
			change()
		}
		return nil
	}))
	return d
}

func (d dump) load() store.Load {
	return store.Load{Version: d.version, Tables: maps.Clone(d.digests), Fill: func(fill func(string, io.Reader) error) error {
		for table, lines := range d.lines { // in random order
			if err := fill(table, bytes.NewBufferString(lines)); err != nil {
				return err
			}
		}
		return nil
	}}
}

func openUnmigrated(t *testing.T, kind string) *store.DB {
	t.Helper()
	s := must(store.Open(testdb.Address(t, kind)))(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// eachPair runs test with each pair of databases: from is dumped, and to is filled.
func eachPair(t *testing.T, test func(t *testing.T, from *store.DB, to string)) {
	t.Helper()
	for _, to := range testdb.Kinds {
		t.Run("into "+to, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, from *store.DB) { test(t, from, to) })
		})
	}
}

// furnish fills a database with values that are easily lost in a dump.
func furnish(t *testing.T, s *store.DB) {
	t.Helper()
	ada := newMember(t, s, "ada")
	create(t, s, ada, november.Add(time.Hour))
	odd := draft(nil, november.Add(123456*time.Microsecond))
	odd.Text = "<b>\"quoted\" & 'said'</b> \\ \u2028 \t\r\n é 👩‍🚀 \u007f"
	must(s.Posts.CreatePost(t.Context(), odd, november))(t)
	must(s.Hide(t.Context(), "a secret"))(t)

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
	put(t, s, "aa-younger", 2, func(r *chaos.Run) { r.ReplayOf = new("zz-older") }) // refers to a later row
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	require.NoError(t, s.Exec("INSERT INTO chaos_probes (run_id, part, data) VALUES ('aa-younger', 0, ?), ('aa-younger', 1, ?)", bytes, []byte{}))
}

// TestRestoredPostsAreReconciled checks that a post which may have been published after the backup is
// searched for before it is sent.
func TestRestoredPostsAreReconciled(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		now := time.Now()
		due, waiting, later := create(t, from, nil, now.Add(-time.Minute)), create(t, from, nil, now.Add(-time.Minute)), create(t, from, nil, now.Add(time.Hour))
		must(from.Posts.DelayPost(t.Context(), waiting.ID, "x", "X asked us to wait.", now.Add(time.Hour)))(t)
		sent, armed, failed := arm(t, from, nil), arm(t, from, nil), create(t, from, nil, november)
		conclude(t, from, sent, post.Verdict{Outcome: post.OutcomePublished, TweetID: "1", At: now})
		require.NoError(t, from.Exec("UPDATE posts SET status = 'failed', code = 'x' WHERE id = ?", failed.ID))

		l := takeDump(t, from).load()
		l.TakenAt = time.Now().Add(-time.Second).UTC().Truncate(time.Microsecond)
		to := storetest.New(t, kind)
		require.NoError(t, to.Load(t.Context(), l))
		for name, tt := range map[string]struct {
			id      string
			status  post.Status
			attempt int
			looks   bool // searched for since the backup
		}{
			"due":                  {due.ID, post.StatusArmed, 1, true},
			"waiting for X":        {waiting.ID, post.StatusScheduled, 1, true},
			"not due yet":          {later.ID, post.StatusScheduled, 1, true},
			"failed":               {failed.ID, post.StatusFailed, 0, true},
			"published: unchanged": {sent.ID, post.StatusPublished, 1, false},
			"armed: unchanged":     {armed.ID, post.StatusArmed, 1, false},
		} {
			p, attempts := must(to.Posts.Post(t.Context(), tt.id))(t, name), storetest.Attempts(t, to, tt.id)
			looks := p.FirstArmedAt != nil && p.FirstArmedAt.Equal(l.TakenAt)
			require.Equal(t, []any{tt.status, tt.attempt, tt.looks, tt.attempt}, []any{p.Status, p.Attempt, looks, len(attempts)}, name)
			require.Equal(t, tt.status == post.StatusArmed, tt.attempt > 0 && attempts[0].EndedAt == nil, name)
		}
	})
}

// TestUnfinishedDatabase checks that an SQLite file gets its name only when it is complete.
func TestUnfinishedDatabase(t *testing.T) {
	t.Parallel()
	address := testdb.Address(t, "sqlite")
	path := store.SQLitePath(address + "?busy_timeout=1s")
	taken := takeDump(t, storetest.New(t, "sqlite"))
	u := must(store.OpenUnfinished(t.Context(), address, taken.version))(t)
	require.NoError(t, u.Load(t.Context(), taken.load()))
	require.NoFileExists(t, path)
	require.NoError(t, u.Drop())
	require.NoFileExists(t, path+".restoring")

	storetest.Open(t, address) // an empty one may exist
	u = must(store.OpenUnfinished(t.Context(), address, taken.version))(t)
	require.NoError(t, u.Load(t.Context(), taken.load()))
	require.NoError(t, u.Finish())
	require.NoFileExists(t, path+".restoring")
	s := must(store.Open(address))(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Equal(t, taken, takeDump(t, s))
}
