// Package journal stores a sandbox's entries as lines of JSON in a file that is replayed at startup.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Journal appends entries to a file. Each entry is one write, so that a killed process leaves at most one
// incomplete line, whose call was not answered. It does not sync: a sandbox must survive a kill, but not a
// power failure.
type Journal struct {
	file   *os.File // nil: in memory only
	size   int64
	broken error // after a write that could not be undone
}

// Open replays the file's entries. It drops an incomplete last line and logs its size. Without a path,
// nothing is stored.
func Open[E any](path string, log *slog.Logger, replay func(E) error) (*Journal, error) {
	if path == "" {
		return &Journal{}, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // it may hold secrets
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	torn, err := load(j, path, replay)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if torn > 0 {
		log.Warn("sandbox: dropped an incomplete last line, whose call was not answered", "file", path, "bytes", torn)
	}
	return j, nil
}

// load replays the complete lines and truncates the rest.
func load[E any](j *Journal, path string, replay func(E) error) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	line := 0
	for raw := range bytes.Lines(data[:whole]) {
		line++
		var e E
		if err := json.Unmarshal(raw, &e); err != nil {
			return 0, fmt.Errorf("line %d of %s is damaged: %w", line, path, err)
		}
		if err := replay(e); err != nil {
			return 0, fmt.Errorf("line %d of %s: %w", line, path, err)
		}
	}
	j.size = int64(whole)
	return len(data) - whole, j.file.Truncate(j.size)
}

// Append stores an entry. After an error, it is not stored.
func (j *Journal) Append(entry any) error {
	if j.file == nil || j.broken != nil {
		return j.broken
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	n, err := j.file.Write(append(line, '\n'))
	if err != nil {
		j.broken = j.file.Truncate(j.size) // a partial line would corrupt the next one
		return err
	}
	j.size += int64(n)
	return nil
}

// Close syncs and closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
