// Package storetest creates empty, migrated stores of both kinds for tests.
package storetest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/internal/store/testdb"
)

// Each runs a test on an empty store of each kind.
func Each(t *testing.T, test func(t *testing.T, s *store.DB)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, New(t, kind))
		})
	}
}

// New creates an empty, migrated store with its own key ring.
func New(t testing.TB, kind string) *store.DB {
	t.Helper()
	return Open(t, Address(t, kind))
}

// Open opens and migrates the database at the address.
func Open(t testing.TB, address string) *store.DB {
	t.Helper()
	s := open(t, address)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.UseKeys(Ring(t))
	return s
}

func open(t testing.TB, address string) *store.DB {
	t.Helper()
	s, err := store.Open(address)
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))
	return s
}

// Address creates an empty, migrated database and returns its DATABASE_URL. It is a copy, because
// migrating takes longer than most tests.
func Address(t testing.TB, kind string) string {
	t.Helper()
	if kind == "postgres" {
		oncePostgres.Do(func() {
			var address string
			address, template = testdb.Template(t)
			require.NoError(t, open(t, address).Close())
		})
		return testdb.Copy(t, template)
	}
	onceSQLite.Do(func() {
		path := filepath.Join(t.TempDir(), "migrated.db")
		require.NoError(t, open(t, "sqlite:"+path).Close())
		var err error
		file, err = os.ReadFile(path)
		require.NoError(t, err)
	})
	address := testdb.Address(t, kind)
	require.NoError(t, os.WriteFile(strings.TrimPrefix(address, "sqlite:"), file, 0o600))
	return address
}

var (
	oncePostgres, onceSQLite sync.Once
	template                 string // a migrated database
	file                     []byte // a migrated database
)

// Ring returns a ring with one new key.
func Ring(t testing.TB) *keyring.Ring {
	t.Helper()
	text, err := keyring.New("k1")
	require.NoError(t, err)
	ring, err := keyring.Parse(text)
	require.NoError(t, err)
	return ring
}

// Attempts returns the attempts of a post, in order.
func Attempts(t testing.TB, s *store.DB, postID string) (attempts []post.Attempt) {
	t.Helper()
	var lines bytes.Buffer
	require.NoError(t, s.Snapshot(t.Context(), func(snapshot *store.Snapshot) error {
		table := slices.IndexFunc(snapshot.Tables, func(table store.Table) bool { return table.Name == "post_attempts" })
		_, err := snapshot.Write(snapshot.Tables[table], &lines)
		return err
	}))
	for in := json.NewDecoder(&lines); in.More(); {
		var row struct {
			PostID    string       `json:"post_id"`
			Number    int          `json:"number"`
			StartedAt time.Time    `json:"started_at"`
			EndedAt   *time.Time   `json:"ended_at"`
			Outcome   post.Outcome `json:"outcome"`
			Code      string       `json:"code"`
		}
		require.NoError(t, in.Decode(&row))
		if row.PostID == postID {
			attempts = append(attempts, post.Attempt(row))
		}
	}
	return attempts
}

// Connection connects the bot unless it is connected, and returns the connection's ID.
func Connection(t testing.TB, s *store.DB) string {
	t.Helper()
	c, err := s.Bot.Connection(t.Context())
	if err == nil && c == nil {
		tokens := bot.Tokens{AccessToken: "1-test-token", AccessSecret: "test-secret"}
		require.NoError(t, s.Bot.SeedConnection(t.Context(), tokens, "bot", time.Now()))
		c, err = s.Bot.Connection(t.Context())
	}
	require.NoError(t, err)
	require.NotNil(t, c)
	return c.ID
}
