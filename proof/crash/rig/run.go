package rig

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"customerzero/proof/cluster"
)

// Options are the flags and the environment of a crash test.
type Options struct {
	Count, Kills int // number of things to do, and of kills of the worker
	Seed         uint64
	Databases    []string
	Timeout      time.Duration // of each database
	Blind        bool          // hide the browser from the product, because it needs half of the CPUs
	Postgres     string        // URL of a server on which databases can be created
	Out          io.Writer

	programs cluster.Options
}

// ReadOptions reads the flags of a crash test.
func (t CrashTest) ReadOptions(args []string) Options {
	o := Options{Out: os.Stdout, Postgres: os.Getenv("TEST_DATABASE_URL")}
	flags := flag.NewFlagSet(t.Things, flag.ExitOnError)
	flags.IntVar(&o.Count, "n", 200, "how many "+t.Things)
	flags.IntVar(&o.Kills, "kills", 10, "how often to kill the worker; with 0 nothing is cut either")
	flags.Uint64Var(&o.Seed, "seed", rand.Uint64(), "the same seed makes the same plan")
	databases := flags.String("databases", strings.Join(Kinds, ","), "which databases, one after the other; mortal: a Postgres that is killed; cluster: replicas on Postgres, behind a proxy")
	flags.DurationVar(&o.Timeout, "timeout", 15*time.Minute, "how long one database may take")
	_ = flags.Parse(args) // it exits by itself
	o.Databases = strings.Split(*databases, ",")
	return o
}

// CrashTest is a crash test, such as "posts".
type CrashTest struct {
	Things string // what is done many times, such as "posts"
	// On runs it on a stage and returns its report when everything has settled.
	On func(ctx context.Context, o Options, s *Stage) (Report, error)
}

// Run runs the crash test on each database and returns whether every promise was kept.
func (t CrashTest) Run(ctx context.Context, o Options) (bool, error) {
	Print(o.Out, "seed %d: %d %s, %d kills", o.Seed, o.Count, t.Things, o.Kills)
	dir, err := os.MkdirTemp("", "customerzero-crash.")
	if err != nil {
		return false, err
	}
	if o.programs, err = cluster.Programs(ctx, dir); err != nil {
		return false, err
	}
	kept := true
	for _, kind := range o.Databases {
		ok, err := t.onOne(ctx, o, kind, filepath.Join(dir, kind))
		if err != nil {
			return false, fmt.Errorf("%s: %w (seed %d, logs: %s)", kind, err, o.Seed, dir)
		}
		kept = kept && ok
	}
	if !kept {
		Print(o.Out, "seed %d; logs, events and databases: %s", o.Seed, dir)
		return false, nil
	}
	return true, os.RemoveAll(dir)
}

func (t CrashTest) onOne(ctx context.Context, o Options, kind, dir string) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("not over after %s", o.Timeout))
	defer cancel()
	began := time.Now()
	s := &Stage{Kind: kind, Dir: dir, Trap: &Trap{}, options: o}
	defer s.close()
	if err := s.open(ctx, o); err != nil {
		return false, err
	}
	found, err := t.On(ctx, o, s)
	if err != nil {
		return false, err
	}
	s.report(&found)
	found.Counts["seconds"] = int(time.Since(began).Seconds())
	return found.print(o.Out, kind), nil
}

// Print prints a line.
func Print(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }

// EventLog records what was done when, to explain violations.
type EventLog struct {
	mu    sync.Mutex
	file  *os.File
	start time.Time
}

// Note writes a line.
func (d *EventLog) Note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	line := fmt.Sprintf("%s %7.3fs  %s\n", now.UTC().Format("15:04:05.000"), now.Sub(d.start).Seconds(), fmt.Sprintf(format, args...))
	_, _ = d.file.WriteString(line)
}

// Write logs the output of a program.
func (d *EventLog) Write(text []byte) (int, error) {
	d.Note("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}

func (d *EventLog) close() { _ = d.file.Close() }
