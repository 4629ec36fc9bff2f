// Command crash runs the crash tests of the product: it kills processes, disconnects the database and makes
// external services fail, and then compares what is stored with what happened. It prints every violated
// promise and exits with 1 if there is one.
//
// Usage: crash posts|checkouts|chaos|outages [flags]
//
//	crash watch URL    sends requests there until it is interrupted
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"customerzero/proof/crash/chaos"
	"customerzero/proof/crash/checkouts"
	"customerzero/proof/crash/outages"
	"customerzero/proof/crash/posts"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/watch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kept, err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	case !kept:
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (kept bool, err error) {
	tests := map[string]rig.CrashTest{"posts": posts.CrashTest, "checkouts": checkouts.CrashTest, "chaos": chaos.CrashTest, "outages": outages.CrashTest}
	switch {
	case len(args) == 2 && args[0] == "watch":
		return watch.Command(ctx, args[1], os.Stdout), nil
	case len(args) == 0 || tests[args[0]].On == nil:
		return false, errors.New("usage: crash posts|checkouts|chaos|outages [flags], or crash watch URL")
	}
	chosen := tests[args[0]]
	return chosen.Run(ctx, chosen.ReadOptions(args[1:]))
}
