// Package testdb gives tests empty databases of both kinds, by address. Only tests may
// use it.
package testdb

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes and drops test databases
	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
)

// Kinds are the databases on which every store test runs.
var Kinds = []string{"sqlite", "postgres"}

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
		_, err := admin(t).Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
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
	_, err := admin(t).ExecContext(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template))
	require.NoError(t, err)
	server, err := url.Parse(os.Getenv("TEST_DATABASE_URL"))
	require.NoError(t, err)
	server.Path = "/" + name
	return server.String(), name
}

// admin is connected to the server itself.
func admin(t testing.TB) *sql.DB {
	t.Helper()
	address := os.Getenv("TEST_DATABASE_URL")
	require.NotEmpty(t, address, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
