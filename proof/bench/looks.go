package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

// verifications look at the front page of a fresh product, in turns with plain Playwright.
func (b *bench) verifications(ctx context.Context) ([]figure, error) {
	var l looks
	err := b.onFresh(ctx, func(up *upProduct) (err error) {
		l, err = b.look(ctx, up)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.figures(), nil
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

// figures compare sums: one slow picture should not count for nothing.
func (l looks) figures() []figure {
	mean := func(times []time.Duration) float64 { return inMS(sum(times)) / float64(len(times)) }
	return []figure{
		{"Verifications", "four pictures of the front page", "ms", mean(l.plain), "plain Playwright", mean(l.ours), atMost(lookTarget)},
		{
			"Verifications", fmt.Sprintf("the browser's memory (PSS) after %d more", len(l.ours)), "MB",
			inMB(l.before), "itself after the first", inMB(l.after), atMost(memoryGrowth),
		},
	}
}
