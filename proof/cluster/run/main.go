// Command run runs a cluster in the foreground until Ctrl-C. SIGHUP restarts its processes one by one.
//
// Usage: run [flags] [NAME=value…], the settings of the product
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"customerzero/proof/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, options(), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func options() cluster.Options {
	o := cluster.Options{Out: os.Stdout}
	flag.StringVar(&o.Dir, "dir", "data/cluster", "`directory` of data and logs")
	flag.StringVar(&o.Address, "address", "127.0.0.1:8080", "`host:port` of the proxy")
	flag.StringVar(&o.TargetAddress, "target-address", "127.0.0.1:8085", "`host:port` at which the proxy serves the chaos target")
	bin := flag.String("bin", "bin", "`directory` of customerzero, temporald and caddy")
	flag.Parse()
	o.Product, o.Temporald, o.Caddy = filepath.Join(*bin, "customerzero"), filepath.Join(*bin, "temporald"), filepath.Join(*bin, "caddy")
	o.Caddyfile, o.Settings = filepath.Join("deploy", "Caddyfile"), flag.Args()
	return o
}

func run(ctx context.Context, o cluster.Options, out io.Writer) error {
	rolls := make(chan os.Signal, 1)
	signal.Notify(rolls, syscall.SIGHUP)
	defer signal.Stop(rolls)
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return err
	}
	defer c.Stop()
	greet(c, o.Dir, out)
	for {
		select {
		case <-ctx.Done():
			_, _ = fmt.Fprintln(out, "stopping")
			return nil
		case <-rolls:
			roll(ctx, c, out)
		}
	}
}

func roll(ctx context.Context, c *cluster.Cluster, out io.Writer) {
	began := time.Now()
	if _, err := c.Roll(ctx); err != nil {
		_, _ = fmt.Fprintln(out, "could not roll:", err)
		return
	}
	_, _ = fmt.Fprintln(out, "rolled in", time.Since(began).Round(time.Second))
}

func greet(c *cluster.Cluster, dir string, out io.Writer) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	say("The Customer Zero cluster is running.")
	say("  pages and API      %s   (the proxy; %d API servers, %d workers)", c.URL, len(c.APIs), len(c.Workers))
	say("  Temporal console   %s", c.TemporalURL)
	say("  X sandbox          %s/sandbox/x   (nothing reaches the real X)", c.URL)
	say("  Stripe sandbox     %s/sandbox/stripe   (no card is charged)", c.URL)
	say("  mail sandbox       %s/sandbox/mail   (no e-mail leaves this machine)", c.URL)
	say("  chaos target       %s   (chaos runs break this instance)", c.TargetURL)
	say("  data and logs      %s   (admin key in the file admin-key)", dir)
	say("Rolling restart: kill -HUP %d    Stop: Ctrl-C", os.Getpid())
}
