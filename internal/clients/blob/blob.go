// Package blob keeps files by what is in them. A file is written once, and never changed.
//
// A file is at dir/ab/abcd…, by its sha256. What else is in the directory is left alone.
package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/confined"
)

// maxSize is what a file may have, in bytes. Pictures of pages have far less.
const maxSize = 32 << 20

// Store is a directory of files, named by their sha256. It is safe for concurrent use, also of
// several processes.
type Store struct {
	dir  string
	root *os.Root // no name and no link leads out of it
	mu   sync.Mutex
}

// Open makes the directory if it is not there.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, root: root}, nil
}

// Put keeps data, and returns its sha256 in hexadecimal. It is on the disk when Put returns. A
// file that is there already counts as new again: Sweep leaves it to whoever puts it now.
func (s *Store) Put(ctx context.Context, data []byte) (key string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(data) > maxSize {
		return "", fmt.Errorf("put a file: %d bytes are too many", len(data))
	}
	key = keyOf(data)
	there, err := s.renew(key, data)
	if err == nil && !there {
		err = s.write(key, data)
	}
	if err == nil {
		err = s.settle(key)
	}
	if err != nil {
		return "", fmt.Errorf("put a file: %w", err)
	}
	return key, nil
}

// Get reads a file again. What is not there, or is no key, is NotFound; what was damaged on
// the disk is an error.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !isKey.MatchString(key) {
		return nil, notFound()
	}
	data, err := s.read(key)
	if err != nil {
		return nil, err
	}
	if keyOf(data) != key {
		return nil, fmt.Errorf("the file %s was damaged on the disk", key)
	}
	return data, nil
}

// Sweep removes the files that are older than the time and not to be kept, and returns how many
// it removed.
func (s *Store) Sweep(ctx context.Context, keep map[string]bool, olderThan time.Time) (removed int, err error) {
	names, err := s.stale(keep, olderThan)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		gone, err := s.removeOlder(name, olderThan)
		if err != nil {
			return removed, err
		}
		if gone {
			removed++
		}
	}
	return removed, nil
}

func keyOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func pathOf(key string) string { return filepath.Join(key[:2], key) }

// alone is for the moments in which a file is named or removed: Sweep must not look at an old
// file, and remove the one that is put meanwhile.
func (s *Store) alone(do func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := flock.New(filepath.Join(s.dir, "lock"))
	if err := others.Lock(); err != nil {
		return err
	}
	defer func() { _ = others.Close() }()
	return do()
}

// Keys lists the files that are there.
func (s *Store) Keys() ([]string, error) {
	names, err := s.stale(nil, time.Now().AddDate(1, 0, 0)) // whatever their age
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range names {
		if key := filepath.Base(name); isKey.MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func notFound() error { return problem.New(problem.NotFound, "There is no such file.") }

// renew makes a file that is there as young as a new one. One that was damaged is not there.
func (s *Store) renew(key string, data []byte) (there bool, err error) {
	kept, err := s.read(key)
	if problem.CodeOf(err) == problem.NotFound || err == nil && !bytes.Equal(kept, data) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.alone(func() error {
		now := time.Now()
		return s.root.Chtimes(pathOf(key), now, now)
	})
	if errors.Is(err, fs.ErrNotExist) { // it was swept just now
		return false, nil
	}
	return err == nil, err
}

// write makes the file as a whole, or not at all.
func (s *Store) write(key string, data []byte) error {
	fresh := newPrefix + rand.Text()
	err := s.fill(fresh, data)
	if err == nil {
		err = s.root.Mkdir(key[:2], 0o700)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = s.alone(func() error { return s.root.Rename(fresh, pathOf(key)) })
	}
	if err != nil {
		return errors.Join(err, confined.Remove(s.root, fresh))
	}
	return nil
}

func (s *Store) fill(name string, data []byte) error {
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// settle makes the names survive a power cut, also those that somebody else has just made.
func (s *Store) settle(key string) error {
	return errors.Join(confined.SyncDir(s.root, key[:2]), confined.SyncDir(s.root, "."))
}

func (s *Store) read(key string) (data []byte, err error) {
	info, err := s.root.Lstat(pathOf(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, fmt.Errorf("the file %s is none of ours", key)
	}
	file, err := s.root.Open(pathOf(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(io.LimitReader(file, maxSize))
}
