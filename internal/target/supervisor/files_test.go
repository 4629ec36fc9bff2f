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
	tests := map[string]struct {
		spoil func(w *world) error
		names []string
	}{
		"a file that is gone": {func(w *world) error { return os.Remove(w.path("live/public/style.css")) }, []string{target.FileStyle}},
		"a file with a changed byte": {func(w *world) error {
			return os.WriteFile(w.path("live/public/style.css"), []byte("the golden public/style.csS"), 0o600)
		}, []string{target.FileStyle}},
		"a file that goes on": {func(w *world) error {
			return os.WriteFile(w.path("live/public/style.css"), []byte("the golden public/style.css "), 0o600)
		}, []string{target.FileStyle}},
		"a folder that is gone": {func(w *world) error { return os.RemoveAll(w.path("live/worker")) }, []string{target.FileRules}},
		"a folder in the place of a file": {func(w *world) error {
			w.replaceBy("live/worker/rules.json", func(path string) error { return os.MkdirAll(path+"/x", 0o700) })
			return nil
		}, []string{target.FileRules}},
		"a file in the place of a folder": {func(w *world) error {
			w.replaceBy("live/worker", func(path string) error { return os.WriteFile(path, nil, 0o600) })
			return nil
		}, []string{target.FileRules}},
		"all files are gone": {func(w *world) error { return os.RemoveAll(w.path("live")) }, target.Files()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			require.NoError(t, tt.spoil(w))
			require.Equal(t, tt.names, w.supervisor.Inspect().Files)
			w.stop()
			w.start(nil)
			require.Equal(t, tt.names, w.supervisor.Inspect().Files, "the supervisor mends nothing by itself")
			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{Names: tt.names[:1]}, nil))
			require.Equal(t, tt.names[1:], w.supervisor.Inspect().Files, "what was named is back")
			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{}, nil))
			w.becomesWell()
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
		_, said := w.send(http.MethodGet, target.PathManifest, key, "")
		require.NoError(t, json.Unmarshal([]byte(said), &signed))
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
	require.Equal(t, signed, manifest(), "the key is made once")
}

const precious = "what the members own"

// secure makes a file outside, which must be as it was when the test ends.
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
	symlink := func(to string) func(string) error { return func(name string) error { return os.Symlink(to, name) } }
	hardlink := func(to string) func(string) error { return func(name string) error { return os.Link(to, name) } }
	tests := map[string]struct {
		fault, says string
		arrange     func(w *world)
	}{
		"a folder of files that is a link": {"delete-og-image", "public/og-image.png is not what the manifest says", func(w *world) {
			w.replaceBy("live/public", symlink(filepath.Dir(w.secure("public/og-image.png"))))
		}},
		"a picture that is a link": {"delete-og-image", "public/og-image.png is not what the manifest says", func(w *world) {
			w.replaceBy("live/public/og-image.png", symlink(w.secure("og-image.png")))
		}},
		"rules that are a link": {"corrupt-worker", "worker/rules.json is not what the manifest says", func(w *world) {
			w.replaceBy("live/worker/rules.json", symlink(w.secure("rules.json")))
		}},
		"rules with a second name outside": {"corrupt-worker", "worker/rules.json is not what the manifest says", func(w *world) {
			w.replaceBy("live/worker/rules.json", hardlink(w.secure("rules.json")))
		}},
		"templates that are a link": {"delete-templates", "the templates folder is not there", func(w *world) {
			w.replaceBy("live/templates", symlink(filepath.Dir(w.secure("templates/home.html"))))
		}},
		"a database that is a link": {"break-database", "The database file target.db is not a plain file.", func(w *world) {
			w.replaceBy("target.db", symlink(w.secure("production.db")))
		}},
		"a database with a second name outside": {"break-database", "The database file target.db is not a plain file.", func(w *world) {
			w.replaceBy("target.db", hardlink(w.secure("production.db")))
		}},
		"a log of the database that is a link": {"break-database", "The database file target.db-wal is not a plain file.", func(w *world) {
			w.replaceBy("target.db-wal", symlink(w.secure("production.db-wal")))
		}},
		"all files in a link": {"delete-templates", "is a link, or no plain file", func(w *world) {
			w.secure("live/templates/home.html")
			w.replaceBy("live", symlink(filepath.Join(w.outside, "live")))
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
			w.becomesWell() // the link was replaced
			w.breakIt("nuclear-option", "run_3", time.Minute)
			require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_3"}, nil))
			w.becomesWell()
		})
	}
}
