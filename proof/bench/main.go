// Command bench measures the product beside baselines: programs that do the least which anybody
// would have to, in the same run on the same machine, in turns, so that a busy machine slows
// both. Targets are ratios, which travel from machine to machine.
//
// It only measures: it knows the product by its binaries, and shares no code with it but the
// launcher of the server, the names of flows, and what stands in for X.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"customerzero/proof/bench/baseline"
)

type bench struct {
	product, server string
	rounds          int
	rest, turn      time.Duration
	buyers, quotes  int
	heals, looks    int
	pause           time.Duration
}

// altogether is how long the measures may take, so that somebody waits for them.
const altogether = 20 * time.Minute

func main() { os.Exit(exit(start())) }

func start() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "baseline" { // as a child of ours, so that both are processes
		return baseline.Serve(ctx)
	}
	b := bench{}
	flag.StringVar(&b.product, "customerzero", "bin/customerzero", "the product's `program`")
	flag.StringVar(&b.server, "temporald", "bin/temporald", "the Temporal server's `program`")
	flag.IntVar(&b.rounds, "rounds", 5, "how `often` the product and a baseline take turns")
	flag.DurationVar(&b.rest, "rest", 8*time.Second, "how `long` both idle before their memory is read")
	flag.DurationVar(&b.turn, "turn", 1500*time.Millisecond, "how `long` one of them is under load")
	flag.IntVar(&b.buyers, "buyers", 20, "how `many` ask for a price at once")
	flag.DurationVar(&b.pause, "pause", 3*time.Second, "how `long` a buyer looks at a price")
	flag.IntVar(&b.quotes, "quotes", 200, "how `many` prices are asked for")
	flag.IntVar(&b.heals, "heals", 3, "how `often` the cell is broken by each fault")
	flag.IntVar(&b.looks, "looks", 8, "how `often` the front page is verified")
	only := flag.String("only", "", "measure these `names` alone, separated by commas: "+strings.Join(names(b.measures()), ", "))
	write := flag.String("write", "", "write the results to this `document`, with a plot beside it")
	flag.Parse()
	return b.main(ctx, *only, *write)
}

// exit is 1 when a target is missed for no reason that is known, 2 when something could not be measured.
func exit(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	if errors.Is(err, errMissed) {
		return 1
	}
	return 2
}

func (b *bench) main(ctx context.Context, only, write string) error {
	measures, err := chosen(b.measures(), only)
	if err != nil {
		return err
	}
	if write != "" && only != "" {
		return errors.New("a document tells of all measures: leave out -only, or -write")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, altogether, fmt.Errorf("all measures together took longer than %v", altogether))
	defer cancel()
	about := describeRun()
	figures, err := runAll(ctx, measures, os.Stderr)
	printTables(os.Stdout, figures)
	if err != nil {
		return err
	}
	about.Took = time.Since(about.Began).Round(time.Second)
	if write != "" {
		if err := writeDocument(write, about, figures); err != nil {
			return err
		}
	}
	return verdictOn(figures)
}
