// Command temporald is a Temporal server for one machine: one process, Web UI included, that
// keeps its data in one SQLite file or, if told so, on a Postgres server. The product runs it as a child process, so that neither the server nor
// its dependencies are linked into the product.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A launcher that was killed leaves broken pipes behind. Writing to one must not cut
	// the stop short.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
