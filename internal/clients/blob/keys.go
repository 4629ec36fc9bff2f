package blob

import (
	"path/filepath"
	"time"
)

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
