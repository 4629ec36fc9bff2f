package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// options are what the flags and the environment say.
type options struct {
	posts, kills int
	seed         uint64
	databases    []string
	timeout      time.Duration // of each database
	verbose      bool
	temporald    string // the Temporal server's program; empty: bin/temporald
	postgres     string // a server on which we may make databases
	out          io.Writer
}

// run tortures the product on each database, and says whether it kept every promise.
func run(ctx context.Context, o options) (bool, error) {
	say(o.out, "seed %d: %d posts, %d kills", o.seed, o.posts, o.kills)
	root, err := moduleRoot()
	if err != nil {
		return false, err
	}
	if o.temporald == "" {
		o.temporald = filepath.Join(root, "bin", "temporald")
	}
	dir, err := os.MkdirTemp("", "customerzero-torture.")
	if err != nil {
		return false, err
	}
	product, err := build(ctx, root, dir)
	if err != nil {
		return false, err
	}
	kept := true
	for _, kind := range o.databases {
		ok, err := torture(ctx, o, kind, product, filepath.Join(dir, kind))
		if err != nil {
			return false, fmt.Errorf("%s: %w (logs: %s)", kind, err, dir)
		}
		kept = kept && ok
	}
	if !kept {
		say(o.out, "logs, events and databases: %s", dir)
		return false, nil
	}
	return true, os.RemoveAll(dir)
}

// torture runs the plan on one database.
func torture(ctx context.Context, o options, kind, product, dir string) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("not over after %s", o.timeout))
	defer cancel()
	began := time.Now()
	w, err := openWorld(ctx, o, kind, product, dir)
	if err != nil {
		return false, err
	}
	defer w.close()
	if err := w.begin(ctx); err != nil {
		return false, err
	}
	w.chaos(ctx)
	if err := w.calm(ctx); err != nil {
		return false, err
	}
	found, err := w.inspect(ctx)
	if err != nil {
		return false, err
	}
	found.elapsed = time.Since(began)
	return found.print(o.out), nil
}

func say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
