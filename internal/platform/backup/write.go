package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"customerzero/internal/clients/blob"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

// Source is the data to back up. It may be in use.
type Source struct {
	DB        *store.DB
	Pictures  *blob.Store // nil if there are none
	ChaosRuns int         // number of newest runs that keep their screenshots
	Files     []LiveFile
	Program   string
	Keys      *keyring.Ring // the first one authenticates the backup
	Spool     string        // a directory with space for the largest table and Temporal's database
	Progress  *Progress
	Now       func() time.Time
}

// LiveFile is a file that other processes write.
type LiveFile struct {
	Name, Path string
	SQLite     bool // copied with SQLite, as a consistent snapshot
}

// Write writes a backup. Its rows are a consistent snapshot, and the order of the rest matters:
//
//   - screenshots are copied before the rows, because the sweep may remove them while the rows are read; the sweep
//     keeps new ones for an hour;
//   - Temporal's database is copied before the rows: its runs resume from newer rows, but a newer Temporal would
//     assume steps that the rows do not have;
//   - the sandboxes come last, because they simulate external services, which are never older than the rows.
func Write(ctx context.Context, from Source, out io.Writer) (Manifest, error) {
	packed := gzip.NewWriter(out)
	w := &writer{ctx: ctx, from: from, tar: tar.NewWriter(packed), copied: map[string]bool{}, names: sha256.New()}
	w.m = Manifest{Format: format, Program: from.Program, Tables: map[string]store.Digest{}}
	err := w.write()
	if err == nil {
		err = errors.Join(w.tar.Close(), packed.Close())
	}
	return w.m, err
}

type writer struct {
	ctx    context.Context // of the call of Write
	from   Source
	tar    *tar.Writer
	copied map[string]bool // screenshots
	names  hash.Hash       // of their names
	m      Manifest
}

func (w *writer) write() error {
	if err := w.json(markName, mark{format}); err != nil {
		return err
	}
	if err := w.currentBlobs(); err != nil {
		return err
	}
	if err := w.files(true); err != nil {
		return err
	}
	w.m.TakenAt = w.from.Now().UTC().Truncate(time.Microsecond)
	if err := w.from.DB.Snapshot(w.ctx, w.snapshot); err != nil {
		return err
	}
	if err := w.files(false); err != nil {
		return err
	}
	w.m.Blobs.SHA256 = hex.EncodeToString(w.names.Sum(nil))
	text, err := json.MarshalIndent(w.m, "", "  ")
	if err != nil {
		return err
	}
	if len(text) > mostJSON {
		return fmt.Errorf("its manifest takes %d bytes, but at most %d can be read", len(text), mostJSON)
	}
	return errors.Join(w.bytes(manifestName, text), w.bytes(macName, sign(w.from.Keys, text)))
}

func (w *writer) files(databases bool) error {
	for _, file := range w.from.Files {
		if file.SQLite != databases {
			continue
		}
		if err := w.file(file); err != nil {
			return err
		}
	}
	return nil
}

