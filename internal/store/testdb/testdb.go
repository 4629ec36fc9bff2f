// Package testdb creates empty databases of both kinds for tests.
package testdb

import (
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes and drops test databases
	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
)

// Kinds are the databases on which every store test runs.
var Kinds = []string{"sqlite", "postgres"}

// Either returns the database of a test whose outcome does not depend on the dialect: one of the two,
// chosen by the test's name, so that each serves half of these tests. With PROOF set it returns both.
func Either(t testing.TB) []string {
	t.Helper()
	if os.Getenv("PROOF") != "" {
		return Kinds
	}
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	return Kinds[name.Sum32()%2:][:1]
}

// Address creates an empty database and returns its DATABASE_URL.
func Address(t testing.TB, kind string) string {
	t.Helper()
	if kind == "sqlite" {
		return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	}
	return Copy(t, "template1")
}

// Copy creates a PostgreSQL database from a template, which must have no connections, and returns its
// DATABASE_URL.
func Copy(t testing.TB, template string) string {
	t.Helper()
	address, name := create(t, template)
	t.Cleanup(func() {
		_, err := admin(t).Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)) // t.Context() is over
		require.NoError(t, err)
	})
	return address
}

// Template creates an empty PostgreSQL database that serves as a template and is not dropped.
func Template(t testing.TB) (address, name string) {
	t.Helper()
	return create(t, "template1")
}

func create(t testing.TB, template string) (address, name string) {
	t.Helper()
	name = "test_" + xid.New().String()
	// Copying files is faster than writing them to the log, which a server without fsync does not need.
	_, err := admin(t).ExecContext(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", name, template))
	require.NoError(t, err)
	server, err := url.Parse(os.Getenv("TEST_DATABASE_URL"))
	require.NoError(t, err)
	server.Path = "/" + name
	return server.String(), name
}

// admin returns the shared connections to the server.
func admin(t testing.TB) *sql.DB {
	t.Helper()
	require.NotEmpty(t, os.Getenv("TEST_DATABASE_URL"), "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")
	db, err := adminPool()
	require.NoError(t, err)
	return db
}

var adminPool = sync.OnceValues(func() (*sql.DB, error) {
	db, err := sql.Open("pgx", os.Getenv("TEST_DATABASE_URL"))
	if err == nil {
		db.SetMaxIdleConns(4)
	}
	return db, err
})
