package backup_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/backup"
)

// A file is a backup of ours, whole, or it is refused with one sentence. The archive is packed here:
// gzip's checksum would let nothing through that was changed.
func FuzzVerify(f *testing.F) {
	whole := unpackedArchive(f, pack(f,
		entry{"customerzero-backup.json", []byte(`{"format":1}`)},
		entry{"tables/posts.jsonl", nil}, entry{"files/a", nil},
		entry{"manifest.json", []byte(`{"format":1,"tables":{"posts":{"rows":0,"sha256":"` + emptySum + `"}},"files":[{"name":"a","bytes":0,"sha256":"` + emptySum + `"}]}`)},
	))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.Replace(whole, []byte("posts.jsonl"), []byte("../ts.jsonl"), 1))
	f.Add(unpackedArchive(f, pack(f, entry{"customerzero-backup.json", []byte(`{"format":2}`)})))
	f.Add(unpackedArchive(f, pack(f, entry{"customerzero-backup.json", []byte(`{"format":1}`)}, entry{"manifest.json", []byte(`null`)})))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, archive []byte) {
		refusedInASentence(t, archive)
		var packed bytes.Buffer
		out := gzip.NewWriter(&packed)
		_, err := out.Write(archive)
		require.NoError(t, err)
		require.NoError(t, out.Close())
		refusedInASentence(t, packed.Bytes())
	})
}

// emptySum is the SHA-256 of nothing.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func refusedInASentence(t *testing.T, file []byte) {
	t.Helper()
	contents, err := backup.Verify(bytes.NewReader(file), nil)
	if err == nil {
		require.Equal(t, 1, contents.Format)
		return
	}
	require.NotContains(t, err.Error(), "\n")
	require.LessOrEqual(t, len(err.Error()), 600)
	require.True(t, errors.Is(err, backup.ErrForeign) || strings.HasPrefix(err.Error(), "the backup "), err)
}

func unpackedArchive(f *testing.F, file []byte) []byte {
	f.Helper()
	in, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(f, err)
	var archive bytes.Buffer
	_, err = archive.ReadFrom(in)
	require.NoError(f, err)
	return archive.Bytes()
}
