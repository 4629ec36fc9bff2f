// Command bench measures the product beside baselines: programs that do the least which anybody
// would have to, in the same run on the same machine, in turns, so that a busy machine slows
// both. Targets are ratios, which travel from machine to machine.
//
// It only measures: it knows the product by its binaries, and shares no code with it but the launcher of the server,
// the names of flows, the types of answers, and the X sandbox.
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

// altogether is how long the measures may take, so that somebody waits for them.
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
	if len(os.Args) > 1 && os.Args[1] == "baseline" { // as a child of ours, so that both are processes
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

// measure is something that is measured. What it has found when it fails is told, too.
type measure struct {
	name string
	run  func(context.Context) ([]figure, error)
}

// measures are all there is to measure, in the order of the document.
func (b *bench) measures() []measure {
	return []measure{
		{"reads", b.reads},
		{"votes", b.votes},
		{"slots", b.slots},
		{"slow", b.slow},
		{"start", b.startAndMemory},
		{"prices", b.prices},
		{"heals", b.healing},
		{"looks", b.verifications},
		{"posting", b.posting},
		{"lateness", b.lateness},
		{"load", b.underLoad},
		{"growth", b.growth},
	}
}

// verdictOn fails if something is slower than it should be for a reason that nobody knows.
func verdictOn(figures []figure) (err error) {
	for _, f := range missed(figures) {
		if causeOf(f) == "" {
			err = errors.Join(err, fmt.Errorf("%s: %s: %.2f, %s is wanted, and figures.go does not say why", f.Subject, f.What, f.held(), f.TargetText()))
		}
	}
	return err
}

// runAll takes measures one after the other: at once they would measure one another. One that
// fails does not keep the others from being taken.
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
