// Package main tortures the product: it sends posts through real processes while it kills
// them, cuts their database off, and lets X lose answers, and then holds the books against
// the timeline. Every breach of a promise is printed, and makes the program fail.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API, reads the
// tables, and may not write to them. The product may not import it.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o := readOptions()
	kept, err := run(ctx, o)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(2)
	case !kept:
		os.Exit(1)
	}
}

func readOptions() options {
	o := options{out: os.Stdout, temporald: os.Getenv("TEMPORAL_BIN"), postgres: os.Getenv("TEST_DATABASE_URL")}
	flag.IntVar(&o.posts, "posts", 200, "how many posts to write")
	flag.IntVar(&o.kills, "kills", 10, "how often to kill the worker; the API dies a third as often")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64(), "the same seed makes the same plan")
	databases := flag.String("databases", strings.Join(kinds, ","), "which databases, one after the other")
	flag.DurationVar(&o.timeout, "timeout", 15*time.Minute, "how long one database may take")
	flag.BoolVar(&o.verbose, "v", false, "tell every event as it happens")
	flag.Parse()
	o.databases = strings.Split(*databases, ",")
	return o
}
