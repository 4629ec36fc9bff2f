package supervisor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/supervisor"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	write := func(name, text string) func(*world) error {
		return func(w *world) error { return os.WriteFile(w.path(name), []byte(text), 0o600) }
	}
	remove := func(name string) func(*world) error {
		return func(w *world) error { return os.RemoveAll(w.path(name)) }
	}
	tests := map[string]struct {
		spoil func(w *world) error
		names []string
	}{
		"a missing file":             {remove("live/public/style.css"), []string{target.FileStyle}},
		"a file with a changed byte": {write("live/public/style.css", "the golden public/style.csS"), []string{target.FileStyle}},
		"a file with an added byte":  {write("live/public/style.css", "the golden public/style.css "), []string{target.FileStyle}},
		"a missing folder":           {remove("live/worker"), []string{target.FileRules}},
		"a folder in the place of a file": {func(w *world) error {
			w.replaceBy("live/worker/rules.json", func(path string) error { return os.MkdirAll(path+"/x", 0o700) })
			return nil
		}, []string{target.FileRules}},
		"a file in the place of a folder": {func(w *world) error {
			w.replaceBy("live/worker", func(path string) error { return os.WriteFile(path, nil, 0o600) })
			return nil
		}, []string{target.FileRules}},
		"all files are missing": {remove("live"), target.Files()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			require.NoError(t, tt.spoil(w))
			require.Equal(t, tt.names, w.supervisor.Inspect().Files)
			w.stop()
			w.start(nil)
			require.Equal(t, tt.names, w.supervisor.Inspect().Files, "the supervisor repairs nothing by itself")
			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{Names: tt.names[:1]}, nil))
			require.Equal(t, tt.names[1:], w.supervisor.Inspect().Files, "the named file is restored")
			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{}, nil))
			w.becomesHealthy()
		})
	}
}

func TestFilesThatAreWholeAreNotWritten(t *testing.T) {
	t.Parallel()
	w := setup(t)
	before, err := os.Stat(w.path("live/public/style.css"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{Names: target.Files()}, nil))
	after, err := os.Stat(w.path("live/public/style.css"))
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
}

func TestASupervisorNeedsAKeyAndAReplica(t *testing.T) {
	t.Parallel()
	_, err := supervisor.New(supervisor.Options{Dir: t.TempDir(), Command: []string{"replica"}})
	require.Error(t, err)
	_, err = supervisor.New(supervisor.Options{Dir: t.TempDir(), Key: key})
	require.Error(t, err)
}

func TestManifest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	manifest := func() (signed target.Signed) {
		_, reply := w.send(http.MethodGet, target.PathManifest, key, "")
		require.NoError(t, json.Unmarshal([]byte(reply), &signed))
		return signed
	}
	signed := manifest()
	verifier, err := note.NewVerifier(signed.Verifier)
	require.NoError(t, err)
	require.Equal(t, "customerzero-chaos-target", verifier.Name())
	opened, err := note.Open([]byte(signed.Note), note.VerifierList(verifier))
	require.NoError(t, err)

	lines := strings.Split(strings.TrimSpace(opened.Text), "\n")
	require.Equal(t, "The 13 critical files of the chaos target", lines[0])
	require.Len(t, signed.Files, 13)
	for i, file := range signed.Files {
		data := golden()[file.Name].Data
		sum := sha256.Sum256(data)
		require.Equal(t, target.File{Name: target.Files()[i], Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}, file)
		require.Equal(t, file.SHA256+" "+strconv.Itoa(len(data))+" "+file.Name, lines[i+1])
	}
	_, err = note.Open([]byte(strings.Replace(signed.Note, "13", "12", 1)), note.VerifierList(verifier))
	require.Error(t, err, "a change shows")

	info, err := os.Stat(w.path("manifest.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	w.stop()
	w.start(nil)
	require.Equal(t, signed, manifest(), "the key is created once")
}

const precious = "member data"

// secure creates a file outside, which must be unchanged when the test ends.
func (w *world) secure(name string) string {
	w.Helper()
	path := filepath.Join(w.outside, name)
	require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w, os.WriteFile(path, []byte(precious), 0o600))
	w.Cleanup(func() {
		data, err := os.ReadFile(path)
		require.NoError(w, err)
		require.Equal(w, precious, string(data))
	})
	return path
}

func (w *world) replaceBy(name string, link func(string) error) {
	w.Helper()
	require.NoError(w, os.RemoveAll(w.path(name)))
	require.NoError(w, link(w.path(name)))
}

func TestNothingOutsideIsTouched(t *testing.T) {
	t.Parallel()
	file := func(name, secret string, link func(string, string) error) func(*world) {
		return func(w *world) {
			w.replaceBy(name, func(path string) error { return link(w.secure(secret), path) })
		}
	}
	folder := func(name, secret string) func(*world) {
		return file(name, secret, func(to, path string) error { return os.Symlink(filepath.Dir(to), path) })
	}
	const image, rules = "public/og-image.png differs from the manifest", "worker/rules.json differs from the manifest"
	tests := map[string]struct {
		fault, says string
		arrange     func(w *world)
	}{
		"a folder of files that is a link":      {"delete-og-image", image, folder("live/public", "public/og-image.png")},
		"a picture that is a link":              {"delete-og-image", image, file("live/public/og-image.png", "og-image.png", os.Symlink)},
		"rules that are a link":                 {"corrupt-worker", rules, file("live/worker/rules.json", "rules.json", os.Symlink)},
		"rules with a second name outside":      {"corrupt-worker", rules, file("live/worker/rules.json", "rules.json", os.Link)},
		"templates that are a link":             {"delete-templates", "the templates folder is missing", folder("live/templates", "templates/home.html")},
		"a database that is a link":             {"break-database", "The database file target.db is not a plain file.", file("target.db", "production.db", os.Symlink)},
		"a database with a second name outside": {"break-database", "The database file target.db is not a plain file.", file("target.db", "production.db", os.Link)},
		"a log of the database that is a link":  {"break-database", "The database file target.db-wal is not a plain file.", file("target.db-wal", "production.db-wal", os.Symlink)},
		"all files in a link": {"delete-templates", "contains a link or special file", func(w *world) {
			w.secure("live/templates/home.html")
			w.replaceBy("live", func(path string) error { return os.Symlink(filepath.Join(w.outside, "live"), path) })
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			tt.arrange(w)
			require.Contains(t, w.refused(tt.fault, "run_1"), tt.says)
			require.Contains(t, w.refused("nuclear-option", "run_2"), tt.says)
			require.NoFileExists(t, w.path("lease.json"))

			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{}, nil))
			require.Equal(t, http.StatusOK, w.order(target.PathDatabase, struct{}{}, nil))
			w.becomesHealthy() // the link was replaced
			w.breakIt("nuclear-option", "run_3", time.Minute)
			require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_3"}, nil))
			w.becomesHealthy()
		})
	}
}
