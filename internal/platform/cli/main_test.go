package cli_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/cli"
)

// run runs the program as main does.
func run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// fails checks for one sentence that says what to do, and an exit code that is not zero.
func fails(t *testing.T, says string, args ...string) {
	t.Helper()
	code, _, errs := run(t, args...)
	require.Equal(t, 1, code)
	require.Contains(t, errs, says)
	var said []string
	for line := range strings.Lines(errs) {
		if strings.HasPrefix(line, "customerzero:") {
			said = append(said, line)
		}
	}
	require.Len(t, said, 1, errs)
	require.NotContains(t, errs, "goroutine")
}

// anywhere are settings with which nobody is in the way of others.
var anywhere = []string{
	"ADDR=127.0.0.1:0", "X_SANDBOX_ADDR=127.0.0.1:0", "SMTP_SANDBOX_ADDR=127.0.0.1:0", "CHAOS_TARGET_ADDR=127.0.0.1:0", "CHAOS_TARGET_CONTROL_ADDR=127.0.0.1:0",
}

// contents are a file's.
func contents(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

func isolated(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	t.Setenv("DATA_DIR", dir)
	for _, setting := range anywhere {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1") // nobody
	return dir
}

// Proves: F26
func TestWhatCannotWorkIsOneSentence(t *testing.T) {
	locked := func(t *testing.T, dir string) {
		lock := flock.New(filepath.Join(dir, "up.lock"))
		require.NoError(t, lock.Lock())
		t.Cleanup(func() { require.NoError(t, lock.Unlock()) })
	}
	corrupt := func(t *testing.T, dir string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "customerzero.db"), []byte(strings.Repeat("not a database ", 1000)), 0o600))
	}
	taken := func(t *testing.T, _ string) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, listener.Close()) })
		t.Setenv("X_SANDBOX_ADDR", listener.Addr().String())
	}
	with := func(settings ...string) func(*testing.T, string) {
		return func(t *testing.T, _ string) {
			for _, setting := range settings {
				name, value, _ := strings.Cut(setting, "=")
				t.Setenv(name, value)
			}
		}
	}
	for name, tt := range map[string]struct {
		given func(t *testing.T, dir string)
		says  string
		args  []string
	}{
		"a data directory that cannot be made": {func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}, "choose another with DATA_DIR", []string{"up"}},
		"a data directory that cannot be written": {func(t *testing.T, dir string) { // root may write anywhere, but not here
			require.NoError(t, os.Mkdir(filepath.Join(dir, "up.lock"), 0o700))
		}, "mend its permissions or choose another with DATA_DIR", []string{"up"}},
		"a second up on one data directory": {locked, "another customerzero up runs", []string{"up"}},
		"a corrupt database":                {corrupt, "restore it from a backup or move it away", []string{"migrate"}},
		"a corrupt database, up":            {corrupt, "restore it from a backup or move it away", []string{"up"}},
		"a schema that was never made":      {with(), "run customerzero migrate", []string{"worker"}},
		"a taken port":                      {taken, "choose another X_SANDBOX_ADDR", []string{"sandbox"}},
		"a Temporal server that is not built": {
			with("TEMPORAL_ADDRESS=", "TEMPORAL_BIN=/nowhere/temporald"), "run make build", []string{"up"},
		},
		"no founders' key":   {with(), "no founders' key", []string{"post", "hi"}},
		"nobody to talk to":  {with("ADMIN_KEY=k", "PUBLIC_URL=http://127.0.0.1:1"), "start it with customerzero up", []string{"post", "hi"}},
		"no file to import":  {with("ADMIN_KEY=k"), "cannot be read", []string{"import", "/nowhere/nothing.csv"}},
		"a bad setting":      {with("LOG_LEVEL=loud"), "LOG_LEVEL", []string{"migrate"}},
		"nothing to promote": {with(), "set WORKER_DEPLOYMENT", []string{"promote"}},
		"nobody to promote":  {with("WORKER_DEPLOYMENT=customerzero", "WORKER_BUILD=1"), "start it, or correct TEMPORAL_ADDRESS", []string{"promote"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := isolated(t)
			require.NoError(t, os.MkdirAll(dir, 0o700))
			tt.given(t, dir)
			fails(t, tt.says, tt.args...)
		})
	}
}

// Proves: S-settings
func TestUnreachableDatabaseKeepsItsPasswordOutOfSight(t *testing.T) {
	isolated(t)
	t.Setenv("DATABASE_URL", "postgres://u:hunter2@127.0.0.1:1/d?sslmode=disable")
	for _, name := range []string{"api", "worker", "migrate"} {
		fails(t, "start it, or correct DATABASE_URL", name)
		_, _, errs := run(t, name)
		require.NotContains(t, errs, "hunter2")
	}
}

func TestUnreachableTemporal(t *testing.T) {
	isolated(t)
	done(t, "migrate")
	t.Setenv("SECRET_KEYS", newKey(t))
	for _, name := range []string{"api", "worker"} {
		fails(t, "start it, or correct TEMPORAL_ADDRESS", name)
	}
}

func TestDoctorNamesWhatFails(t *testing.T) {
	isolated(t)
	t.Setenv("ADMIN_KEY", "hunter2")
	t.Setenv("X_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("STRIPE_SECRET_KEY", "sk_test_hunter2")
	t.Setenv("STRIPE_WEBHOOK_SECRET", "whsec_hunter2")
	t.Setenv("LLM_MODELS", "builtin, ollama:llama3.2:1b")
	t.Setenv("STRIPE_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("SMTP_URL", "smtp://u:hunter2@127.0.0.1:1")
	t.Setenv("OLLAMA_HOST", "http://127.0.0.1:1")
	t.Setenv("CHROMIUM", "/nowhere")
	code, out, errs := run(t, "doctor")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "7 of 8 parts fail")
	for _, remedy := range []string{"customerzero up", "TEMPORAL_ADDRESS", "X_BASE_URL", "STRIPE_BASE_URL", "OLLAMA_HOST", "SMTP_URL", "CHROMIUM"} {
		require.Contains(t, out, remedy)
	}
	require.NotContains(t, out+errs, "hunter2")
}

func TestHelpAndUnknownCommands(t *testing.T) {
	code, out, _ := run(t, "--help")
	require.Zero(t, code)
	require.Contains(t, out, "doctor")
	code, _, errs := run(t, "fly")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "unknown command")
}
