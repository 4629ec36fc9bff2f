package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFigureIsHeldAgainstItsTarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		figure  figure
		met     bool
		verdict string
		margin  float64
	}{
		"a rate that is good enough":    {figure{Baseline: 100, Ours: 85, Target: atLeast(0.85)}, true, "met", 1},
		"a rate that is not":            {figure{Baseline: 100, Ours: 17, Target: atLeast(0.85)}, false, "MISSED", 0.2},
		"a wait that is short enough":   {figure{Baseline: 10, Ours: 13, Target: atMost(1.3)}, true, "met", 1},
		"a wait that is not":            {figure{Baseline: 10, Ours: 26, Target: atMost(1.3)}, false, "MISSED", 0.5},
		"a figure without a baseline":   {figure{Ours: 75, Target: atMost(150)}, true, "met", 2},
		"a figure that bounds nothing":  {figure{Baseline: 1, Ours: 100}, true, "", 0},
		"a share of which all is asked": {figure{Ours: 99, Target: atLeast(100)}, false, "MISSED", 0.99},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.met, tt.figure.met())
			require.Equal(t, tt.verdict, tt.figure.Verdict())
			if tt.verdict != "" {
				require.InDelta(t, tt.margin, tt.figure.margin(), 1e-9)
			}
		})
	}
}

func TestAmountsHaveAsManyDigitsAsMeanSomething(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]float64{"1235 ms": 1234.6, "12.3 ms": 12.34, "1.23 ms": 1.234, "0.04 ms": 0.041, "3 ms": 3} {
		require.Equal(t, want, amount(of, "ms"))
	}
	require.Equal(t, "≤ 150 ms", figure{Unit: "ms", Target: atMost(150)}.TargetText())
	require.Equal(t, "≥ 0.85", figure{Unit: "ms", Baseline: 1, Target: atLeast(0.85)}.TargetText())
}

func TestADocumentTellsOfEverythingMeasured(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "benchmarks.md")
	figures := []figure{
		{"Reads", "a page of <50> posts", "req/s", 2000, "Gin & GORM", 1900, atLeast(0.85)},
		{"Waits", "of buyers: p95", "ms", 0, "", 80.5, atMost(150)},
		{"Reads", "for information", "ms", 1, "Gin", 2, target{}},
	}
	require.NoError(t, writeDocument(path, describeRun(), figures))
	text := read(t, path)
	require.Contains(t, text, "| a page of <50> posts | Gin & GORM | 2000 req/s | 1900 req/s | 0.95 | ≥ 0.85 | met |")
	require.Contains(t, text, "| of buyers: p95 |  |  | 80.5 ms |  | ≤ 150 ms | met |")
	require.Contains(t, text, "None of 2.")
	require.Contains(t, text, "](benchmarks.svg)")
	require.Less(t, strings.Index(text, "for information"), strings.Index(text, "## Waits"), "a subject is one table")
	svg := read(t, filepath.Join(filepath.Dir(path), "benchmarks.svg"))
	require.Equal(t, 2, strings.Count(svg, `<rect class="met"`), svg)
	require.NoError(t, wellFormed(svg))
}

func TestADocumentSaysWhyATargetIsMissed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "benchmarks.md")
	unexplained := figure{"Nothing", "that anybody has looked into", "ms", 1, "a baseline", 9, atMost(2)}
	slow := figure{"Start and memory", "memory at rest, RSS", "MB", 1, "a baseline", 9, atMost(2)}
	require.NoError(t, writeDocument(path, describeRun(), []figure{unexplained, slow}))
	text := read(t, path)
	require.Contains(t, text, "- **Nothing: that anybody has looked into** is 9.00, ≤ 2 is wanted. Nobody has looked into it yet.\n")
	require.Contains(t, text, "- **Start and memory: memory at rest, RSS** is 9.00, ≤ 2 is wanted. Of the product's")
}

func TestEveryCauseIsASentence(t *testing.T) {
	t.Parallel()
	for name, cause := range causes {
		require.Regexp(t, `^[A-Z].*\.$`, cause, name)
		require.Contains(t, name, ": ", "a subject, and what it tells")
	}
}

func TestTheNearestCauseIsTold(t *testing.T) {
	t.Parallel()
	for name, cause := range causes {
		subject, what, _ := strings.Cut(name, ": ")
		require.Equal(t, cause, causeOf(figure{Subject: subject, What: what}))
	}
	require.Empty(t, causeOf(figure{Subject: "Nothing", What: "at all"}))
}

func TestBarsEndWithinThePlot(t *testing.T) {
	t.Parallel()
	figures := []figure{
		{Ours: 0, Target: atMost(2)}, {Ours: 1e9, Target: atMost(2)}, {Ours: 0, Target: atLeast(2)}, {Ours: 1e9, Target: atLeast(2)}, {Ours: 2, Target: atLeast(2)},
	}
	p := plotOf(figures)
	require.Len(t, p.Rows, len(figures))
	for _, row := range p.Rows {
		require.GreaterOrEqual(t, row.X, plotMargin)
		require.LessOrEqual(t, row.X+row.Width, plotWidth-plotMargin+1)
	}
	require.InDelta(t, plotWidth/2, p.Line, 0.1)
}

func TestMeasuresAreChosenByName(t *testing.T) {
	t.Parallel()
	all := (&bench{}).measures()
	everything, err := chosen(all, "")
	require.NoError(t, err)
	require.Len(t, everything, len(all))
	some, err := chosen(all, "votes,reads")
	require.NoError(t, err)
	require.Equal(t, []string{"reads", "votes"}, names(some))
	_, err = chosen(all, "votes,nonsense")
	require.ErrorContains(t, err, "nonsense")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func wellFormed(text string) error {
	for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
