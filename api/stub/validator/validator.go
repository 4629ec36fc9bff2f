// Package validator refuses to validate: Huma holds every request against the contract.
package validator

import "errors"

// Validate validates nothing.
type Validate struct{}

// New makes a validator that fails.
func New() *Validate { return &Validate{} }

// SetTagName does nothing.
func (*Validate) SetTagName(string) {}

// Struct fails.
func (*Validate) Struct(any) error { return errors.ErrUnsupported }
