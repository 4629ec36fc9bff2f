// Package testdb gives tests empty databases of both kinds, by address. Only tests may
// use it.
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

// Either gives the database of a test whose outcome does not depend on the dialect: one of the two,
// chosen by the test's name, so that each serves half of such tests. With PROOF set it gives both.
func Either(t testing.TB) []string {
	t.Helper()
	if os.Getenv("PROOF") != "" {
		return Kinds
	}
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	return Kinds[name.Sum32()%2:][:1]
}

// Address makes an empty database and names it as DATABASE_URL would.
func Address(t testing.TB, kind string) string {
	t.Helper()
	if kind == "sqlite" {
		return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	}
	return Copy(t, "template1")
}

// Copy makes a PostgreSQL database like another one, which nobody may be connected to, and
// names it as DATABASE_URL would.
func Copy(t testing.TB, template string) string {
	t.Helper()
	address, name := create(t, template)
	t.Cleanup(func() {
		_, err := admin(t).Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)) // t.Context() is over
		require.NoError(t, err)
	})
	return address
}

// Template makes an empty PostgreSQL database to be copied, which stays as long as its server.
func Template(t testing.TB) (address, name string) {
	t.Helper()
	return create(t, "template1")
}

func create(t testing.TB, template string) (address, name string) {
	t.Helper()
	name = "test_" + xid.New().String()
	// Copying files beats writing all of them to the log, which a server without fsync has no use for.
	_, err := admin(t).ExecContext(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", name, template))
	require.NoError(t, err)
	server, err := url.Parse(os.Getenv("TEST_DATABASE_URL"))
	require.NoError(t, err)
	server.Path = "/" + name
	return server.String(), name
}

// admin is connected to the server itself, with as many connections as tests need at once.
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
