package x

import (
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients that other people wrote, X's own among them, know X and not us: what they take
// for X is like X.
// Proves: V10.2.1
func TestJavaScriptClients(t *testing.T) {
	t.Parallel()
	installJavaScriptClients(t)
	config := testConfig()
	sandbox, err := New(config)
	require.NoError(t, err)
	listener := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		listener.Close()
	})
	u, err := url.Parse(listener.URL)
	require.NoError(t, err)

	node, err := exec.LookPath("node")
	require.NoError(t, err, "this test runs JavaScript clients: install Node 20 or newer")
	check := exec.CommandContext(t.Context(), node, "check.mjs", u.Port())
	check.Dir = "jsclients"
	check.Env = append(os.Environ(), "X_CONSUMER_KEY="+config.ConsumerKey, "X_CONSUMER_SECRET="+config.ConsumerSecret)
	out, err := check.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Len(t, sandbox.Tweets(), 2)
}

// installJavaScriptClients installs them from the lock file, unless they are there.
func installJavaScriptClients(t *testing.T) {
	t.Helper()
	const lock = ".package-lock.json" // npm writes it last
	if _, err := os.Stat(filepath.Join("jsclients", "node_modules", lock)); err == nil {
		return
	}
	npm, err := exec.LookPath("npm")
	require.NoError(t, err, "this test installs JavaScript clients: install npm, or run npm ci in internal/sandbox/x/jsclients")
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = "jsclients"
	out, err := install.CombinedOutput()
	require.NoError(t, err, "npm ci: %s", out)
}
