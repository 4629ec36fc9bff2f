// Package backup writes everything that cannot be made again into one file, and reads it
// again: the rows as of one moment, the pictures that they name, and beside an embedded
// Temporal server its file. It knows the file's form; whose data directory it is, and where
// the rows go, is for its caller.
//
// The file is a tar, compressed with gzip, so that it can be looked into without us:
//
//	customerzero-backup.json   the form's number, first
//	blobs/<sha256>             pictures
//	files/<name>               of the data directory: Temporal's, and the sandboxes'
//	tables/<name>.jsonl        rows, a JSON object a line, in the order of the primary key
//	manifest.json              what has to have been there, last
//
// Keys are never in it. Secrets lie in it as they lie in the database, sealed.
package backup

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

const (
	format       = 1
	markName     = "customerzero-backup.json"
	manifestName = "manifest.json"
	blobFolder   = "blobs"
	fileFolder   = "files"
	tableFolder  = "tables"
	tableEnding  = ".jsonl"
)

var (
	isBlob  = regexp.MustCompile(`\A[0-9a-f]{64}\z`)
	isFile  = regexp.MustCompile(`\A[a-z0-9][a-z0-9.-]*\z`)
	isTable = regexp.MustCompile(`\A[a-z][a-z0-9_]*\z`)
)

// mark is how a file begins, so that a stranger's is told at once.
type mark struct {
	Format int `json:"format"`
}

// Manifest says what a backup holds.
type Manifest struct {
	Format  int                     `json:"format"`
	Program string                  `json:"program"` // which build wrote it
	Schema  int64                   `json:"schema"`
	Dialect string                  `json:"dialect"` // where the rows came from; they go into either
	TakenAt time.Time               `json:"takenAt"`
	Tables  map[string]store.Digest `json:"tables"`
	Blobs   Blobs                   `json:"blobs"`
	Files   []File                  `json:"files"`
	// Keys are those that the sealed secrets need. They are not in the backup.
	Keys []store.EncryptedWith `json:"keys"`
}

// Blobs counts the pictures. Missing ones are named by rows, and were lost before.
type Blobs struct {
	Count   int      `json:"count"`
	Bytes   int64    `json:"bytes"`
	Missing []string `json:"missing,omitempty"`
}

// File is one of the data directory.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Rows counts those of all tables.
func (m Manifest) Rows() (n int) {
	for _, digest := range m.Tables {
		n += digest.Rows
	}
	return n
}

// Has says whether the backup holds a file of the data directory.
func (m Manifest) Has(name string) bool {
	return slices.ContainsFunc(m.Files, func(file File) bool { return file.Name == name })
}

// CheckKeys says whether the ring opens every secret of the backup.
func (m Manifest) CheckKeys(ring *keyring.Ring) error {
	for _, key := range m.Keys {
		if err := key.OpensWith(ring); err != nil {
			return fmt.Errorf("the keys do not fit the backup: %w", err)
		}
	}
	return nil
}
