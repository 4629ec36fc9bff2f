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
	return postgresAddress(t)
}

func postgresAddress(t testing.TB) string {
	t.Helper()
	server, err := url.Parse(os.Getenv("TEST_DATABASE_URL"))
	require.NoError(t, err)
	require.NotEmpty(t, server.Host, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")

	admin, err := sql.Open("pgx", server.String())
	require.NoError(t, err)
	name := "test_" + xid.New().String()
	_, err = admin.ExecContext(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := admin.Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
		require.NoError(t, err)
		require.NoError(t, admin.Close())
	})
	server.Path = "/" + name
	return server.String()
}
