package supervisor_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

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
			require.Equal(t, tt.names, w.keeper.Inspect().Files)
			w.stop()
			w.start(nil)
			require.Equal(t, tt.names, w.keeper.Inspect().Files, "the keeper mends nothing by itself")
			require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{Names: tt.names[:1]}, nil))
			require.Equal(t, tt.names[1:], w.keeper.Inspect().Files, "what was named is back")
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

func TestAKeeperNeedsAKeyAndAReplica(t *testing.T) {
	t.Parallel()
	_, err := supervisor.New(supervisor.Options{Dir: t.TempDir(), Command: []string{"replica"}})
	require.Error(t, err)
	_, err = supervisor.New(supervisor.Options{Dir: t.TempDir(), Key: key})
	require.Error(t, err)
}
