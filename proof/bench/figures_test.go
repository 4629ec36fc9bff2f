package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
)

func TestStartAndMemoryAreHeldAgainstTheServerAlone(t *testing.T) {
	t.Parallel()
	alone := []sample{{first: time.Second, again: 250 * time.Millisecond, rss: 100 << 10, pss: 100 << 10}}
	for name, tt := range map[string]struct {
		up     sample
		missed int
	}{
		"within the targets":      {sample{first: time.Second, again: 500 * time.Millisecond, rss: 150 << 10, pss: 300 << 10}, 0},
		"too slow":                {sample{first: time.Second, again: 501 * time.Millisecond, rss: 150 << 10}, 1},
		"too large":               {sample{first: time.Second, again: 500 * time.Millisecond, rss: 151 << 10}, 1},
		"too slow, and too large": {sample{first: time.Second, again: time.Second, rss: 200 << 10}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.up.cellRSS, tt.up.cellPSS = 60<<10, 50<<10
			figures := results{alone, []sample{tt.up}}.figures()
			require.Len(t, missed(figures), tt.missed)
			var out strings.Builder
			printTables(&out, figures)
			require.Equal(t, tt.missed, strings.Count(out.String(), "MISSED"), out.String())
			require.Regexp(t, `the cell.*60 MB`, out.String(), "it is told of, and counted nowhere else")
		})
	}
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

func TestVerificationsAreHeldAgainstPlainPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		looks  looks
		missed int
	}{
		"as fast, and no larger": {looks{ours: seconds(2, 2, 2), plain: seconds(2, 2, 2), before: 1000, after: 1100}, 0},
		"too slow":               {looks{ours: seconds(3, 3), plain: seconds(2, 2), before: 1000, after: 1000}, 1},
		"slow once, and in sum":  {looks{ours: seconds(2, 2, 9), plain: seconds(2, 2, 2), before: 1000, after: 1000}, 1},
		"too large":              {looks{ours: seconds(2), plain: seconds(2), before: 1000, after: 1200}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Len(t, missed(c.looks.figures()), c.missed)
		})
	}
}

func seconds(all ...int) (times []time.Duration) {
	for _, one := range all {
		times = append(times, time.Duration(one)*time.Second)
	}
	return times
}

func TestPricesAreReportedByWhatBuyersWaited(t *testing.T) {
	t.Parallel()
	for slow, met := range map[int]bool{0: true, 5: true, 6: false} {
		var waited []time.Duration
		for i := range 100 {
			wait := 50 * time.Millisecond
			if i < slow {
				wait = time.Second
			}
			waited = append(waited, wait)
		}
		require.Equal(t, met, len(missed(priceFigures(20, waited))) == 0, "%d of 100 are slow", slow)
	}
}

func TestTimesToHealAreHeldAgainstThePromise(t *testing.T) {
	t.Parallel()
	times := func(all ...int) (runs []broken) {
		for _, ms := range all {
			runs = append(runs, broken{Stage: "ended", Verdict: "healed", HealMS: &ms})
		}
		return runs
	}
	for name, tt := range map[string]struct {
		runs   []broken
		missed int
		p95    float64
	}{
		"in time":                    {times(400, 2000, 500), 0, 2000},
		"one is late":                {times(400, 2001, 500), 1, 2001},
		"one is not healed":          {append(times(400), broken{Verdict: "failed", Reason: "It was not well."}), 1, 400},
		"it was never tried":         {nil, 1, 0},
		"one of twenty may be later": {times(append(make([]int, 19), 9000)...), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			figures := heals{{Type: "delete-og-image", PromiseMS: 2000, runs: tt.runs}}.figures()
			require.Len(t, missed(figures), tt.missed)
			require.InDelta(t, tt.p95, figures[0].Ours, 1e-9)
		})
	}
}

func TestWhyARunWasNotHealedIsTold(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	heals{{Type: "delete-og-image", runs: []broken{{Verdict: "failed", Reason: "It was not well."}}}}.tellFailures(&out)
	require.Equal(t, "delete-og-image was failed: It was not well.\n", out.String())
}

