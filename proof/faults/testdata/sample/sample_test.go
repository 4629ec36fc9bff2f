// Package sample has a test of every kind of ending, for the tests of the program that runs tests.
package sample

import (
	"os"
	"testing"

	"customerzero/internal/platform/testseed"
)

func TestHasOneBadCase(t *testing.T) {
	t.Run("good", func(*testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Error("bad") })
}

func TestIsSkipped(t *testing.T) {
	t.Run("in part", func(t *testing.T) { t.Skip("skipped") })
}

func TestNeverEnds(*testing.T) { select {} }

func TestPanics(*testing.T) { panic("panic") }

func TestExits(*testing.T) { os.Exit(1) }

func TestFailsWithSeven(t *testing.T) {
	if testseed.Seed(t) == 7 {
		t.Error("seven")
	}
}
