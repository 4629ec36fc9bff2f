package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"customerzero/internal/store"
)

const (
	mostBlob = 32 << 20 // limit of the blob store
	mostJSON = 1 << 20  // limit of a JSON entry
	// Limits of what is kept of a file before it is authenticated. A backup has about 70 tables, 3 files and 2,000
	// screenshots.
	mostTables   = 500
	mostFiles    = 20
	mostPictures = 100_000
	mostName     = 100 // bytes
)

// ErrForeign means that a file is not a backup.
var ErrForeign = errors.New("it is not a backup that customerzero wrote")

// Contents is the verified content of a backup.
type Contents struct {
	Manifest
	Pictures map[string]bool

	sum, mac string // of the manifest
}

// visitor receives a backup's entries in their order. Unread rests are skipped.
type visitor struct {
	blob  func(key string, data []byte) error
	file  func(name string, data io.Reader) error
	table func(name string, lines io.Reader) error
}

// Verify reads a complete backup and checks it against its manifest. Contents.Authenticate checks the manifest.
func Verify(in io.Reader, progress *Progress) (Contents, error) {
	return walk(in, visitor{}, progress)
}

func walk(in io.Reader, visit visitor, progress *Progress) (Contents, error) {
	packed, err := gzip.NewReader(in)
	if err != nil {
		return Contents{}, foreign(err)
	}
	r := &reader{in: tar.NewReader(packed), visit: visit, progress: progress, seen: Manifest{Tables: map[string]store.Digest{}}, pictures: map[string]bool{}, names: sha256.New()}
	if err := r.begin(); err != nil {
		return Contents{}, err
	}
	found, err := r.entries()
	if err != nil {
		return Contents{}, err
	}
	// Reading to the end checks gzip's checksum.
	if _, err := io.ReadFull(packed, make([]byte, 1)); !errors.Is(err, io.EOF) {
		return Contents{}, damaged(err)
	}
	found.Pictures = r.pictures
	return found, r.compare(found.Manifest)
}

// reader reads a backup. seen is the manifest of the entries so far.
type reader struct {
	in       *tar.Reader
	visit    visitor
	progress *Progress
	seen     Manifest
	pictures map[string]bool
	names    hash.Hash // of the screenshots
}

// begin reads the mark and checks the format.
func (r *reader) begin() error {
	first, err := r.in.Next()
	if err != nil || first.Name != markName {
		return foreign(err)
	}
	var is mark
	if _, err := r.json(&is); err != nil || is.Format < 1 {
		return foreign(err)
	}
	if is.Format != format {
		return fmt.Errorf("the backup has format %d, but this program reads format %d: use the program that wrote it", is.Format, format)
	}
	return nil
}

// entries reads up to the manifest, which only its MAC may follow.
func (r *reader) entries() (c Contents, err error) {
	for {
		entry, err := r.in.Next()
		if errors.Is(err, io.EOF) {
			return c, damaged(errors.New("it has no manifest"))
		}
		if err != nil {
			return c, damaged(err)
		}
		if entry.Typeflag != tar.TypeReg {
			return c, damaged(fmt.Errorf("%.*q is not a file", mostName, entry.Name))
		}
		if entry.Name == manifestName {
			break
		}
		if err := r.entry(entry); err != nil {
			return c, err
		}
	}
	if c.sum, err = r.json(&c.Manifest); err != nil {
		return c, damaged(err)
	}
	switch entry, err := r.in.Next(); {
	case err != nil && !errors.Is(err, io.EOF):
		return c, damaged(err)
	case err != nil || entry.Name != macName:
		return c, damaged(errors.New("its manifest is not authenticated"))
	}
	mac, err := io.ReadAll(io.LimitReader(r.in, mostName))
	if err != nil {
		return c, damaged(err)
	}
	c.mac = strings.TrimSpace(string(mac))
	switch _, err := r.in.Next(); {
	case errors.Is(err, io.EOF):
		return c, nil
	case err != nil:
		return c, damaged(fmt.Errorf("an entry follows its end: %w", err))
	}
	return c, damaged(errors.New("an entry follows its end"))
}