func TestAMeasureThatFailsKeepsNoOtherFromBeingTaken(t *testing.T) {
	t.Parallel()
	one, two := figure{Subject: "one"}, figure{Subject: "two"}
	figures, err := runAll(t.Context(), []measure{
		{"broken", time.Minute, func(context.Context) ([]figure, error) { return []figure{one}, errors.New("no luck") }},
		{"endless", time.Nanosecond, func(ctx context.Context) ([]figure, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}},
		{"well", time.Minute, func(context.Context) ([]figure, error) { return []figure{two}, nil }},
	}, io.Discard)
	require.ErrorContains(t, err, "broken: no luck")
	require.ErrorContains(t, err, "endless: not over after 1ns")
	require.Equal(t, []figure{one, two}, figures)
}

func TestOneMissedTargetIsMissed(t *testing.T) {
	t.Parallel()
	good, bad := figure{Ours: 1, Target: atMost(1)}, figure{Ours: 2, Target: atMost(1)}
	require.NoError(t, verdictOn([]figure{good, {}}))
	require.ErrorIs(t, verdictOn([]figure{good, bad}), errMissed)
	bad.Subject = "Slots"
	bad.What = "slots of scheduled posts, one after the other"
	require.NoError(t, verdictOn([]figure{good, bad}), "why is known, and told")
	require.Equal(t, 0, exit(nil))
	require.Equal(t, 1, exit(errMissed))
	require.Equal(t, 2, exit(errors.New("no luck")))
}

func TestEveryMeasureHasANameAndATime(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range (&bench{}).measures() {
		require.NotEmpty(t, m.name)
		require.False(t, known[m.name], m.name)
		require.Positive(t, m.within)
		require.NotNil(t, m.run)
		known[m.name] = true
	}
}

func TestAnswersThatAreLateByChanceAreAskedForAgain(t *testing.T) {
	t.Parallel()
	small, large := &elder{posts: 1}, &elder{posts: 2}
	for name, tt := range map[string]struct {
		later time.Duration // what the large one takes after the first time
		taken int
		met   bool
	}{
		"by chance": {time.Millisecond, 2, true},
		"always":    {9 * time.Millisecond, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := 0
			found, err := compareOn("SQLite", "a page", []*elder{small, large}, func() ([][]time.Duration, error) {
				taken++
				if taken == 1 {
					return [][]time.Duration{{time.Millisecond}, {9 * time.Millisecond}}, nil
				}
				return [][]time.Duration{{time.Millisecond, time.Millisecond}, {tt.later, tt.later}}, nil
			})
			require.NoError(t, err)
			require.Equal(t, tt.taken, taken)
			require.Equal(t, tt.met, found.met(), found)
		})
	}
}

func TestAFigureIsHeldAgainstItsTarget(t *testing.T) {
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
		"a share of which all is asked": {figure{Ours: 99, Target: atLeast(100)}, false, "MISSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.met, tt.figure.met())
			require.Equal(t, tt.verdict, tt.figure.Verdict())
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
	require.NoError(t, writeDocument(path, describeRun(t.Context()), figures))
	text := read(t, path)
	require.Contains(t, text, "| a page of <50> posts | Gin & GORM | 2000 req/s | 1900 req/s | 0.95 | ≥ 0.85 | met |")
	require.Contains(t, text, "| of buyers: p95 |  |  | 80.5 ms |  | ≤ 150 ms | met |")
	require.Contains(t, text, "None of 2.")
	require.Less(t, strings.Index(text, "for information"), strings.Index(text, "## Waits"), "a subject is one table")
}

func TestADocumentSaysWhyATargetIsMissed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "benchmarks.md")
	unexplained := figure{"Nothing", "that anybody has looked into", "ms", 1, "a baseline", 9, atMost(2)}
	slow := figure{"Start and memory", "memory at rest, RSS", "MB", 1, "a baseline", 9, atMost(2)}
	require.NoError(t, writeDocument(path, describeRun(t.Context()), []figure{unexplained, slow}))
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
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
