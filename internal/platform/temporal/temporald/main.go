// Command temporald is a Temporal server for one machine: one process, Web UI included, that keeps its
// data in one SQLite file. The product runs it as a child process, so that neither the server nor its
// dependencies are linked into the product.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/api/enums/v1"

	"customerzero/internal/platform/temporal/temporald/node"
)

func main() {
	// A killed launcher leaves broken pipes. Writing to one must not end the shutdown.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// stopTime bounds a shutdown. The file is safe at any moment, so an early exit loses nothing.
const stopTime = 5 * time.Second

// lockWait bounds the wait for another server that still uses the database.
const lockWait = 8 * time.Second

// restAfter is the delay after which the memory of the start is returned to the system.
const restAfter = 5 * time.Second

// run serves until ctx ends or, with -exit-with-stdin, stdin does. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	began := time.Now()
	command, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "temporald:", err)
		return 2
	}
	command.Logs = stderr
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if command.exitWithStdin {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel(errors.New("the launcher has ended"))
		}()
	}
	return serve(ctx, command.Options, began, stdout, stderr)
}

func serve(ctx context.Context, o node.Options, began time.Time, stdout, stderr io.Writer) int {
	server, err := node.Start(ctx, o)
	if err != nil {
		fmt.Fprintln(stderr, "temporald:", err)
		return 1
	}
	defer time.AfterFunc(restAfter, debug.FreeOSMemory).Stop()
	fmt.Fprintf(stdout, "temporald: serving 127.0.0.1:%d after %v\n", o.Port, time.Since(began).Round(time.Millisecond))
	<-ctx.Done()
	if !within(stopTime, server.Stop) {
		fmt.Fprintf(stderr, "temporald: exited after %v, before the server had stopped\n", stopTime)
		return 1
	}
	return 0
}

func within(limit time.Duration, work func()) bool {
	done := make(chan struct{})
	go func() { work(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

// command is the parsed command line.
type command struct {
	node.Options
	exitWithStdin bool
}

// parse parses the command line. For -h it prints the flags to stdout and returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (command, error) {
	c := command{Options: node.Options{LockWait: lockWait}}
	found := attributes{}
	flags := flag.NewFlagSet("temporald", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // print one sentence for an error, not all flags
	flags.StringVar(&c.DBFile, "db", "data/temporal.db", "SQLite `file`")
	flags.IntVar(&c.Port, "port", 7233, "gRPC `port`")
	flags.IntVar(&c.UIPort, "ui-port", 8233, "Web UI `port`, 0 for none")
	flags.StringVar(&c.Namespace, "namespace", "default", "`name` of the namespace, created on the first start")
	flags.DurationVar(&c.Retention, "retention", 7*24*time.Hour, "how `long` closed workflows are kept; used on the first start only")
	flags.Var(found, "search-attributes", "custom search attributes as `Name=Type,…`; used on the first start only")
	flags.BoolVar(&c.exitWithStdin, "exit-with-stdin", false, "stop when stdin ends, as when the launcher exits")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c.SearchAttributes = found
	return c, err
}

// attributes is a flag such as "Flow=Keyword,Amount=Int".
type attributes map[string]enums.IndexedValueType

func (a attributes) String() string {
	var out []string
	for name, kind := range a {
		out = append(out, name+"="+kind.String())
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// Set adds the listed attributes.
func (a attributes) Set(text string) error {
	for entry := range strings.SplitSeq(text, ",") {
		if entry == "" {
			continue
		}
		name, kind, _ := strings.Cut(entry, "=")
		value, err := enums.IndexedValueTypeFromString(kind)
		if err != nil || name == "" || value == enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return fmt.Errorf("%q is not Name=Type, with Keyword, KeywordList, Text, Int, Double, Bool or Datetime", entry)
		}
		if _, ok := a[name]; ok {
			return fmt.Errorf("%s is listed twice", name)
		}
		a[name] = value
	}
	return nil
}
