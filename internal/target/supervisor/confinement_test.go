package supervisor_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
)

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
	symlink := func(to string) func(string) error {
		return func(name string) error { return os.Symlink(to, name) }
	}
	hardlink := func(to string) func(string) error {
		return func(name string) error { return os.Link(to, name) }
	}
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
		"a database that is a link": {"break-database", "The database file cell.db is not a plain file.", func(w *world) {
			w.replaceBy("cell.db", symlink(w.secure("production.db")))
		}},
		"a database with a second name outside": {"break-database", "The database file cell.db is not a plain file.", func(w *world) {
			w.replaceBy("cell.db", hardlink(w.secure("production.db")))
		}},
		"a log of the database that is a link": {"break-database", "The database file cell.db-wal is not a plain file.", func(w *world) {
			w.replaceBy("cell.db-wal", symlink(w.secure("production.db-wal")))
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
