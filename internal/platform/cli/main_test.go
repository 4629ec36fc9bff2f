package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// fails checks for exit code 1 and one error message.
func fails(t *testing.T, says string, args ...string) {
	t.Helper()
	code, _, errs := run(t, args...)
	require.Equal(t, 1, code)
	require.Contains(t, errs, says)
	require.Equal(t, 1, strings.Count("\n"+errs, "\ncustomerzero:"), errs)
	require.NotContains(t, errs, "goroutine")
}

// freePorts are settings that let several processes run side by side.
var freePorts = []string{
	"ADDR=127.0.0.1:0", "X_SANDBOX_ADDR=127.0.0.1:0", "SMTP_SANDBOX_ADDR=127.0.0.1:0", "CHAOS_TARGET_ADDR=127.0.0.1:0", "CHAOS_TARGET_CONTROL_ADDR=127.0.0.1:0",
}

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
	for _, setting := range freePorts {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1") // nothing listens there
	return dir
}

// damaged overwrites a page of a database that still opens.
func damaged(t *testing.T, dir string) {
	done(t, "migrate")
	file, err := os.OpenFile(filepath.Join(dir, "customerzero.db"), os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("damage", 1000)), 20*4096)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	t.Setenv("SECRET_KEYS", newKey(t))
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
		}, "choose another one with DATA_DIR", []string{"up"}},
		"a data directory that cannot be written": {func(t *testing.T, dir string) { // even for root
			require.NoError(t, os.Mkdir(filepath.Join(dir, "up.lock"), 0o700))
		}, "fix its permissions, or choose another one with DATA_DIR", []string{"up"}},
		"a second up on one data directory": {locked, "another customerzero up uses", []string{"up"}},
		"a corrupt database":                {corrupt, "restore it from a backup or move it away", []string{"migrate"}},
		"a corrupt database, up":            {corrupt, "restore it from a backup or move it away", []string{"up"}},
		"a damaged database":                {damaged, "move the files customerzero.db* out of", []string{"migrate"}},
		"a damaged database, up":            {damaged, "move the files customerzero.db* out of", []string{"up"}},
		"a damaged database, worker":        {damaged, "restore a backup with customerzero restore", []string{"worker"}},
		"a schema that does not exist":      {with(), "run customerzero migrate", []string{"worker"}},
		"a taken port":                      {taken, "set X_SANDBOX_ADDR to another address", []string{"sandbox"}},
		"a Temporal server that is not built": {
			with("TEMPORAL_ADDRESS=", "TEMPORAL_BIN=/nowhere/temporald"), "run make build", []string{"up"},
		},
		"no admin key":       {with(), "no admin key found", []string{"post", "hi"}},
		"no API server":      {with("ADMIN_KEY=hunter2-and-16-chars", "PUBLIC_URL=http://127.0.0.1:1"), "start it with customerzero up", []string{"post", "hi"}},
		"no file to import":  {with("ADMIN_KEY=hunter2-and-16-chars"), "cannot be read", []string{"import", "/nowhere/nothing.csv"}},
		"a bad setting":      {with("LOG_LEVEL=loud"), `LOG_LEVEL is "loud", but must be debug, info, warn or error`, []string{"migrate"}},
		"nothing to promote": {with(), "set WORKER_DEPLOYMENT", []string{"promote"}},
		"no Temporal":        {with("WORKER_DEPLOYMENT=customerzero", "WORKER_BUILD=1"), "start it, or correct TEMPORAL_ADDRESS", []string{"promote"}},
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

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}
}

func TestFullDiskIsNamed(t *testing.T) {
	isolated(t)
	var errs bytes.Buffer
	require.Equal(t, 1, cli.Main([]string{"migrate"}, full{}, &errs))
	require.Contains(t, errs.String(), "the disk is full; free some space and run the command again")
}

func TestDoctorReadsTheWholeDatabase(t *testing.T) {
	damaged(t, isolated(t))
	_, out, _ := run(t, "doctor")
	require.Contains(t, out, "the database file is damaged")
	require.Contains(t, out, "customerzero restore")
}

func TestDoctorNamesWhatFails(t *testing.T) {
	isolated(t)
	t.Setenv("ADMIN_KEY", "hunter2-and-16-chars")
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
	require.Contains(t, errs, "7 of 8 checks failed")
	for _, remedy := range []string{"customerzero up", "TEMPORAL_ADDRESS", "X_BASE_URL", "STRIPE_BASE_URL", "OLLAMA_HOST", "SMTP_URL", "CHROMIUM"} {
		require.Contains(t, out, remedy)
	}
	require.Contains(t, errs, "checking Temporal\n", "progress")
	require.NotContains(t, out+errs, "hunter2")

	t.Setenv("PUBLIC_ULR", "https://hunter2")
	code, out, _ = run(t, "doctor", "--json")
	require.Equal(t, 1, code)
	var report struct {
		Parts    []struct{ Name, Detail string }
		Settings []struct{ Name, Value string }
		Warnings []string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Parts, 8)
	require.NotEmpty(t, report.Settings)
	require.Contains(t, report.Warnings, `PUBLIC_ULR is not a setting. Did you mean "PUBLIC_URL"?`)
	require.NotContains(t, out, "hunter2")
}

