//go:build proof

package cluster

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestOwnPostgresKeepsItsData is of a server that the launcher makes.
// Proves: F3
func TestOwnPostgresKeepsItsData(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "customerzero-cluster.") // not below a directory of root's alone
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	c := startServer(t, dir)
	write(t, c, "CREATE TABLE kept (n INT)")
	require.NoError(t, c.Restart(t.Context(), c.Postgres))
	address := c.database
	stranger, err := url.Parse(address)
	require.NoError(t, err)
	stranger.User = url.UserPassword("postgres", "guess")
	_, err = pgx.Connect(t.Context(), stranger.String())
	require.ErrorContains(t, err, "password authentication failed", "others of this machine are kept out")
	c.Stop()

	c = startServer(t, dir)
	write(t, c, "INSERT INTO kept VALUES (1)")
	c.Stop()
}

func startServer(t *testing.T, dir string) *Cluster {
	t.Helper()
	c := &Cluster{options: Options{Dir: dir}, ready: map[*Process]func(context.Context) error{}}
	t.Cleanup(c.Stop)
	require.NoError(t, c.makeSecrets())
	require.NoError(t, c.startPostgres(t.Context()))
	require.NoError(t, c.makeDatabase(t.Context()))
	return c
}

func write(t *testing.T, c *Cluster, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

func TestServerThatMayNotPassADirectorySaysWhich(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(closed, "cluster"), 0o700))
	require.ErrorContains(t, letThrough(filepath.Join(closed, "cluster")), "cannot pass "+closed+"; let it (chmod o+x), or choose another directory")
}
