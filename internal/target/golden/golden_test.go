package golden_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

func TestTheGoldenCopyHoldsExactlyTheCriticalFiles(t *testing.T) {
	t.Parallel()
	var found []string
	require.NoError(t, fs.WalkDir(golden.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		found = append(found, name)
		info, err := entry.Info()
		require.Positive(t, info.Size(), name)
		require.Less(t, info.Size(), int64(60<<10), name)
		return err
	}))
	require.Len(t, target.Files(), 13)
	require.ElementsMatch(t, target.Files(), found)
}
