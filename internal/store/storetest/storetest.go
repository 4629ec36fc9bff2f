// Package storetest gives tests empty, migrated stores of both kinds. Only tests may use it.
package storetest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/bot"
	"customerzero/internal/keyring"
	"customerzero/internal/store"
	"customerzero/internal/testdb"
)

// Each runs a test on an empty store of each kind.
func Each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, testdb.Address(t, kind)))
		})
	}
}

// Open opens and migrates the database at the address. What the store seals, it seals with
// a ring of its own.
func Open(t testing.TB, address string) *store.Store {
	t.Helper()
	prepare(t, address)
	s := open(t, address)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.UseKeys(Ring(t))
	return s
}

func open(t testing.TB, address string) *store.Store {
	t.Helper()
	s, err := store.Open(address)
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))
	return s
}

var (
	once     sync.Once
	migrated []byte // an SQLite file with the schema
)

// prepare puts a migrated file where a new SQLite database is wanted: hundreds of tests
// migrate one each, which takes longer than what they test.
func prepare(t testing.TB, address string) {
	t.Helper()
	path, sqlite := strings.CutPrefix(address, "sqlite:")
	if _, err := os.Stat(path); !sqlite || err == nil {
		return
	}
	once.Do(func() {
		file := filepath.Join(t.TempDir(), "migrated.db")
		require.NoError(t, open(t, "sqlite:"+file).Close())
		var err error
		migrated, err = os.ReadFile(file)
		require.NoError(t, err)
	})
	require.NoError(t, os.WriteFile(path, migrated, 0o600))
}

// Ring gives a ring with one fresh key.
func Ring(t testing.TB) *keyring.Ring {
	t.Helper()
	text, err := keyring.New("k1")
	require.NoError(t, err)
	ring, err := keyring.Parse(text)
	require.NoError(t, err)
	return ring
}

// Connection connects the bot, unless it is, and names what posts are sent with.
func Connection(t testing.TB, s *store.Store) string {
	t.Helper()
	c, err := s.Connection(t.Context())
	if err == nil && c == nil {
		tokens := bot.Tokens{AccessToken: "1-test-token", AccessSecret: "test-secret"}
		require.NoError(t, s.SeedConnection(t.Context(), tokens, "bot", time.Now()))
		c, err = s.Connection(t.Context())
	}
	require.NoError(t, err)
	require.NotNil(t, c)
	return c.ID
}
