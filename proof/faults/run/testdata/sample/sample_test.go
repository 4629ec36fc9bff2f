// Package sample has tests of every kind of ending, for the test of the program that runs tests.
package sample

import (
	"os"
	"strconv"
	"testing"

	"customerzero/internal/evidence/chance"
)

func TestHolds(t *testing.T) {
	t.Run("in one case", func(*testing.T) {})
	t.Run("in another", func(*testing.T) {})
}

func TestHasOneBadCase(t *testing.T) {
	t.Run("good", func(*testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Error("as it was told") })
}

func TestIsSkipped(t *testing.T) {
	t.Run("a part", func(t *testing.T) { t.Skip("as it was told") })
}

func TestNeverEnds(t *testing.T) {
	if file := os.Getenv("SAMPLE_PID"); file != "" {
		// Whole at once: somebody waits for it.
		if os.WriteFile(file+"~", []byte(strconv.Itoa(os.Getpid())), 0o600) != nil || os.Rename(file+"~", file) != nil {
			t.Fatal("the process could not be named")
		}
	}
	select {}
}

func TestPanics(*testing.T) { panic("as it was told") }

func TestSeven(t *testing.T) {
	if chance.Seed(t) == 7 {
		t.Error("seven is bad")
	}
}

func TestEnds(*testing.T) { os.Exit(1) }
