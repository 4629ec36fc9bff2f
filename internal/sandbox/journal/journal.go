// Package journal stores a sandbox's entries, one line of JSON each, in a file that is replayed
// when the sandbox starts.
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

// Journal appends entries to a file. One entry is one write, so that a killed process
// leaves complete lines and at most one torn one, which no client was answered for. It does not
// sync to the disk: a sandbox has to survive a kill, not a power cut.
type Journal struct {
	file   *os.File // nil: nothing is kept
	size   int64
	broken error // after a write that could not be undone
}

// Open replays the entries of the file. It drops a torn last line and logs how many bytes it had.
// Without a path nothing is kept. Only the file's owner may read it.
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
		log.Warn("sandbox: dropped a torn last line, which was never answered", "file", path, "bytes", torn)
	}
	return j, nil
}

// load replays the whole lines and cuts off what follows them.
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

// Append returns when the entry is in the file. After an error it is not.
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
		j.broken = j.file.Truncate(j.size) // half a line would damage the next one
		return err
	}
	j.size += int64(n)
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
