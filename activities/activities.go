// Package activities holds all side effects of workflows. An activity calls small interfaces that are
// declared beside it, and its idempotency key comes from business IDs. It is safe to repeat, unless its
// comment states that it runs once and is then reconciled.
package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// errStopping ends a long activity whose worker is shutting down, so that another worker continues it at
// once.
var errStopping = temporal.NewApplicationError("The worker is shutting down; another one continues this step.", "worker_stopping")

// poll calls do at once and then repeatedly, until it is done or fails. Calls start at least every
// apart: two probes in quick succession would observe the same moment.
func poll(ctx context.Context, every time.Duration, do func() (done bool, err error)) error {
	return pollUntil(ctx, activity.GetWorkerStopChannel(ctx), every, do)
}

func pollUntil(ctx context.Context, stop <-chan struct{}, every time.Duration, do func() (done bool, err error)) error {
	for {
		next := time.NewTimer(every)
		done, err := do()
		if done || err != nil {
			next.Stop()
			return err
		}
		select {
		case <-next.C:
		case <-stop:
			next.Stop()
			return errStopping
		case <-ctx.Done():
			next.Stop()
			return ctx.Err()
		}
	}
}

// delayedStop returns a channel that is closed some time after the worker was asked to stop, for work
// that must not be interrupted while another worker takes over. It ends with ctx.
func delayedStop(ctx context.Context, delay time.Duration) <-chan struct{} {
	stop := make(chan struct{})
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			close(stop)
		case <-ctx.Done():
		}
	}()
	return stop
}

// Canary holds the activity that proves that a worker works.
type Canary struct{ Database Pinger }

// Pinger returns an error if the database does not answer. *store.DB implements it.
type Pinger interface {
	Ping(ctx context.Context) error
}

// NoInput is the input of an activity that needs none, and Done the result of one that has none.
type (
	NoInput struct{}
	Done    struct{}
)

// RunCanary succeeds if the worker can reach the database.
func (a *Canary) RunCanary(ctx context.Context, _ NoInput) (Done, error) {
	return Done{}, a.Database.Ping(ctx)
}
