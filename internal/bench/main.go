// Command bench measures what the product adds to the Temporal server that it brings, the
// time until it is ready and memory at rest, how long buyers wait for their price, how long the
// cell stays broken, and how long a verification takes beside plain Playwright. The first two are measured side by side, in turns, so that a busy
// machine slows both; their targets are ratios, which travel from machine to machine.
//
// It only measures: it knows the product by its binaries, and shares no code with it but
// the launcher of the server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	b := bench{}
	flag.StringVar(&b.product, "customerzero", "bin/customerzero", "the product's `program`")
	flag.StringVar(&b.server, "temporald", "bin/temporald", "the Temporal server's `program`")
	flag.IntVar(&b.rounds, "rounds", 7, "how `often` each is started")
	flag.DurationVar(&b.rest, "rest", 10*time.Second, "how `long` both idle before their memory is read")
	flag.IntVar(&b.buyers, "buyers", 20, "how `many` ask for a price at once")
	flag.DurationVar(&b.pause, "pause", 3*time.Second, "how `long` a buyer looks at a price")
	flag.IntVar(&b.quotes, "quotes", 300, "how `many` prices are asked for")
	flag.IntVar(&b.heals, "heals", 5, "how `often` the cell is broken by each fault")
	flag.IntVar(&b.looks, "looks", 20, "how `often` the front page is verified")
	flag.Parse()
	os.Exit(b.main())
}

func (b *bench) main() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	results, err := b.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	met := report(os.Stdout, results)
	prices, err := b.runQuotes(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	met = prices.report(os.Stdout) && met
	healed, err := b.runHeals(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	met = healed.report(os.Stdout) && met
	seen, err := b.runLooks(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	if met = seen.report(os.Stdout) && met; !met {
		return 1
	}
	return 0
}
