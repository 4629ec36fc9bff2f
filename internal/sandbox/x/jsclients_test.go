package x

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJavaScriptClients runs independent clients, X's own among them, against the sandbox.
// Proves: V10.2.1
func TestJavaScriptClients(t *testing.T) {
	t.Parallel()
	const lock = ".package-lock.json" // npm writes it last
	if _, err := os.Stat(filepath.Join("jsclients", "node_modules", lock)); err != nil {
		run(t, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	}
	w := newWorld(t)
	u, err := url.Parse(w.url)
	require.NoError(t, err)
	run(t, "node", "check.mjs", u.Port())
	require.Len(t, w.sandbox.Tweets(), 2)
}

// run runs a program in the clients' folder.
func run(t *testing.T, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = "jsclients"
	command.Env = append(os.Environ(), "X_CONSUMER_KEY=consumer-key", "X_CONSUMER_SECRET=consumer-secret&%")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "this test runs JavaScript clients: install Node.js 20 or newer. %s", out)
}
