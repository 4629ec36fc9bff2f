package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode reads faults as JSON: one value, all of whose fields T has.
func Decode[T any](body io.Reader) (faults T, err error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&faults); err != nil {
		return faults, fmt.Errorf("the faults are not readable: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return faults, errors.New("the faults are followed by something else")
	}
	return faults, nil
}
