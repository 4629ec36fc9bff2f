package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/backup"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var november = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// world is a data directory in use.
type world struct {
	dir      string
	db       *store.DB
	pictures *blob.Store
}

func newWorld(t *testing.T, kind string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), db: storetest.New(t, kind)}
	var err error
	w.pictures, err = blob.Open(filepath.Join(w.dir, "blobs"))
	require.NoError(t, err)
	return w
}

// approve keeps a picture, and a row that names it.
func (w *world) approve(t *testing.T, text string) (key string) {
	t.Helper()
	key, err := w.pictures.Put(t.Context(), []byte(text))
	require.NoError(t, err)
	w.name(t, key)
	return key
}

func (w *world) name(t *testing.T, key string) {
	t.Helper()
	run := verification.Run{ID: xid.New().String(), URL: "http://x/", Path: "/", RequestedBy: verification.Founders, OpenKey: new(key), RequestedAt: november}
	require.NoError(t, w.db.Verifications.RequestVerification(t.Context(), run, ""))
	require.NoError(t, w.db.Verifications.ApproveLook(t.Context(), []verification.Baseline{{
		ID: xid.New().String(), Path: "/", Theme: verification.Light, Viewport: "wide", Picture: key, Width: 1, Height: 1,
		Masks: []verification.Rect{}, RunID: run.ID, Reason: "new", ApprovedBy: "@ada", ApprovedAt: november,
	}}))
}

func (w *world) source(t *testing.T) backup.Source {
	t.Helper()
	return backup.Source{DB: w.db, Pictures: w.pictures, ChaosRuns: 50, Program: "test", Spool: t.TempDir(), Now: time.Now}
}

func (w *world) write(t *testing.T) ([]byte, backup.Manifest) {
	t.Helper()
	var out bytes.Buffer
	written, err := backup.Write(t.Context(), w.source(t), &out)
	require.NoError(t, err)
	return out.Bytes(), written
}

// entry is one of a backup's.
type entry struct {
	name string
	data []byte
}

func unpack(t *testing.T, file []byte) (entries []entry) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	for in := tar.NewReader(packed); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		entries = append(entries, entry{header.Name, data})
	}
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	in := tar.NewWriter(packed)
	for _, e := range entries {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(e.name, "/") {
			kind = tar.TypeDir
		}
		require.NoError(t, in.WriteHeader(&tar.Header{Typeflag: kind, Name: e.name, Size: int64(len(e.data)), Mode: 0o600}))
		_, err := in.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, in.Close())
	require.NoError(t, packed.Close())
	return out.Bytes()
}

// place is an empty one.
func place(t *testing.T, kind string, files ...string) backup.Target {
	t.Helper()
	w := newWorld(t, kind)
	return backup.Target{DB: w.db, Pictures: w.pictures, Dir: w.dir, Files: files}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
