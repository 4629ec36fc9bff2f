package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// counted is what is read, while it is measured.
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