// currentBlobs copies the current rows' screenshots. Some may be removed at the same time, with their rows.
func (w *writer) currentBlobs() error {
	var named []string
	err := w.from.DB.Snapshot(w.ctx, func(s *store.Snapshot) (err error) {
		named, err = s.Images(w.from.ChaosRuns)
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.blobs(named)
	return err
}

// snapshot writes the rows and the screenshots that were not copied yet.
func (w *writer) snapshot(s *store.Snapshot) error {
	w.m.Schema, w.m.Dialect = s.Version, s.Dialect()
	var err error
	if w.m.Keys, err = s.Keys(); err != nil {
		return err
	}
	named, err := s.Images(w.from.ChaosRuns)
	if err != nil {
		return err
	}
	if w.m.Blobs.Missing, err = w.blobs(named); err != nil {
		return err
	}
	if missing := len(w.m.Blobs.Missing); missing > 0 && missing == len(named) {
		return fmt.Errorf("none of the %d screenshots was found; run this with the DATA_DIR of the worker, which stores them", missing)
	}
	for _, table := range s.Tables {
		if err := w.table(s, table); err != nil {
			return err
		}
	}
	return nil
}

// blobs copies screenshots that were not copied yet and lists those that are missing.
func (w *writer) blobs(keys []string) (missing []string, err error) {
	for _, key := range keys {
		if w.copied[key] {
			continue
		}
		data, err := w.picture(key)
		if w.ctx.Err() != nil {
			return nil, w.ctx.Err()
		}
		if err != nil {
			missing = append(missing, key)
			continue
		}
		if err := w.bytes(path.Join(blobFolder, key), data); err != nil {
			return nil, err
		}
		w.copied[key] = true
		_, _ = io.WriteString(w.names, key+"\n") // does not fail
		w.m.Blobs.Count++
		w.m.Blobs.Bytes += int64(len(data))
		w.from.Progress.picture()
	}
	return missing, nil
}

func (w *writer) picture(key string) ([]byte, error) {
	if w.from.Pictures == nil {
		return nil, os.ErrNotExist
	}
	return w.from.Pictures.Get(w.ctx, key)
}

// table spools a table first, because a tar header has the size.
func (w *writer) table(s *store.Snapshot, t store.Table) error {
	return w.spooled(path.Join(tableFolder, t.Name+tableEnding), func(to io.Writer) error {
		digest, err := s.Write(t, io.MultiWriter(to, w.from.Progress))
		w.m.Tables[t.Name] = digest
		return err
	})
}

func (w *writer) file(f LiveFile) error {
	sum := sha256.New()
	var size int64
	err := w.spooled(path.Join(fileFolder, f.Name), func(to io.Writer) error {
		source, release, err := w.open(f)
		if err != nil {
			return err
		}
		defer release()
		size, err = io.Copy(io.MultiWriter(to, sum), source)
		return err
	})
	w.m.Files = append(w.m.Files, File{f.Name, size, hex.EncodeToString(sum.Sum(nil))})
	return err
}

func (w *writer) json(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return w.bytes(name, append(text, '\n'))
}

func (w *writer) bytes(name string, data []byte) error {
	if err := w.header(name, int64(len(data))); err != nil {
		return err
	}
	_, err := w.tar.Write(data)
	return err
}

func (w *writer) header(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.from.Now().Truncate(time.Second)})
}

// spooled lets fill write to an unlinked temporary file and copies it to the backup.
func (w *writer) spooled(name string, fill func(io.Writer) error) (err error) {
	spool, err := os.CreateTemp(w.from.Spool, ".customerzero-spool-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	if err := os.Remove(spool.Name()); err != nil { // the file disappears with this process
		return err
	}
	buffered := bufio.NewWriterSize(spool, 1<<16)
	if err := fill(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	size, err := spool.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.header(name, size); err != nil {
		return err
	}
	if n, err := io.Copy(w.tar, spool); err != nil || n != size {
		return errors.Join(err, fmt.Errorf("%d of %d bytes of %s", n, size, name))
	}
	return nil
}

// open opens a consistent copy of a file: an SQLite snapshot, or the complete lines that exist now.
func (w *writer) open(f LiveFile) (source io.Reader, release func(), err error) {
	if !f.SQLite {
		return wholeLines(f.Path)
	}
	dir, err := os.MkdirTemp(w.from.Spool, ".customerzero-copy-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	copied := filepath.Join(dir, f.Name)
	if err := store.CopySQLite(w.ctx, f.Path, copied); err != nil {
		remove()
		return nil, nil, err
	}
	file, err := os.Open(copied)
	if err != nil {
		remove()
		return nil, nil, err
	}
	return file, func() { _ = file.Close(); remove() }, nil
}

func wholeLines(path string) (io.Reader, func(), error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	release := func() { _ = file.Close() }
	end, err := file.Seek(0, io.SeekEnd)
	for last := make([]byte, 1); err == nil && end > 0; end-- {
		if _, err = file.ReadAt(last, end-1); last[0] == '\n' {
			break
		}
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return io.NewSectionReader(file, 0, end), release, nil
}

// Progress prints the progress of long work: a line a second, none within the first. A nil Progress prints nothing.
type Progress struct {
	Out  io.Writer
	What string // such as "restoring"

	began, printed time.Time
	rows, pictures int
}

func (p *Progress) row(n int) {
	if p != nil {
		p.rows += n
		p.print()
	}
}

func (p *Progress) picture() {
	if p != nil {
		p.pictures++
		p.print()
	}
}

func (p *Progress) print() {
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.printed = now, now
	}
	if now.Sub(p.printed) < time.Second {
		return
	}
	p.printed = now
	perSecond := float64(p.rows) / now.Sub(p.began).Seconds()
	_, _ = fmt.Fprintf(p.Out, "%s: %d rows and %d screenshots so far, %.0f rows/s\n", p.What, p.rows, p.pictures, perSecond)
}

// Write counts the lines of a table.
func (p *Progress) Write(lines []byte) (int, error) {
	p.row(bytes.Count(lines, []byte{'\n'}))
	return len(lines), nil
}
