package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// Proves: F35
func TestWhatWasRestoredDumpsTheSame(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		furnish(t, from)
		first := takeDump(t, from)
		require.Contains(t, first.lines["chaos_probes"], `"AAECAwQF`, "bytes")
		require.Contains(t, first.lines["model_calls"], `"cost_nano_usd":9007199254740993,"created_at":"2026-11-20T12:00:00.000001Z"`)
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

// The databases must refuse afterwards what they refused before.
// Proves: F35
func TestARestoredDatabaseKeepsItsLimits(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		furnish(t, from)
		to := storetest.New(t, kind) // one that was migrated before
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
func TestADumpIsOneMoment(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		create(t, s, ada, november)
		before := takeDump(t, s)
		during := dump{digests: map[string]store.Digest{}, lines: map[string]string{}}
		require.NoError(t, s.Snapshot(t.Context(), func(m *store.Snapshot) error {
			during.version = m.Version
			for _, table := range m.Tables { // somebody posts between any two tables
				var lines bytes.Buffer
				digest, err := m.Write(table, &lines)
				require.NoError(t, err)
				during.digests[table.Name], during.lines[table.Name] = digest, lines.String()
				create(t, s, nil, november)
			}
			return nil
		}))
		require.Equal(t, before, during)
		require.NotEqual(t, before, takeDump(t, s))
	})
}

// SQLite keeps bytes that are no text. They come back into SQLite as they were.
func TestBytesThatAreNoTextSurvive(t *testing.T) {
	t.Parallel()
	from := storetest.New(t, "sqlite")
	require.NoError(t, from.Exec("INSERT INTO client_errors VALUES ('e', '/', ?, '', '2026-11-20 12:00:00+00:00')", "\xff\xfeno text"))
	taken := takeDump(t, from)
	require.Contains(t, taken.lines["client_errors"], `"message":{"base64":`)
	to := openUnmigrated(t, "sqlite")
	require.NoError(t, to.Load(t.Context(), taken.load()))
	require.Equal(t, taken, takeDump(t, to))
}

func TestOnlyAnEmptyDatabaseIsFilled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, from *store.DB) {
		furnish(t, from)
		taken := takeDump(t, from)
		for name, statement := range map[string]string{
			"a row of ours":        "INSERT INTO client_errors VALUES ('e', '/', '', '', '2026-11-20 12:00:00+00:00')",
			"a changed first row":  "UPDATE cells SET chaos_on = false",
			"a first row that was": "DELETE FROM lab_notes WHERE date = '2026-11-20'",
			"somebody else's":      "CREATE TABLE theirs (id text PRIMARY KEY)",
		} {
			to := storetest.New(t, from.Dialect())
			require.NoError(t, to.Exec(statement), name)
			before := takeDump(t, to)
			require.ErrorContains(t, to.Load(t.Context(), taken.load()), "the database is not empty", name)
			require.Equal(t, before, takeDump(t, to), name)
		}
	})
}

func TestADumpOfAnotherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		taken := takeDump(t, s)
		own := taken.version
		for _, version := range []int64{0, own - 1, own + 1} {
			taken.version = version
			err := s.Load(t.Context(), taken.load())
			require.ErrorContains(t, err, fmt.Sprintf("the backup is of the schema %d, and this program's is %d", version, own))
		}
	})
}

func TestADatabaseOfAnotherSchemaIsNotDumpedOrFilled(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			taken := takeDump(t, storetest.New(t, kind))
			newer := storetest.New(t, kind)
			require.NoError(t, newer.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))
			use := func(*store.Snapshot) error { return nil }
			require.ErrorContains(t, newer.Snapshot(t.Context(), use), "back it up with the program that it belongs to")
			require.ErrorContains(t, newer.Load(t.Context(), taken.load()), "newer than this program")
		})
	}
}

// Whatever goes wrong, the database is as empty as before, and can be filled.
func TestALoadThatFailsLeavesNothing(t *testing.T) {
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
			"it ends too early": {func(l *store.Load) {
				fill := l.Fill
				l.Fill = func(f func(string, io.Reader) error) error { return errors.Join(fill(f), errors.New("cut off")) }
			}, "cut off"},
			"another row than was promised": {func(l *store.Load) { l.Tables["posts"] = store.Digest{Rows: 2, SHA256: "x"} }, "the rows of posts did not come out as they were"},
			"a table is missing":            {func(l *store.Load) { delete(l.Tables, "posts") }, "lacks the table posts"},
			"a table too many":              {func(l *store.Load) { l.Tables["theirs"] = store.Digest{} }, "has a table theirs"},
			"a row that is refused":         {breakLine("posts", `"attempt":0`, `"attempt":-1`), "posts"},
			"a row that refers to none":     {breakLine("chaos_runs", `"replay_of":"zz-older"`, `"replay_of":"nobody"`), ""},
			"a line that is no row":         {breakLine("posts", `{"armed_at"`, `{{"armed_at"`), "a line of posts is no row"},
			"a column too few":              {breakLine("posts", `"armed_at":null,`, ``), "the table has"},
			"another column":                {breakLine("posts", `"armed_at":null,`, `"armed":null,`), "lacks the column armed_at"},
			"another kind of value":         {breakLine("posts", `"attempt":0`, `"attempt":"0"`), "posts.attempt"},
		} {
			bad := copied(taken).load()
			tt.breakIt(&bad)
			err := to.Load(t.Context(), bad)
			require.Error(t, err, name)
			require.ErrorContains(t, err, tt.says, name)
			require.Equal(t, empty, takeDump(t, to), name)
		}
		require.NoError(t, to.Load(t.Context(), taken.load()))
	})
}

func copied(d dump) dump {
	other := dump{version: d.version, digests: map[string]store.Digest{}, lines: map[string]string{}}
	for table, lines := range d.lines {
		other.digests[table], other.lines[table] = d.digests[table], lines
	}
	return other
}

// breakLine alters the first line of a table that has such a piece.
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

// A server may sort texts as people do; a dump is in the order of their bytes.
func TestTheOrderOfADumpIsNotTheServers(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	require.NoError(t, s.Exec(`ALTER TABLE client_errors ALTER COLUMN id TYPE text COLLATE "und-x-icu"`))
	require.NoError(t, s.Exec("INSERT INTO client_errors SELECT id, '', '', '', now() FROM unnest(ARRAY['a', 'B', 'c-1', 'c1']) AS id"))
	lines := strings.Split(strings.TrimSpace(takeDump(t, s).lines["client_errors"]), "\n")
	var order []string
	for _, line := range lines {
		_, id, _ := strings.Cut(line, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		order = append(order, id)
	}
	require.Equal(t, []string{"B", "a", "c-1", "c1"}, order)
}
