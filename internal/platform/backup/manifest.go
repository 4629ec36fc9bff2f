// Package backup writes a backup and restores it: a consistent snapshot of the rows, their screenshots, and the
// database of an embedded Temporal server. Callers choose the data directory and the database.
//
// The file is a gzip-compressed tar, so that standard tools can read it:
//
//	customerzero-backup.json   the format number, first
//	blobs/<sha256>             screenshots
//	files/<name>               of the data directory: Temporal's and the sandboxes'
//	tables/<name>.jsonl        rows, one JSON object a line, in the order of the primary key
//	manifest.json              counts and checksums of all entries
//	manifest.mac               authenticates the manifest, and so every entry, with a key of SECRET_KEYS; last
//
// Keys are never included. Secrets are encrypted as in the database. The content of a file is not trusted before it is
// authenticated, so reading one takes little memory, whatever is in it.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

const (
	format       = 2
	markName     = "customerzero-backup.json"
	manifestName = "manifest.json"
	macName      = "manifest.mac"
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
	SHA256  string   `json:"sha256"` // of their names, one a line; a name is the checksum of its content
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

// macPlace binds the digest of a manifest to its use.
const macPlace = "backup/manifest"

// sign returns the content of the last entry.
func sign(ring *keyring.Ring, manifest []byte) []byte {
	return []byte(ring.Mark(sumOf(manifest), macPlace) + "\n")
}

// ErrKeyMissing means that a backup cannot be authenticated, because its key is not in SECRET_KEYS.
var ErrKeyMissing = errors.New("the key is missing")

// Authenticate checks that the backup was written with one of the keys and not altered since. Verify has compared every
// entry with the manifest.
func (c Contents) Authenticate(ring *keyring.Ring) error {
	id, _, _ := strings.Cut(c.mac, ".")
	if ring == nil || !ring.Has(id) {
		return fmt.Errorf("the backup cannot be authenticated without key %.40q: add it to SECRET_KEYS (%w)", id, ErrKeyMissing)
	}
	if !ring.Marked(c.mac, c.sum, macPlace) {
		return fmt.Errorf("the backup was altered, or was written with another key than %.40q: use another copy", id)
	}
	return nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
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
