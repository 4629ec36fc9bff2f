package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/procfs"
)

// The targets allow for a busy machine, but not for a needless wait at startup or an unbounded cache.
const (
	startRounds = 5
	rest        = 8 * time.Second // before memory is measured

	firstTarget  = 4.0 // of the very first start, which creates databases, keys and the chaos target
	startTarget  = 2.0
	memoryTarget = 1.5
)

// program is one of the two compared programs. start returns when it is ready.
type program interface {
	start(ctx context.Context) (took time.Duration, err error)
	pids() (own, chaosTarget []int)
	stop() error
}

// sample is one round of one program: its first start, and a second one on the same data.
type sample struct {
	first, again         time.Duration
	rss, pss             int // kB
	targetRSS, targetPSS int
}

// results are the rounds of the Temporal server alone and of the product including it.
type results struct{ alone, up []sample }

// startAndMemory compares the two in turns. The order changes from round to round.
func (b *bench) startAndMemory(ctx context.Context) ([]figure, error) {
	var r results
	turns := []struct {
		fresh func(dir string) program
		found *[]sample
	}{
		{func(dir string) program { return &aloneServer{bin: b.server, file: filepath.Join(dir, "temporal.db")} }, &r.alone},
		{func(dir string) program { return &upProduct{bin: b.product, server: b.server, data: dir} }, &r.up},
	}
	for range startRounds {
		for _, turn := range turns {
			s, err := b.startTwice(ctx, turn.fresh)
			if err != nil {
				return nil, err
			}
			*turn.found = append(*turn.found, s)
		}
		slices.Reverse(turns)
	}
	return r.figures(), nil
}

// startTwice measures both starts of a program, and its memory at rest.
func (b *bench) startTwice(ctx context.Context, fresh func(dir string) program) (s sample, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := fresh(dir)
	if s.first, err = p.start(ctx); err != nil {
		return s, err
	}
	if err := p.stop(); err != nil {
		return s, err
	}
	if s.again, err = p.start(ctx); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if err := pass(ctx, rest); err != nil {
		return s, err
	}
	own, chaosTarget := p.pids()
	var errTarget error
	s.rss, s.pss, err = memory(own)
	s.targetRSS, s.targetPSS, errTarget = memory(chaosTarget)
	return s, errors.Join(err, errTarget)
}

func (r results) figures() []figure {
	median := func(samples []sample, of func(sample) float64) float64 {
		var values []float64
		for _, s := range samples {
			values = append(values, of(s))
		}
		return at(values, 0.5)
	}
	compare := func(what, unit string, of func(sample) float64, held target) figure {
		return figure{"Start and memory", what, unit, median(r.alone, of), "the Temporal server alone", median(r.up, of), held}
	}
	alone := func(what string, of func(sample) float64) figure {
		return figure{Subject: "Start and memory", What: what, Unit: "MB", Ours: median(r.up, of)}
	}
	return []figure{
		compare("the very first start", "ms", func(s sample) float64 { return inMS(s.first) }, atMost(firstTarget)),
		compare("start on existing data", "ms", func(s sample) float64 { return inMS(s.again) }, atMost(startTarget)),
		compare("memory at rest, RSS", "MB", func(s sample) float64 { return inMB(s.rss) }, atMost(memoryTarget)),
		compare("memory at rest, PSS", "MB", func(s sample) float64 { return inMB(s.pss) }, target{}),
		alone("the chaos target, not included above, RSS", func(s sample) float64 { return inMB(s.targetRSS) }),
		alone("the same, PSS", func(s sample) float64 { return inMB(s.targetPSS) }),
	}
}

// memory sums the memory of processes in kB: resident (RSS), and with shared pages divided among their users (PSS).
func memory(pids []int) (rss, pss int, err error) {
	for _, pid := range pids {
		process, errProcess := procfs.NewProc(pid)
		status, errStatus := process.NewStatus()
		shared, errShared := process.ProcSMapsRollup()
		rss, pss = rss+int(status.VmRSS/1024), pss+int(shared.Pss/1024)
		err = errors.Join(err, errProcess, errStatus, errShared)
	}
	return rss, pss, err
}

// family is a process with all its descendants.
func family(pid int) []int {
	found := []int{pid}
	for _, child := range children(pid) {
		found = append(found, family(child)...)
	}
	return found
}

func children(pid int) (found []int) {
	processes, _ := procfs.AllProcs()
	for _, process := range processes {
		if stat, err := process.Stat(); err == nil && stat.PPID == pid {
			found = append(found, process.PID)
		}
	}
	return found
}

// runs reports whether a process was started with a subcommand.
func runs(pid int, subcommand string) bool {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	arguments, _ := process.CmdLine()
	return len(arguments) > 1 && arguments[1] == subcommand
}

func inMB(kB int) float64 { return float64(kB) / 1024 }

// loadTarget is the allowed memory after loadPosts workflows, relative to the memory before.
const loadTarget = 2.5

// loadPosts is the number of posts that are written and cancelled, which releases their slots.
const loadPosts = 1_000

// underLoad measures the product's memory at rest before and after 1,000 workflows.
func (b *bench) underLoad(ctx context.Context) (found []figure, err error) {
	err = b.onPosting(ctx, func(p *posting) error {
		idle, err := b.atRest(ctx, p.up)
		if err != nil {
			return err
		}
		var number atomic.Int64
		if _, err := together(ctx, loadPosts, func(ctx context.Context) error { return p.writeAndCancel(ctx, number.Add(1)) }); err != nil {
			return err
		}
		held, err := b.atRest(ctx, p.up)
		found = []figure{{
			Subject: "Memory", What: fmt.Sprintf("after %d workflows, at rest, RSS", loadPosts), Unit: "MB",
			Baseline: idle, Beside: "before them", Ours: held, Target: atMost(loadTarget),
		}}
		return err
	})
	return found, err
}

// atRest is the memory of the product's processes after a pause, in MB.
func (b *bench) atRest(ctx context.Context, up *upProduct) (float64, error) {
	if err := pass(ctx, rest); err != nil {
		return 0, err
	}
	own, _ := up.pids()
	rss, _, err := memory(own)
	return inMB(rss), err
}

func (p *posting) writeAndCancel(ctx context.Context, number int64) error {
	id, err := p.write(ctx, fmt.Sprintf("Post %d", number), time.Now().Add(24*time.Hour))
	if err != nil {
		return err
	}
	return ask(ctx, p.founder, http.MethodDelete, "/api/posts/"+id, nil, nil)
}
