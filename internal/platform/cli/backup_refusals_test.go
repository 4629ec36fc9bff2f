package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// lived is a data directory with rows and a secret, which nobody uses now.
func lived(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	key, err := keyring.New("k1")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret-keys"), []byte(key), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "admin-key"), []byte("k"), 0o600))
	ring, err := keyring.Parse(key)
	require.NoError(t, err)
	db := storetest.Open(t, "sqlite:"+filepath.Join(dir, "customerzero.db"))
	db.UseKeys(ring)
	require.NoError(t, db.Bot.SeedConnection(t.Context(), bot.Tokens{AccessToken: "1-token", AccessSecret: "hush-hush"}, "bot", time.Now()))
	return dir
}

func TestABackupIsCarefulWithFiles(t *testing.T) {
	t.Parallel()
	dir := lived(t)
	file, _ := backUp(t, dir)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoFileExists(t, file+".partial")

	said, err := program(dir, nil, "backup", file)
	require.Error(t, err)
	require.Contains(t, said, "is there already, and backups are never overwritten")
	require.NoError(t, os.Rename(file, file+".partial")) // as if another had been cut off
	said, err = program(dir, nil, "backup", file)
	require.NoError(t, err, said)
	said, err = program(t.TempDir(), []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}, "backup", "--verify", file)
	require.NoError(t, err, said)
	require.Contains(t, said, "is whole")

	said, err = program(t.TempDir(), nil, "backup", file+"2")
	require.Error(t, err)
	require.Contains(t, said, "there is no database at")
}

func TestABackupGoesToTheStandardOutput(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "backup", "-")
	cmd.Env = append(os.Environ(), "DATA_DIR="+lived(t), "DATABASE_URL=", "SECRET_KEYS=")
	out, err := cmd.Output()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "piped.tar.gz")
	require.NoError(t, os.WriteFile(file, out, 0o600))
	require.Len(t, read(t, file).Keys, 1)
}

func TestARestoreIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	dir := lived(t)
	file, _ := backUp(t, dir)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.tar.gz")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)-10], 0o600))
	other, err := keyring.New("k2")
	require.NoError(t, err)
	same, err := keyring.New("k1")
	require.NoError(t, err)

	for name, tt := range map[string]struct {
		file, dir string
		settings  []string
		says      string
	}{
		"no file":            {file + "?", "", nil, "the backup cannot be read"},
		"cut off":            {cut, "", nil, "cannot be used: the backup is damaged: it ends too early"},
		"no keys":            {file, "", nil, "its keys are not here; set SECRET_KEYS, or put secret-keys into"},
		"other keys":         {file, "", []string{"SECRET_KEYS=" + other}, `SECRET_KEYS lacks the key "k1"`},
		"keys of that name":  {file, "", []string{"SECRET_KEYS=" + same}, "put the right one back"},
		"where it came from": {file, dir, nil, "the database is not empty"},
		"a Postgres that is away": {
			file, dir, []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}, "the database of DATABASE_URL does not answer",
		},
	} {
		place := tt.dir
		if place == "" {
			place = t.TempDir()
		}
		said, err := program(place, tt.settings, "restore", tt.file)
		require.Error(t, err, name)
		require.Contains(t, said, tt.says, name)
		require.Equal(t, 1, strings.Count(said, "\n"), "%s: one sentence: %s", name, said)
		if tt.dir == "" {
			require.NoFileExists(t, filepath.Join(place, "customerzero.db"), name)
		}
	}
}

// The limit on the size of files stands in for a full disk: a write fails in the middle.
// Proves: F24
func TestAFullDiskLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := lived(t)
	file, _ := backUp(t, dir)
	full := func(dir string, args ...string) string {
		cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 16; exec "$@"`, "sh", os.Args[0]}, args...)...)
		cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "DATABASE_URL=", "SECRET_KEYS=", "TMPDIR="+t.TempDir())
		said, err := cmd.CombinedOutput()
		require.Error(t, err, string(said))
		return string(said)
	}
	small := filepath.Join(t.TempDir(), "small.tar.gz")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sandbox-x.jsonl"), []byte(strings.Repeat("a line of the world\n", 2000)), 0o600))
	require.Contains(t, full(dir, "backup", small), "the backup was not written")
	require.NoFileExists(t, small)
	require.NoFileExists(t, small+".partial")

	place := t.TempDir()
	for _, key := range []string{"secret-keys"} {
		text, err := os.ReadFile(filepath.Join(dir, key))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(place, key), text, 0o600))
	}
	require.Contains(t, full(place, "restore", file), "nothing was restored")
	left, err := filepath.Glob(filepath.Join(place, "*.db*"))
	require.NoError(t, err)
	require.Empty(t, left)
	said, err := program(place, nil, "restore", file)
	require.NoError(t, err, said)
	s, err := store.Open("sqlite:" + filepath.Join(place, "customerzero.db"))
	require.NoError(t, err)
	require.NoError(t, s.CheckSchema(t.Context()))
	require.NoError(t, s.Close())
}
