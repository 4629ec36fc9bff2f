// Package methods has what looks like a test and is none.
package methods

import "testing"

type suite struct{}

func (suite) TestOfNothing(*testing.T) {}
