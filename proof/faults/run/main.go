// Command run does to the product what the matrix of faults says, and holds what must hold
// meanwhile: it runs the tests of every row, those that draw random numbers with several seeds.
// It prints what came of each row. A breach is printed with the line that repeats it, and makes
// the program fail.
//
// Usage: scripts/with-postgres bin/faults [flags]
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

	"customerzero/proof/faults"
)

// options are what the flags and the environment say.
type options struct {
	root          string // the repository
	rows          []faults.Row
	seeds         []uint64
	lanes         int           // how many programs run at once
	limit         time.Duration // of one program, for one that hangs
	write         string        // the document; empty: none
	env           []string      // of every program
	out, progress io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := readOptions(os.Args[1:])
	kept := false
	if err == nil {
		kept, err = run(ctx, o)
	}
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	case !kept:
		os.Exit(1)
	}
}

func readOptions(args []string) (options, error) {
	o := options{out: os.Stdout, progress: os.Stderr}
	flags := flag.NewFlagSet("faults", flag.ExitOnError)
	flags.StringVar(&o.root, "root", ".", "the repository's `folder`")
	rows := flags.String("rows", "", "only these `rows`, as F1,F7")
	count := flags.Int("seeds", 10, "with how `many` seeds tests run that draw random numbers")
	first := flags.Uint64("seed", uint64(rand.Uint32()), "the first `seed`; the others follow it")
	flags.IntVar(&o.lanes, "lanes", 7, "how `many` test programs run at once, of those that run with each seed")
	flags.DurationVar(&o.limit, "limit", time.Hour, "how `long` a test program may take before it counts as hanging")
	flags.StringVar(&o.write, "write", "", "the `file` to write the table to, with all that belongs to it")
	product := flags.String("product", "bin/customerzero", "the product's `program`")
	server := flags.String("temporald", "bin/temporald", "the Temporal server's `program`")
	_ = flags.Parse(args) // it exits by itself
	for n := range max(*count, 1) {
		o.seeds = append(o.seeds, *first+uint64(n))
	}
	if os.Getenv("TEST_DATABASE_URL") == "" {
		return o, errors.New("TEST_DATABASE_URL names no Postgres: run make faults, or scripts/with-postgres bin/faults")
	}
	if *rows != "" && o.write != "" {
		return o, errors.New("the document has all rows: leave -rows or -write out")
	}
	var err error
	if o.env, err = programs(*product, *server); err != nil {
		return o, err
	}
	o.rows, err = choose(faults.Rows(), *rows)
	return o, err
}

// programs names the programs that the tests start.
func programs(product, server string) (env []string, err error) {
	for setting, program := range map[string]string{"TORTURE_PRODUCT": product, "TEMPORAL_BIN": server} {
		path, err := filepath.Abs(program)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("run make build: %w", err)
		}
		env = append(env, setting+"="+path)
	}
	return append(env, "PROOF=1"), nil // on both databases
}

// choose gives the rows with the numbers that are wanted, or all.
func choose(rows []faults.Row, wanted string) (chosen []faults.Row, err error) {
	if wanted == "" {
		return rows, nil
	}
	for number := range strings.SplitSeq(wanted, ",") {
		i := slices.IndexFunc(rows, func(r faults.Row) bool { return r.Name() == strings.TrimSpace(number) })
		if i < 0 {
			return nil, fmt.Errorf("there is no row %q", number)
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}
