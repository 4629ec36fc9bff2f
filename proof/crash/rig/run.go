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

// Options are what the flags and the environment say.
type Options struct {
	Count, Kills int // how many things to do, and how often to kill the worker
	Seed         uint64
	Databases    []string
	Timeout      time.Duration // of each database
	Blind        bool          // the product finds no browser, which takes half of the processors to itself
	Postgres     string        // a server on which we may make databases
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

// CrashTest is something that is done to the product, with the promises it has to keep.
type CrashTest struct {
	Things string // what is done many times: "posts"
	// On does it on a stage, and gives what was found when everything was quiet.
	On func(ctx context.Context, o Options, s *Stage) (Report, error)
}

// Run does it to the product on each database, and says whether it kept every promise.
func (t CrashTest) Run(ctx context.Context, o Options) (bool, error) {
	Say(o.Out, "seed %d: %d %s, %d kills", o.Seed, o.Count, t.Things, o.Kills)
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
		Say(o.Out, "seed %d; logs, events and databases: %s", o.Seed, dir)
		return false, nil
	}
	return true, os.RemoveAll(dir)
}

// onOne runs the crash test on one database.
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

// Say prints a line.
func Say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }

// Diary tells what was done when, for whoever has to explain a breach.
type Diary struct {
	mu    sync.Mutex
	file  *os.File
	start time.Time
}

// Note writes a line.
func (d *Diary) Note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	line := fmt.Sprintf("%s %7.3fs  %s\n", now.UTC().Format("15:04:05.000"), now.Sub(d.start).Seconds(), fmt.Sprintf(format, args...))
	_, _ = d.file.WriteString(line)
}

// Write notes what a program says as it goes.
func (d *Diary) Write(text []byte) (int, error) {
	d.Note("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}

func (d *Diary) close() { _ = d.file.Close() }