// TestEveryCommandIsDocumented reads the help of every command, completion's included.
func TestEveryCommandIsDocumented(t *testing.T) {
	for _, command := range [][]string{
		{},
		{"up"},
		{"api"},
		{"worker"},
		{"migrate"},
		{"doctor"},
		{"post"},
		{"import"},
		{"sandbox"},
		{"keys"},
		{"keys", "new"},
		{"member"},
		{"member", "email"},
		{"member", "freeze"},
		{"member", "unfreeze"},
		{"member", "remove"},
		{"keys", "add"},
		{"keys", "list"},
		{"keys", "rotate"},
		{"health"},
		{"replay"},
		{"settings"},
		{"target"},
		{"instance"},
		{"promote"},
		{"backup"},
		{"restore"},
	} {
		code, out, errs := run(t, append(command, "--help")...)
		require.Zero(t, code, errs)
		require.Contains(t, out, "Examples:\n  ", command)
		require.Regexp(t, `^[A-Z][a-z-]+ [\s\S]+`, out, "%v: an imperative sentence", command)
	}
	code, out, _ := run(t)
	require.Zero(t, code)
	require.Contains(t, out, "  2  wrong usage")
	require.Contains(t, out, "completion ")
	require.Contains(t, done(t, "completion", "bash"), "bash completion")
	require.Contains(t, done(t, "__complete", "import", ""), "csv\n:8\n", "CSV files only")
	require.Contains(t, done(t, "__complete", "up", ""), ":4\n", "no files")
}

// TestMembersAreChangedByTheAPI records what the command line sends.
func TestMembersAreChangedByTheAPI(t *testing.T) {
	isolated(t)
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("X-Admin-Key")+" "+string(body))
		if strings.Contains(string(body), "removed") {
			_, _ = io.WriteString(w, `{"success":true}`)
			return
		}
		_, _ = io.WriteString(w, `{"success":true,"member":{"username":"ada","status":"frozen"}}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv("ADMIN_KEY", adminKey)
	t.Setenv("PUBLIC_URL", server.URL)
	require.Equal(t, "@ada is frozen\n", done(t, "member", "freeze", "@ada", "--reason", "Spam."))
	done(t, "member", "email", "ada", "ada@example.com")
	done(t, "member", "unfreeze", "ada")
	require.Equal(t, "ada is removed\n", done(t, "member", "remove", "ada"))
	require.Equal(t, []string{
		"PUT /api/members/@ada/status " + adminKey + ` {"status":"frozen","reason":"Spam."}`,
		"PUT /api/members/ada/email " + adminKey + ` {"email":"ada@example.com"}`,
		"PUT /api/members/ada/status " + adminKey + ` {"status":"active"}`,
		"PUT /api/members/ada/status " + adminKey + ` {"status":"removed"}`,
	}, sent)
}

const adminKey = "a-key-of-the-tests-that-is-long-enough"

// TestWrongUsage checks for exit code 2 and a message with the nearest correct spelling.
func TestWrongUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"improt", "posts.csv"}, "unknown command \"improt\" for \"customerzero\"\n\nDid you mean this?\n\timport"},
		{[]string{"fly"}, `unknown command "fly" for "customerzero"`},
		{[]string{"keys", "rotat"}, `unknown command "rotat" for "customerzero keys". Did you mean "rotate"?`},
		{[]string{"import", "--dryrun", "posts.csv"}, `unknown flag --dryrun. Did you mean "--dry-run"?`},
		{[]string{"up", "--fly"}, `unknown flag --fly.`},
		{[]string{"up", "-x"}, `unknown shorthand flag: 'x' in -x`},
		{[]string{"up", "now"}, `"customerzero up" takes no arguments; got "now"`},
		{[]string{"post"}, `"customerzero post" takes 1 argument, the text in quotes; got 0`},
		{[]string{"post", "two", "words"}, `"customerzero post" takes 1 argument, the text in quotes; got 2`},
		{[]string{"member", "email", "ada"}, `"customerzero member email" takes 2 arguments, as in "email NAME ADDRESS"; got 1`},
		{[]string{"member", "freze"}, `unknown command "freze" for "customerzero member". Did you mean "freeze"?`},
		{[]string{"import"}, `"customerzero import" takes 1 argument, a CSV file; got 0`},
		{[]string{"backup"}, `takes 1 argument, the file to write, or - for standard output; got 0`},
		{[]string{"restore"}, `takes 1 argument, the backup file; got 0`},
		{[]string{"promote", "--wait", "soon"}, `invalid argument "soon" for "--wait" flag: time: invalid duration "soon"`},
		{[]string{"replay"}, "at least one of the flags in the group [all workflow-id] is required"},
		{[]string{"replay", "--run-id", "r"}, "at least one of the flags in the group [all workflow-id] is required"},
		{[]string{"replay", "--all", "--workflow-id", "w"}, "[all workflow-id] were all set"},
		{[]string{"replay", "--all", "--run-id", "r"}, "[all run-id] were all set"},
		{[]string{"instance"}, `required flag(s) "dir" not set`},
	} {
		code, out, errs := run(t, tt.args...)
		require.Equal(t, 2, code, tt.args)
		require.Contains(t, errs, tt.says)
		require.Contains(t, errs, "--help\" for usage.\n")
		require.Empty(t, out)
	}
}

// TestTheDataDirectoryIsPrivate starts with one that an older version, or the operator, has left open.
func TestTheDataDirectoryIsPrivate(t *testing.T) {
	dir := isolated(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "blobs"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "admin-key"), nil, 0o600))
	for name, mode := range map[string]os.FileMode{"": 0o755, "blobs": 0o777, "admin-key": 0o644} {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	code, _, errs := run(t, "migrate")
	require.Zero(t, code, errs)
	for name, want := range map[string]os.FileMode{"": 0o700, "blobs": 0o700, "admin-key": 0o600, "customerzero.db": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
	require.NoError(t, os.Chmod(dir, 0o777|os.ModeSticky))
	fails(t, "the directory is shared by all users", "migrate")
}
