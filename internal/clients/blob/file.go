package blob

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/confined"
)

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
