package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
)

func TestMeasurementsAgainstTargets(t *testing.T) {
	t.Parallel()
	up := func(again time.Duration, rss int) []figure { // the baseline starts in 250 ms and holds 100 MB
		alone := sample{first: time.Second, again: 250 * time.Millisecond, rss: 100 << 10, pss: 100 << 10}
		return results{[]sample{alone}, []sample{{first: time.Second, again: again, rss: rss << 10, pss: 300 << 10, targetRSS: 60 << 10, targetPSS: 50 << 10}}}.figures()
	}
	posts := func(alone time.Duration, rate float64) []figure { // the baseline takes 20 ms, 50 a second
		return flowFigures(flows{[]time.Duration{20 * time.Millisecond}, []float64{50}}, flows{[]time.Duration{alone}, []float64{rate}})
	}
	prices := func(slow int) []figure { // slow of 100 buyers wait 1 s
		return priceFigures(20, append(slices.Repeat([]time.Duration{time.Second}, slow), slices.Repeat([]time.Duration{50 * time.Millisecond}, 100-slow)...))
	}
	healed := func(ms ...int) []figure { // negative: not healed
		var runs []broken
		for _, one := range ms {
			run := broken{HealMS: &one}
			if one < 0 {
				run.HealMS = nil
			}
			runs = append(runs, run)
		}
		return heals{{Type: "delete-og-image", PromiseMS: 2000, runs: runs}}.figures()
	}
	for name, tt := range map[string]struct {
		figures []figure
		missed  []string // prefixes of their names
	}{
		"start and memory within their targets":   {up(500*time.Millisecond, 150), nil},
		"a start that is too slow":                {up(501*time.Millisecond, 150), []string{"start on existing"}},
		"a process that is too large":             {up(500*time.Millisecond, 151), []string{"memory at rest, RSS"}},
		"too slow, and too large":                 {up(time.Second, 200), []string{"start on existing", "memory at rest, RSS"}},
		"verifications as fast, and no larger":    {verificationTimes{ours: seconds(2, 2, 2), plain: seconds(2, 2, 2), before: 1000, after: 1100}.figures(), nil},
		"verifications that are too slow":         {verificationTimes{ours: seconds(3, 3), plain: seconds(2, 2), before: 1000, after: 1000}.figures(), []string{"four screenshots"}},
		"verifications that are slow once":        {verificationTimes{ours: seconds(2, 2, 9), plain: seconds(2, 2, 2), before: 1000, after: 1000}.figures(), []string{"four screenshots"}},
		"a browser that grows":                    {verificationTimes{ours: seconds(2), plain: seconds(2), before: 1000, after: 1200}.figures(), []string{"the browser's memory"}},
		"posts as fast as bare flows":             {posts(20*time.Millisecond, 50), nil},
		"posts that are just fast enough":         {posts(23*time.Millisecond, 40), nil},
		"a post that is slow alone":               {posts(24*time.Millisecond, 50), []string{"one after the other"}},
		"posts that are slow in a crowd":          {posts(20*time.Millisecond, 39), []string{"16 at once"}},
		"no buyer waits for long":                 {prices(0), nil},
		"one buyer of twenty waits for long":      {prices(5), nil},
		"more buyers wait for long":               {prices(6), []string{"wait for a price, 20 buyers at once: p95"}},
		"healed in time":                          {healed(400, 2000, 500), nil},
		"healed too late":                         {healed(400, 2001, 500), []string{"delete-og-image, p95"}},
		"not healed once":                         {healed(400, -1), []string{"healed, of 2"}},
		"never tried to heal":                     {healed(), []string{"healed, of 0"}},
		"one of twenty that is healed much later": {healed(append(make([]int, 19), 9000)...), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := missed(tt.figures)
			require.Len(t, all, len(tt.missed))
			for i, f := range all {
				require.True(t, strings.HasPrefix(f.What, tt.missed[i]), f.What)
			}
		})
	}
	require.InDelta(t, 60, up(time.Second, 150)[4].Ours, 1e-9, "the chaos target is counted separately")
	require.InDelta(t, 400, healed(400, -1)[0].Ours, 1e-9, "a run that was not healed has no time")
}

func seconds(all ...int) (times []time.Duration) {
	for _, one := range all {
		times = append(times, time.Duration(one)*time.Second)
	}
	return times
}

