package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	lookTarget   = 1.3 // of the wall time of plain pictures of the same pages
	memoryGrowth = 1.1 // of the browser's memory from the first verification to the last
)

// looks is what verifications took, and plain pictures of the same pages, in turns.
type looks struct {
	ours, plain   []time.Duration
	before, after int // the browser's memory (PSS), kB
}

// runLooks verifies the front page of a fresh product, in turns with plain Playwright.
func (b *bench) runLooks(ctx context.Context) (l looks, err error) {
	err = b.onFresh(ctx, func(up *upProduct) error {
		l, err = b.look(ctx, up)
		return err
	})
	return l, err
}

func (b *bench) look(ctx context.Context, up *upProduct) (l looks, err error) {
	plain, err := startPlain(b.product)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, plain.close()) }()
	for round := range b.looks + 1 { // the first warms both up, and does not count
		took, err := verifyOnce(ctx, up.site, fmt.Sprintf("10.8.0.%d", round))
		if err != nil {
			return l, err
		}
		floor, err := plain.pictures(ctx, up.site+"/")
		if err != nil {
			return l, err
		}
		if round == 0 {
			l.before, err = browserMemory(up)
		} else {
			l.ours, l.plain = append(l.ours, took), append(l.plain, floor)
		}
		if err != nil {
			return l, err
		}
	}
	l.after, err = browserMemory(up)
	return l, err
}

// verifyOnce waits for a verification, as a visitor does.
func verifyOnce(ctx context.Context, site, from string) (time.Duration, error) {
	var seen struct {
		Stage string
		Code  string
		Shots []struct{ Picture string }
	}
	began := time.Now()
	if _, err := ask(ctx, http.MethodPost, site+"/api/ai-verification", from, map[string]string{}, &seen); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if seen.Stage != "ended" || seen.Code != "" || len(seen.Shots) != len(views) {
		return 0, fmt.Errorf("a verification came to nothing: stage %s, code %q, %d views", seen.Stage, seen.Code, len(seen.Shots))
	}
	return took, nil
}

// browserMemory is what the product's browser holds, all its processes together.
func browserMemory(up *upProduct) (pss int, err error) {
	own, _ := up.pids()
	var browser []int
	for _, pid := range own {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if strings.Contains(filepath.Base(program), "chrom") {
			browser = append(browser, pid)
		}
	}
	if len(browser) == 0 {
		return 0, errors.New("the product has no browser running")
	}
	_, pss, err = memory(browser)
	return pss, err
}

// report prints both, and says whether the targets were met.
func (l looks) report(out io.Writer) bool {
	ratio := float64(sum(l.ours)) / float64(sum(l.plain))
	growth := float64(l.after) / float64(l.before)
	_, _ = fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 4, 3, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "median of %d\tplain Playwright\ta verification\tratio of sums\ttarget\t\t\n", len(l.ours))
	_, _ = fmt.Fprintf(table, "four pictures of the front page\t%d ms\t%d ms\t%.2f\t≤ %.1f\t%s\t\n",
		middle(l.plain).Milliseconds(), middle(l.ours).Milliseconds(), ratio, lookTarget, verdict(ratio <= lookTarget))
	_ = table.Flush()
	_, _ = fmt.Fprintf(out, "the browser's memory (PSS) after the first and the last: %.0f MB, %.0f MB (ratio %.2f, target ≤ %.1f, %s)\n",
		float64(l.before)/1024, float64(l.after)/1024, growth, memoryGrowth, verdict(growth <= memoryGrowth))
	return ratio <= lookTarget && growth <= memoryGrowth
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

func middle(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
