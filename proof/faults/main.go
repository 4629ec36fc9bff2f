// Command faults generates docs/faults.md and docs/security.md from the fault matrix, the security checklist and the
// tests that prove them, and runs the tests of the fault matrix, those that draw random numbers with several seeds. It
// prints the result of each scenario. A failed test is a breach: it is printed with the command that repeats it, and
// the program exits with 1.
//
// Usage: scripts/with-postgres bin/faults [flags], in the repository's root
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	root          string // the repository
	seeds         []uint64
	lanes         int           // how many packages run at once, of the tests with seeds
	limit         time.Duration // of one go test
	env           []string      // of every go test
	out, progress io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	held, err := command(ctx, os.Args[1:])
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	case !held:
		os.Exit(1)
	}
}

// command returns whether every invariant held.
func command(ctx context.Context, args []string) (bool, error) {
	o := options{root: ".", lanes: 7, limit: time.Hour, out: os.Stdout, progress: os.Stderr}
	flags := flag.NewFlagSet("faults", flag.ExitOnError)
	docs := flags.Bool("docs", false, "run nothing, and update docs/faults.md and docs/security.md")
	rows := flags.String("rows", "", "run only these `scenarios`, such as F1,F7")
	count := flags.Int("seeds", 10, "`number` of seeds for the tests that draw random numbers")
	first := flags.Uint64("seed", uint64(rand.Uint32()), "first `seed`; the others follow it")
	write := flags.Bool("write", false, "write the results to docs/faults.md")
	_ = flags.Parse(args) // it exits by itself
	c, err := load(o.root)
	if err != nil {
		return false, err
	}
	if *docs {
		return true, c.writeDocuments("")
	}
	for n := range max(*count, 1) {
		o.seeds = append(o.seeds, *first+uint64(n))
	}
	if *rows != "" && *write {
		return false, errors.New("docs/faults.md has all scenarios: omit -rows or -write")
	}
	scenarios, err := choose(c.Scenarios, *rows)
	if err != nil {
		return false, err
	}
	if o.env, err = environment(); err != nil {
		return false, err
	}
	r, err := run(ctx, o, scenarios)
	if err != nil {
		return false, err
	}
	r.print(ctx)
	if *write {
		err = c.writeDocuments(r.measured(ctx))
	}
	return len(r.breaches) == 0, err
}

// environment names the programs that the tests start, and selects both databases.
func environment() (env []string, err error) {
	if os.Getenv("TEST_DATABASE_URL") == "" {
		return nil, errors.New("TEST_DATABASE_URL is not set: use make faults or scripts/with-postgres bin/faults")
	}
	for setting, program := range map[string]string{"CRASH_PRODUCT": "bin/customerzero", "TEMPORAL_BIN": "bin/temporald"} {
		path, err := filepath.Abs(program)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("run make build: %w", err)
		}
		env = append(env, setting+"="+path)
	}
	return append(env, "PROOF=1"), nil
}

// choose returns the scenarios with these IDs, or all.
func choose(scenarios []*scenario, ids string) (chosen []*scenario, err error) {
	if ids == "" {
		return scenarios, nil
	}
	for id := range strings.SplitSeq(ids, ",") {
		i := slices.IndexFunc(scenarios, func(s *scenario) bool { return s.ID == strings.TrimSpace(id) })
		if i < 0 {
			return nil, fmt.Errorf("no such scenario: %q", id)
		}
		chosen = append(chosen, scenarios[i])
	}
	return chosen, nil
}

func (o options) say(format string, args ...any) {
	_, _ = fmt.Fprintf(o.progress, format+"\n", args...)
}
