package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"customerzero/internal/platform/temporal/temporald/node"
)

// stopTime is how long a stop may take. The file is safe at any moment, so leaving early
// loses nothing.
const stopTime = 5 * time.Second

// restAfter is when what only the start needed is given back to the system.
const restAfter = 5 * time.Second

// run serves until ctx ends or, if told so, until stdin does. It returns the exit code.
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
	command.Logger = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if command.exitWithStdin {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel(errors.New("the launcher is gone"))
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
	fmt.Fprintf(stdout, "temporald: serving %s:%d after %v\n", o.Host, o.Port, time.Since(began).Round(time.Millisecond))
	<-ctx.Done()
	if !within(stopTime, server.Stop) {
		fmt.Fprintf(stderr, "temporald: left after %v, before the server had stopped\n", stopTime)
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
