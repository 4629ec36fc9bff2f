// Command crash runs the crash tests of the product: it kills its processes, cuts its database off, and
// lets what it depends on fail, and then holds what is written against what happened. Every
// breach of a promise is printed, and makes the program fail.
//
// Usage: crash posts|checkouts|chaos|outages [flags]
//
//	crash watch URL    asks there all the time, until it is interrupted
package main

import (
	"context"
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
	tests := map[string]rig.CrashTest{"posts": posts.CrashTest, "checkouts": checkouts.CrashTest, "chaos": chaos.CrashTest, "outages": outages.CrashTest}
	if len(os.Args) == 3 && os.Args[1] == "watch" {
		watchAt(os.Args[2])
	}
	if len(os.Args) < 2 || tests[os.Args[1]].On == nil {
		fmt.Fprintln(os.Stderr, "usage: crash posts|checkouts|chaos|outages [flags], or crash watch URL")
		os.Exit(2)
	}
	chosen := tests[os.Args[1]]
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kept, err := chosen.Run(ctx, chosen.ReadOptions(os.Args[2:]))
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	case !kept:
		os.Exit(1)
	}
}

func watchAt(url string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kept := watch.Command(ctx, url, os.Stdout)
	stop()
	if !kept {
		os.Exit(1)
	}
	os.Exit(0)
}
