// Package backup writes a backup and restores it: a consistent snapshot of the rows, their screenshots, and the
// database of an embedded Temporal server. Callers choose the data directory and the database.
//
// The file is a gzip-compressed tar, so that standard tools can read it:
//
//	customerzero-backup.json   the format number, first
//	blobs/<sha256>             screenshots
//	files/<name>               of the data directory: Temporal's and the sandboxes'
//	tables/<name>.jsonl        rows, one JSON object a line, in the order of the primary key
//	manifest.json              counts and checksums of all entries, last
//
// Keys are never included. Secrets are encrypted as in the database.
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

// mark is the first entry, which identifies the file as a backup.
type mark struct {
	Format int `json:"format"`
}

// Manifest describes a backup's content.
type Manifest struct {
	Format  int                     `json:"format"`
	Program string                  `json:"program"` // the build that wrote it
	Schema  int64                   `json:"schema"`
	Dialect string                  `json:"dialect"` // of the source database; the rows fit into either
	TakenAt time.Time               `json:"takenAt"`
	Tables  map[string]store.Digest `json:"tables"`
	Blobs   Blobs                   `json:"blobs"`
	Files   []File                  `json:"files"`
	Keys    []store.EncryptedWith   `json:"keys"` // identify the keys that the secrets need
}

// Blobs counts the screenshots. Missing ones were lost before the backup.
type Blobs struct {
	Count   int      `json:"count"`
	Bytes   int64    `json:"bytes"`
	Missing []string `json:"missing,omitempty"`
}

// File is a file of the data directory.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Rows counts the rows of all tables.
func (m Manifest) Rows() (n int) {
	for _, digest := range m.Tables {
		n += digest.Rows
	}
	return n
}

// Has reports whether the backup contains a file of the data directory.
func (m Manifest) Has(name string) bool {
	return slices.ContainsFunc(m.Files, func(file File) bool { return file.Name == name })
}

// CheckKeys checks that the ring decrypts every secret of the backup.
func (m Manifest) CheckKeys(ring *keyring.Ring) error {
	for _, key := range m.Keys {
		if err := key.OpensWith(ring); err != nil {
			return fmt.Errorf("the keys do not fit the backup: %w", err)
		}
	}
	return nil
}
