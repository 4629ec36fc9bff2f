package x

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// What an entry of the journal records.
const (
	opTweet  = "tweet"
	opDelete = "delete"
	opGrant  = "grant"
	opRevoke = "revoke"
)

// entry is one line of the journal: a fact that X would not forget.
type entry struct {
	Op     string    `json:"op"`
	At     time.Time `json:"at"`
	Tweet  *Tweet    `json:"tweet,omitempty"`
	ID     string    `json:"id,omitempty"`
	Token  string    `json:"token,omitempty"`
	Secret string    `json:"secret,omitempty"`
	UserID string    `json:"user_id,omitempty"`
}

// journal appends entries to a file. One entry is one write, so that a killed process
// leaves whole lines and at most one torn one, which nobody was told about. It does not
// wait for the disk: a sandbox has to survive a kill, not a power cut.
type journal struct {
	file *os.File // nil: nothing is kept
	size int64
	sick error // after a write that could not be undone
}

// openJournal replays the entries of the file and drops a torn last line. It gives the
// number of bytes dropped.
func openJournal(path string, replay func(entry) error) (*journal, int, error) {
	if path == "" {
		return &journal{}, 0, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // it holds the grants' secrets
	if err != nil {
		return nil, 0, err
	}
	j := &journal{file: file}
	torn, err := j.load(path, replay)
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return j, torn, nil
}

// load replays the whole lines and cuts off what follows them.
func (j *journal) load(path string, replay func(entry) error) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	line := 0
	for raw := range bytes.Lines(data[:whole]) {
		line++
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return 0, fmt.Errorf("x sandbox: line %d of %s is damaged: %w", line, path, err)
		}
		if err := replay(e); err != nil {
			return 0, fmt.Errorf("x sandbox: line %d of %s: %w", line, path, err)
		}
	}
	j.size = int64(whole)
	return len(data) - whole, j.file.Truncate(j.size)
}

// append returns when the entry is in the file. After an error it is not.
func (j *journal) append(e entry) error {
	if j.file == nil || j.sick != nil {
		return j.sick
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	n, err := j.file.Write(append(line, '\n'))
	if err != nil {
		j.sick = j.file.Truncate(j.size) // half a line would damage the next one
		return err
	}
	j.size += int64(n)
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
