//go:build proof

package cluster

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// newOptions are the options of a new cluster on the tests' Postgres.
func newOptions(t *testing.T) Options {
	server := os.Getenv("TEST_DATABASE_URL")
	require.NotEmpty(t, server, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")
	o, err := programs()
	require.NoError(t, err)
	o.Dir, o.Postgres, o.Out = t.TempDir(), server, t.Output()
	return o
}

// built is the directory of the program; TestMain removes it.
var built string

// programs builds the product once.
var programs = sync.OnceValues(func() (o Options, err error) {
	if built, err = os.MkdirTemp("", "customerzero-program."); err != nil {
		return o, err
	}
	return Programs(context.Background(), built)
})

func TestCluster(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	c, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	require.Len(t, c.APIs, 2)
	require.Len(t, c.Workers, 2)
	require.Nil(t, c.Postgres, "the server was given")
	var pids []int
	for _, p := range c.Processes() {
		require.True(t, c.Ready(t.Context(), p), p.Name())
		require.NotContains(t, strings.Join(p.Program().Args, " "), "postgres://", "arguments are visible to other users")
		pids = append(pids, pidOf(p))
	}
	require.Contains(t, page(t, c.URL+"/readyz", c.AdminKey), `"ok"`)
	require.Contains(t, page(t, c.URL+"/api/posting-times", c.AdminKey), `{`, "the admin key is the one in the directory")
	require.Contains(t, page(t, c.TargetURL+"/healthz", ""), `ok`)
	saved, err := os.ReadFile(filepath.Join(o.Dir, "up.json"))
	require.NoError(t, err)
	require.Contains(t, string(saved), c.URL)

	for _, p := range []*Process{c.APIs[0], c.Workers[0], c.Temporal} {
		before := pidOf(p)
		require.NoError(t, c.Restart(t.Context(), p))
		require.True(t, c.Ready(t.Context(), p))
		require.NotEqual(t, before, pidOf(p))
	}
	for _, p := range c.Processes() {
		kills, falls := p.Deaths()
		require.Equal(t, []int{0, 0}, []int{kills, falls}, "%s ended by itself", p.Name())
	}

	c.Stop()
	c.Stop() // a second call does nothing
	requireNothingLeft(t, o.Dir, pids)
	require.NoFileExists(t, filepath.Join(o.Dir, "up.json"))
}

// requireNothingLeft finds processes by PID and by their environment.
func requireNothingLeft(t *testing.T, dir string, pids []int) {
	for _, pid := range pids {
		require.False(t, lives(pid))
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range environments {
		environment, _ := os.ReadFile(file) // it may be gone
		require.NotContains(t, string(environment), "DATA_DIR="+dir, file)
	}
}

func page(t *testing.T, url, key string) string {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	request.Header.Set("X-Admin-Key", key)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = reply.Body.Close() }()
	require.Equal(t, http.StatusOK, reply.StatusCode, url)
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	return string(text)
}

// Proves: F26
func TestDirectoryIsLocked(t *testing.T) {
	t.Parallel()
	first := &Cluster{options: Options{Dir: t.TempDir()}}
	require.NoError(t, first.lockDir())
	second := &Cluster{options: first.options}
	require.ErrorContains(t, second.lockDir(), "another cluster, or customerzero up, runs on")
	first.Stop()
	require.NoError(t, second.lockDir())
	second.Stop()
}

// Proves: F3
func TestOwnPostgresKeepsItsData(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "customerzero-cluster.") // Postgres, another user, must be able to reach it
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = os.RemoveAll(dir), os.RemoveAll(dir+".postgres") })

	c := startServer(t, dir)
	write(t, c, "CREATE TABLE kept (n INT)")
	require.NoError(t, c.Restart(t.Context(), c.Postgres))
	address := c.database
	guess, err := url.Parse(address)
	require.NoError(t, err)
	guess.User = url.UserPassword("postgres", "guess")
	_, err = pgx.Connect(t.Context(), guess.String())
	require.ErrorContains(t, err, "password authentication failed", "other users of this machine cannot connect")
	c.Stop()

	c = startServer(t, dir)
	write(t, c, "INSERT INTO kept VALUES (1)")
	c.Stop()
}

func startServer(t *testing.T, dir string) *Cluster {
	c := &Cluster{options: Options{Dir: dir}, ready: map[*Process]func(context.Context) error{}}
	t.Cleanup(c.Stop)
	require.NoError(t, c.makeSecrets())
	require.NoError(t, c.startPostgres(t.Context()))
	require.NoError(t, c.makeDatabase(t.Context()))
	return c
}

func write(t *testing.T, c *Cluster, statement string) {
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}
