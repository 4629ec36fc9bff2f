// Command customerzero runs the product: `up` runs everything on one machine; `api`, `worker` and
// `migrate` run the parts that need Postgres and a Temporal cluster.
package main

import (
	"os"

	"customerzero/internal/platform/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
