package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"customerzero/internal/platform/temporal/temporald/node"
)

// command is what the command line asks for.
type command struct {
	node.Options
	exitWithStdin bool
}

// postgresURL may hold a password, and command lines can be read by everybody.
const postgresURL = "TEMPORALD_POSTGRES_URL"

// parse reads the command line. Asked for help, it prints it to stdout and returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (command, error) {
	var c command
	found := attributes{}
	flags := flag.NewFlagSet("temporald", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a mistake is answered with one sentence, not with the manual
	flags.StringVar(&c.DBFile, "db", "data/temporal.db", "SQLite `file`, unless "+postgresURL+" in the environment names a Postgres server")
	flags.StringVar(&c.Databases, "databases", "temporal", "`name` of the database on that server, and of another with _visibility; made if need be")
	flags.StringVar(&c.Host, "host", "127.0.0.1", "loopback `IP` to listen on")
	flags.IntVar(&c.Port, "port", 7233, "gRPC `port`")
	flags.IntVar(&c.UIPort, "ui-port", 8233, "Web UI `port`, 0 for none")
	flags.StringVar(&c.Namespace, "namespace", "default", "`name` of the namespace, made on the first start")
	flags.DurationVar(&c.Retention, "retention", 7*24*time.Hour, "how `long` closed workflows are kept; counts on the first start")
	flags.StringVar(&c.Sync, "sync", "full", "`full` also survives a power cut, normal is faster")
	flags.Var(found, "search-attributes", "custom search attributes as `Name=Type,…`; count on the first start")
	flags.DurationVar(&c.LockWait, "lock-wait", 8*time.Second, "how `long` to wait for a server that still uses the database")
	flags.BoolVar(&c.exitWithStdin, "exit-with-stdin", false, "stop when stdin ends, that is with the launcher")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c.SearchAttributes, c.Postgres = found, os.Getenv(postgresURL)
	return c, err
}
