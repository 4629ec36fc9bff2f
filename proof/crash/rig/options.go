package rig

import (
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// Options are what the flags and the environment say.
type Options struct {
	Count, Kills int // how many things to do, and how often to kill the worker
	Seed         uint64
	Databases    []string
	Timeout      time.Duration // of each database
	Verbose      bool
	Blind        bool   // the product finds no browser, which takes half of the processors to itself
	Roll         bool   // a cluster: restart its processes meanwhile
	Product      string // the program; empty: it is built of the sources as they are
	Temporald    string // the Temporal server's program; empty: bin/temporald
	Caddy        string // the proxy's program, and what it reads; empty: those of the repository
	Caddyfile    string
	Postgres     string // a server on which we may make databases
	Out          io.Writer
}

// ReadOptions reads the flags of a crash test.
func (t CrashTest) ReadOptions(args []string) Options {
	o := Options{Out: os.Stdout, Temporald: os.Getenv("TEMPORAL_BIN"), Postgres: os.Getenv("TEST_DATABASE_URL")}
	flags := flag.NewFlagSet(t.Things, flag.ExitOnError)
	flags.IntVar(&o.Count, "n", 200, "how many "+t.Things)
	flags.IntVar(&o.Kills, "kills", 10, "how often to kill the worker; with 0 nothing is cut either")
	flags.Uint64Var(&o.Seed, "seed", rand.Uint64(), "the same seed makes the same plan")
	databases := flags.String("databases", strings.Join(Kinds, ","), "which databases, one after the other; mortal: a Postgres that is killed; cluster: replicas on Postgres, behind a proxy")
	flags.DurationVar(&o.Timeout, "timeout", 15*time.Minute, "how long one database may take")
	flags.StringVar(&o.Product, "product", "", "the program; empty: it is built of the sources as they are")
	flags.BoolVar(&o.Roll, "roll", true, "restart the processes of a cluster, one after the other, meanwhile")
	flags.BoolVar(&o.Verbose, "v", false, "tell every event as it happens")
	_ = flags.Parse(args) // it exits by itself
	o.Databases = strings.Split(*databases, ",")
	return o
}
