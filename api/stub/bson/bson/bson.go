// Package bson refuses to read and write BSON.
package bson

import "errors"

// Marshal fails.
func Marshal(any) ([]byte, error) { return nil, errors.ErrUnsupported }

// Unmarshal fails.
func Unmarshal([]byte, any) error { return errors.ErrUnsupported }
