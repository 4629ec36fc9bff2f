// Package toml refuses to read and write TOML.
package toml

import (
	"errors"
	"io"
)

// Marshal fails.
func Marshal(any) ([]byte, error) { return nil, errors.ErrUnsupported }

// Decoder decodes nothing.
type Decoder struct{}

// NewDecoder makes a decoder that fails.
func NewDecoder(io.Reader) *Decoder { return &Decoder{} }

// Decode fails.
func (*Decoder) Decode(any) error { return errors.ErrUnsupported }
