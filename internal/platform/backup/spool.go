package backup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"customerzero/internal/store"
)

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