func (r *reader) entry(entry *tar.Header) error {
	folder, name := path.Split(entry.Name)
	table, isLines := strings.CutSuffix(name, tableEnding)
	if len(entry.Name) > mostName || len(r.pictures) > mostPictures || len(r.seen.Files) > mostFiles || len(r.seen.Tables) > mostTables {
		return damaged(fmt.Errorf("%.*q is one entry too many, or its name is too long", mostName, entry.Name))
	}
	switch folder = path.Clean(folder); {
	case folder == blobFolder && isBlob.MatchString(name) && entry.Size <= mostBlob && !r.pictures[name]:
		return r.blob(name)
	case folder == fileFolder && isFile.MatchString(name) && !r.seen.Has(name):
		return r.file(name)
	case folder == tableFolder && isLines && isTable.MatchString(table):
		return r.table(table)
	}
	return damaged(fmt.Errorf("%q is not a valid entry", entry.Name))
}

// blob keeps the content only for a visitor: the file is authentic then.
func (r *reader) blob(key string) error {
	var data bytes.Buffer
	to, sum := io.Discard, sha256.New()
	if r.visit.blob != nil {
		to = &data
	}
	size, err := io.Copy(io.MultiWriter(sum, to), r.in)
	if err != nil {
		return damaged(err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != key {
		return damaged(fmt.Errorf("the screenshot %s does not match its name", key))
	}
	r.pictures[key] = true
	_, _ = io.WriteString(r.names, key+"\n") // does not fail
	r.seen.Blobs.Count++
	r.seen.Blobs.Bytes += size
	r.progress.picture()
	if r.visit.blob == nil {
		return nil
	}
	return r.visit.blob(key, data.Bytes())
}

func (r *reader) file(name string) error {
	counted := newCounted(r.in)
	err := pass(name, counted, r.visit.file)
	r.seen.Files = append(r.seen.Files, File{name, counted.bytes, counted.digest()})
	return err
}

func (r *reader) table(name string) error {
	if _, twice := r.seen.Tables[name]; twice {
		return damaged(fmt.Errorf("the table %s occurs twice", name))
	}
	counted := newCounted(r.in)
	counted.progress = r.progress
	err := pass(name, counted, r.visit.table)
	r.seen.Tables[name] = store.Digest{Rows: counted.lines, SHA256: counted.digest()}
	return err
}

// pass lets the visitor read and skips the rest.
func pass(name string, data io.Reader, visit func(string, io.Reader) error) error {
	if visit != nil {
		if err := visit(name, data); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, data); err != nil {
		return damaged(err)
	}
	return nil
}

// compare checks the entries against the manifest.
func (r *reader) compare(m Manifest) error {
	switch {
	case m.Format != format:
		return damaged(errors.New("its manifest has another format"))
	case !maps.Equal(m.Tables, r.seen.Tables):
		return damaged(errors.New("its rows do not match its manifest"))
	case m.Blobs.Count != r.seen.Blobs.Count || m.Blobs.Bytes != r.seen.Blobs.Bytes || m.Blobs.SHA256 != hex.EncodeToString(r.names.Sum(nil)):
		return damaged(errors.New("its screenshots do not match its manifest"))
	case !slices.Equal(m.Files, r.seen.Files):
		return damaged(errors.New("its files do not match its manifest"))
	}
	return nil
}

// json returns the checksum of the text.
func (r *reader) json(value any) (sum string, err error) {
	text, err := io.ReadAll(io.LimitReader(r.in, mostJSON+1))
	if err != nil {
		return "", err
	}
	if len(text) > mostJSON {
		return "", errors.New("its manifest is too long")
	}
	return sumOf(text), json.NewDecoder(bytes.NewReader(text)).Decode(value)
}

// foreign returns ErrForeign, unless the file cannot be read.
func foreign(err error) error {
	if _, unreadable := errors.AsType[*fs.PathError](err); unreadable {
		return err
	}
	return ErrForeign
}

func damaged(err error) error {
	if err == nil {
		err = errors.New("data follows its end")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("the backup is damaged: %w", err)
}

// counted computes the size, lines and checksum of what is read.
type counted struct {
	in       io.Reader
	sum      hash.Hash
	bytes    int64
	lines    int
	progress *Progress
}

func newCounted(in io.Reader) *counted { return &counted{in: in, sum: sha256.New()} }

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.in.Read(into)
	_, _ = c.sum.Write(into[:n]) // does not fail
	c.bytes += int64(n)
	lines := bytes.Count(into[:n], []byte{'\n'})
	c.lines += lines
	if lines > 0 {
		c.progress.row(lines)
	}
	return n, err
}

func (c *counted) digest() string { return hex.EncodeToString(c.sum.Sum(nil)) }
