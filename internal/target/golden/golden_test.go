package golden_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

func TestTheGoldenCopyHoldsExactlyTheCriticalFiles(t *testing.T) {
	t.Parallel()
	var found []string
	require.NoError(t, fs.WalkDir(golden.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, name)
		}
		return err
	}))
	wanted := target.Files()
	require.Len(t, wanted, 13)
	slices.Sort(wanted)
	slices.Sort(found)
	require.Equal(t, wanted, found)
}

func TestNoGoldenFileIsEmptyAndThePictureIsSmall(t *testing.T) {
	t.Parallel()
	for _, name := range target.Files() {
		text, err := fs.ReadFile(golden.FS, name)
		require.NoError(t, err)
		require.NotEmpty(t, text, name)
		require.Less(t, len(text), 60<<10, name)
	}
}