func TestMemory(t *testing.T) {
	t.Parallel()
	require.Contains(t, children(os.Getppid()), os.Getpid())
	parent, err := procfs.NewProc(os.Getppid())
	require.NoError(t, err)
	stat, err := parent.Stat()
	require.NoError(t, err)
	require.Contains(t, family(stat.PPID), os.Getpid(), "children's children, too")
	require.False(t, runs(os.Getpid(), "target"))
	rss, pss, err := memory([]int{os.Getpid()})
	require.NoError(t, err)
	require.Positive(t, rss)
	require.Positive(t, pss)
	_, _, err = memory([]int{-1})
	require.Error(t, err)
}

func TestRunAllContinuesAfterAFailure(t *testing.T) {
	t.Parallel()
	one, two := figure{Subject: "one"}, figure{Subject: "two"}
	figures, err := runAll(t.Context(), []measure{
		{"broken", func(context.Context) ([]figure, error) { return []figure{one}, errors.New("no luck") }},
		{"working", func(context.Context) ([]figure, error) { return []figure{two}, nil }},
	}, io.Discard)
	require.ErrorContains(t, err, "broken: no luck")
	require.Equal(t, []figure{one, two}, figures)
}

func TestMissedTargetsNeedACause(t *testing.T) {
	t.Parallel()
	good, bad := figure{Ours: 1, Target: atMost(1)}, figure{Ours: 2, Target: atMost(1)}
	require.NoError(t, verdictOn([]figure{good, {}}))
	require.Error(t, verdictOn([]figure{good, bad}))
	bad.Subject = "Slots"
	bad.What = "slots of scheduled posts, one after the other"
	require.NoError(t, verdictOn([]figure{good, bad}), "its cause is known")
}

func TestFigureTargets(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		figure  figure
		met     bool
		verdict string
	}{
		"a rate that is good enough":    {figure{Baseline: 100, Ours: 85, Target: atLeast(0.85)}, true, "met"},
		"a rate that is not":            {figure{Baseline: 100, Ours: 17, Target: atLeast(0.85)}, false, "MISSED"},
		"a wait that is short enough":   {figure{Baseline: 10, Ours: 13, Target: atMost(1.3)}, true, "met"},
		"a wait that is not":            {figure{Baseline: 10, Ours: 26, Target: atMost(1.3)}, false, "MISSED"},
		"a figure without a baseline":   {figure{Ours: 75, Target: atMost(150)}, true, "met"},
		"a figure that bounds nothing":  {figure{Baseline: 1, Ours: 100}, true, ""},
		"a share that must be complete": {figure{Ours: 99, Target: atLeast(100)}, false, "MISSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.met, tt.figure.met())
			require.Equal(t, tt.verdict, tt.figure.Verdict())
		})
	}
}

func TestDocumentHasEveryFigure(t *testing.T) {
	t.Parallel()
	figures := []figure{
		{"Reads", "a page of <50> posts", "req/s", 2000, "Gin & GORM", 1900, atLeast(0.85)},
		{"Waits", "of buyers: p95", "ms", 0, "", 80.5, atMost(150)},
		{"Reads", "for information", "ms", 1, "Gin", 2, target{}},
	}
	text, err := document(describeRun(t.Context()), figures)
	require.NoError(t, err)
	require.Contains(t, text, "| a page of <50> posts | Gin & GORM | 2000 req/s | 1900 req/s | 0.95 | ≥ 0.85 | met |")
	require.Contains(t, text, "| of buyers: p95 |  |  | 80.5 ms |  | ≤ 150 ms | met |")
	require.Contains(t, text, "None of 2.")
	require.Less(t, strings.Index(text, "for information"), strings.Index(text, "## Waits"), "one table per subject")
}

func TestDocumentExplainsMissedTargets(t *testing.T) {
	t.Parallel()
	unexplained := figure{"Nothing", "that is explained", "ms", 1, "a baseline", 9, atMost(2)}
	slow := figure{"Start and memory", "memory at rest, RSS", "MB", 1, "a baseline", 9, atMost(2)}
	text, err := document(describeRun(t.Context()), []figure{unexplained, slow})
	require.NoError(t, err)
	require.Contains(t, text, "- **Nothing: that is explained** is 9.00, the target is ≤ 2. The cause is not known yet.\n")
	require.Contains(t, text, "- **Start and memory: memory at rest, RSS** is 9.00, the target is ≤ 2. Of the product's")
}

func TestCausesMatchFigures(t *testing.T) {
	t.Parallel()
	for name, cause := range causes {
		require.Regexp(t, `^[A-Z].*\.$`, cause, name)
		subject, what, named := strings.Cut(name, ": ")
		require.True(t, named, "a subject and a prefix of What")
		require.Equal(t, cause, causeOf(figure{Subject: subject, What: what}), "the longest match")
	}
	require.Empty(t, causeOf(figure{Subject: "Nothing", What: "at all"}))
}
