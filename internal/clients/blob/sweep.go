package blob

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"time"
)

// newPrefix marks files that are being written, or were when the process died.
const newPrefix = "new-"

var (
	isKey    = regexp.MustCompile(`\A[0-9a-f]{64}\z`)
	isFolder = regexp.MustCompile(`\A[0-9a-f]{2}\z`)
	isNew    = regexp.MustCompile(`\A` + newPrefix + `[A-Z2-7]{26}\z`)
)

// stale lists the names to remove; removeOlder checks their age again.
func (s *Store) stale(keep map[string]bool, olderThan time.Time) ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		switch name := entry.Name(); {
		case entry.Type().IsRegular() && isNew.MatchString(name) && older(entry, olderThan):
			names = append(names, name)
		case entry.IsDir() && isFolder.MatchString(name):
			inside, err := s.staleIn(name, keep, olderThan)
			if err != nil {
				return nil, err
			}
			names = append(names, inside...)
		}
	}
	return names, nil
}

func (s *Store) staleIn(folder string, keep map[string]bool, olderThan time.Time) ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		key := entry.Name()
		ours := entry.Type().IsRegular() && isKey.MatchString(key) && key[:2] == folder
		if ours && !keep[key] && older(entry, olderThan) {
			names = append(names, filepath.Join(folder, key))
		}
	}
	return names, nil
}

func older(entry fs.DirEntry, than time.Time) bool {
	info, err := entry.Info()
	return err == nil && info.ModTime().Before(than) // an error: it is gone already
}

// removeOlder removes a file unless it was renewed since.
func (s *Store) removeOlder(name string, than time.Time) (gone bool, err error) {
	err = s.locked(func() error {
		info, err := s.root.Lstat(name)
		if err != nil || !info.ModTime().Before(than) {
			return err
		}
		gone = true
		return s.root.Remove(name)
	})
	if errors.Is(err, fs.ErrNotExist) { // swept by another process
		return false, nil
	}
	return gone && err == nil, err
}
