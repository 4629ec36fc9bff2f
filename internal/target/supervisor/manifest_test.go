package supervisor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"customerzero/internal/domain/target"
)

func TestManifest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	signed := w.keeper.Manifest()
	verifier, err := note.NewVerifier(signed.Verifier)
	require.NoError(t, err)
	require.Equal(t, "customerzero-cell", verifier.Name())
	opened, err := note.Open([]byte(signed.Note), note.VerifierList(verifier))
	require.NoError(t, err)

	lines := strings.Split(strings.TrimSpace(opened.Text), "\n")
	require.Equal(t, "The 13 critical files of the cell", lines[0])
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
	require.Equal(t, signed, w.keeper.Manifest(), "the key is made once")
}
