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
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"customerzero/internal/clients/blob"
	"customerzero/internal/store"
)

// Source is what a backup is taken of. It may be in use all the while.
type Source struct {
	DB        *store.DB
	Pictures  *blob.Store // nil: there is no such folder here
	ChaosRuns int         // so many of the newest keep their pictures
	Files     []LiveFile
	Program   string
	Spool     string // a folder with room for the largest table, and for Temporal's file
	Progress  *Progress
	Now       func() time.Time
}

// LiveFile is a file that others write to.
type LiveFile struct {
	Name, Path string
	SQLite     bool // copied through SQLite, as of one moment
}

// Write writes a backup. Its rows are of one moment, and the order of the rest matters:
//
//   - a picture that a row named before may be swept while the rows are read, so it is copied
//     first; one that only the moment's rows name is new, and the sweep leaves it for an hour;
//   - a Temporal that is older than the rows asks them how far its runs are, and goes on from
//     there; one that is newer would believe that it had done what they do not know;
//   - the sandboxes play the world outside, which is never older than what we know of it.
func Write(ctx context.Context, from Source, out io.Writer) (Manifest, error) {
	packed := gzip.NewWriter(out)
	w := &writer{ctx: ctx, from: from, tar: tar.NewWriter(packed), copied: map[string]bool{}}
	w.m = Manifest{Format: format, Program: from.Program, Tables: map[string]store.Digest{}}
	err := w.write()
	if err == nil {
		err = errors.Join(w.tar.Close(), packed.Close())
	}
	return w.m, err
}

type writer struct {
	ctx    context.Context // of one call of Write
	from   Source
	tar    *tar.Writer
	copied map[string]bool // pictures
	m      Manifest
}

func (w *writer) write() error {
	if err := w.json(markName, mark{format}); err != nil {
		return err
	}
	if err := w.namedBefore(); err != nil {
		return err
	}
	if err := w.files(true); err != nil {
		return err
	}
	w.m.TakenAt = w.from.Now().UTC().Truncate(time.Microsecond)
	if err := w.from.DB.Snapshot(w.ctx, w.moment); err != nil {
		return err
	}
	if err := w.files(false); err != nil {
		return err
	}
	return w.json(manifestName, w.m)
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

// namedBefore copies the pictures that rows name now. Some may be gone already, with the rows.
func (w *writer) namedBefore() error {
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

// moment writes what the snapshot holds.
func (w *writer) moment(s *store.Snapshot) error {
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
		return fmt.Errorf("none of the %d pictures that the rows name is here: run this where the worker keeps them, with its DATA_DIR", missing)
	}
	for _, table := range s.Tables {
		if err := w.table(s, table); err != nil {
			return err
		}
	}
	return nil
}

// blobs copies what was not copied yet, and lists what is not to be had.
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

// table spools a table first: a tar says how long a file is before it comes.
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
		source, forget, err := w.still(f)
		if err != nil {
			return err
		}
		defer forget()
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

// spooled lets fill write to a file without a name, and puts it into the backup then.
func (w *writer) spooled(name string, fill func(io.Writer) error) (err error) {
	spool, err := os.CreateTemp(w.from.Spool, ".customerzero-spool-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	if err := os.Remove(spool.Name()); err != nil { // gone with us, however we end
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

// still opens a file as it is at one moment. What is written line by line may grow meanwhile;
// what is there when it is opened is taken, up to its last whole line.
func (w *writer) still(f LiveFile) (source io.Reader, forget func(), err error) {
	if !f.SQLite {
		return wholeLines(f.Path)
	}
	dir, err := os.MkdirTemp(w.from.Spool, ".customerzero-copy-")
	if err != nil {
		return nil, nil, err
	}
	removed := func() { _ = os.RemoveAll(dir) }
	copied := filepath.Join(dir, f.Name)
	if err := store.CopySQLite(w.ctx, f.Path, copied); err != nil {
		removed()
		return nil, nil, err
	}
	file, err := os.Open(copied)
	if err != nil {
		removed()
		return nil, nil, err
	}
	return file, func() { _ = file.Close(); removed() }, nil
}

func wholeLines(path string) (io.Reader, func(), error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	forget := func() { _ = file.Close() }
	end, err := file.Seek(0, io.SeekEnd)
	for last := make([]byte, 1); err == nil && end > 0; end-- {
		if _, err = file.ReadAt(last, end-1); last[0] == '\n' {
			break
		}
	}
	if err != nil {
		forget()
		return nil, nil, err
	}
	return io.NewSectionReader(file, 0, end), forget, nil
}

// Progress tells people how far long work is: nothing within the first second, and then once
// a second. A nil one tells nothing.
type Progress struct {
	Out  io.Writer
	What string // is being done

	began, said    time.Time
	rows, pictures int
}

func (p *Progress) row(n int) {
	if p != nil {
		p.rows += n
		p.say()
	}
}

func (p *Progress) picture() {
	if p != nil {
		p.pictures++
		p.say()
	}
}

func (p *Progress) say() {
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.said = now, now
	}
	if now.Sub(p.said) < time.Second {
		return
	}
	p.said = now
	perSecond := float64(p.rows) / now.Sub(p.began).Seconds()
	_, _ = fmt.Fprintf(p.Out, "%s: %d rows and %d pictures so far, %.0f rows/s\n", p.What, p.rows, p.pictures, perSecond)
}

// Write counts lines that pass by.
func (p *Progress) Write(lines []byte) (int, error) {
	p.row(bytes.Count(lines, []byte{'\n'}))
	return len(lines), nil
}
