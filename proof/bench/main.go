// Command bench compares the product with baselines: minimal programs that give the same responses. Both are
// measured in turns on the same machine, so that other load slows both, and most targets are ratios, which are
// comparable between machines.
//
// It runs the product's binaries, and shares with it only the server's launcher, workflow IDs, response types and
// the X sandbox.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"customerzero/proof/bench/baseline"
)

type bench struct {
	product, server string // programs
}

const altogether = 20 * time.Minute

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "baseline" { // as a child process, like the product
		return baseline.Serve(ctx)
	}
	write := flag.String("write", "", "write the results to this `document`, too")
	flag.Parse()
	b := bench{product: "bin/customerzero", server: "bin/temporald"}
	return b.main(ctx, *write)
}

func (b *bench) main(ctx context.Context, write string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, altogether, fmt.Errorf("all measures together took longer than %v", altogether))
	defer cancel()
	about := describeRun(ctx)
	figures, err := runAll(ctx, b.measures(), os.Stderr)
	about.Took = time.Since(about.Began).Round(time.Second)
	page, failed := document(about, figures)
	if err = errors.Join(err, failed); err == nil && write != "" {
		err = os.WriteFile(write, []byte(page), 0o644)
	}
	_, printed := os.Stdout.WriteString(page)
	return errors.Join(err, printed, verdictOn(figures))
}

// measure is a benchmark. run may return figures together with an error.
type measure struct {
	name string
	run  func(context.Context) ([]figure, error)
}

func (b *bench) measures() []measure {
	return []measure{
		{"reads", b.reads},
		{"votes", b.votes},
		{"slots", b.slots},
		{"slow", b.slow},
		{"start", b.startAndMemory},
		{"prices", b.prices},
		{"heals", b.healing},
		{"verifications", b.verifications},
		{"posting", b.posting},
		{"lateness", b.lateness},
		{"load", b.underLoad},
		{"growth", b.growth},
	}
}

// verdictOn returns an error for each missed target without a known cause.
func verdictOn(figures []figure) (err error) {
	for _, f := range missed(figures) {
		if causeOf(f) == "" {
			err = errors.Join(err, fmt.Errorf("%s: %s: %.2f, the target is %s, and figures.go has no cause", f.Subject, f.What, f.held(), f.TargetText()))
		}
	}
	return err
}

// runAll runs the measures one after the other, because concurrent ones would disturb each other. It continues
// after a failed one.
func runAll(ctx context.Context, measures []measure, progress io.Writer) (figures []figure, err error) {
	for i, m := range measures {
		if ctx.Err() != nil {
			return figures, errors.Join(err, context.Cause(ctx))
		}
		_, _ = fmt.Fprintf(progress, "%d of %d: %s\n", i+1, len(measures), m.name)
		began := time.Now()
		found, failed := m.run(ctx)
		figures = append(figures, found...)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", m.name, failed))
		}
		_, _ = fmt.Fprintf(progress, "%s took %v\n", m.name, time.Since(began).Round(time.Second))
	}
	return figures, err
}
