// Package blob stores immutable files under the SHA-256 of their content.
//
// A file is at dir/ab/abcd…; other files in the directory are left alone.
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

// maxSize is the largest file in bytes. Screenshots are far smaller.
const maxSize = 32 << 20

// Store is a directory of files named by their SHA-256. It is safe for concurrent use by several processes.
type Store struct {
	dir  string
	root *os.Root // confines names and links to dir
	mu   sync.Mutex
}

// Open opens a store and creates its directory if necessary.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the operator chooses DATA_DIR
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, root: root}, nil
}

// Put stores data durably and returns its SHA-256 in hexadecimal. It renews the age of an existing file, so
// that Sweep keeps it.
func (s *Store) Put(ctx context.Context, data []byte) (key string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(data) > maxSize {
		return "", fmt.Errorf("put a file: %d bytes exceed the limit", len(data))
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

// Get reads a file. An unknown or invalid key is a NotFound problem; a damaged file is an error.
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
		return nil, fmt.Errorf("the file %s is damaged on disk", key)
	}
	return data, nil
}

// Sweep removes files that are older than olderThan and not in keep, and returns their number.
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

// locked excludes other goroutines and processes while a file is named or removed. Otherwise Sweep could
// remove a file that was found old and has been put again.
func (s *Store) locked(do func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := flock.New(filepath.Join(s.dir, "lock"))
	if err := others.Lock(); err != nil {
		return err
	}
	defer func() { _ = others.Close() }()
	return do()
}

// Keys lists the keys of all files.
func (s *Store) Keys() ([]string, error) {
	names, err := s.stale(nil, time.Now().AddDate(1, 0, 0)) // of any age
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

// renew resets the age of an existing, undamaged file.
func (s *Store) renew(key string, data []byte) (there bool, err error) {
	kept, err := s.read(key)
	if problem.CodeOf(err) == problem.NotFound || err == nil && !bytes.Equal(kept, data) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.locked(func() error {
		now := time.Now()
		return s.root.Chtimes(pathOf(key), now, now)
	})
	if errors.Is(err, fs.ErrNotExist) { // it has just been swept
		return false, nil
	}
	return err == nil, err
}

// write creates the file atomically.
func (s *Store) write(key string, data []byte) error {
	fresh := newPrefix + rand.Text()
	err := s.fill(fresh, data)
	if err == nil {
		err = s.root.Mkdir(key[:2], 0o700)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = s.locked(func() error { return s.root.Rename(fresh, pathOf(key)) })
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

// settle syncs the directories, so that the file's name survives a power failure, even if another process
// created it.
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
		return nil, fmt.Errorf("%s is not a file of this store", key)
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
