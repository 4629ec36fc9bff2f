// Package activities does the work that workflows order: every side effect is here. An
// activity asks a small interface, declared beside it; its key comes from business ids.
// It is safe to repeat, or its comment says that it is tried once and then looked for.
package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// errStopping ends a long step whose worker is asked to stop: another worker goes on at once.
var errStopping = temporal.NewApplicationError("The worker stops; another one goes on.", "worker_stopping")

// each does something at once and again and again, until it is done or fails. From one
// beginning to the next it is never less than every: two probes that follow at once see the
// same moment twice.
func each(ctx context.Context, every time.Duration, do func() (done bool, err error)) error {
	return eachUntil(ctx, activity.GetWorkerStopChannel(ctx), every, do)
}

func eachUntil(ctx context.Context, leaving <-chan struct{}, every time.Duration, do func() (done bool, err error)) error {
	for {
		next := time.NewTimer(every)
		done, err := do()
		if done || err != nil {
			next.Stop()
			return err
		}
		select {
		case <-next.C:
		case <-leaving:
			next.Stop()
			return errStopping
		case <-ctx.Done():
			next.Stop()
			return ctx.Err()
		}
	}
}

// lingering is closed a while after the worker was asked to stop: for what would be missed while
// another one takes over. It ends with ctx.
func lingering(ctx context.Context, while time.Duration) <-chan struct{} {
	leaving := make(chan struct{})
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
		case <-ctx.Done():
			return
		}
		over := time.NewTimer(while)
		defer over.Stop()
		select {
		case <-over.C:
			close(leaving)
		case <-ctx.Done():
		}
	}()
	return leaving
}

// Canary holds the activity that proves that workers work.
type Canary struct{ Database Pinger }

// Pinger answers when it is well. *store.DB implements it.
type Pinger interface {
	Ping(ctx context.Context) error
}

// NoInput is the input of an activity that needs none, and Done the result of one that has none.
type (
	NoInput struct{}
	Done    struct{}
)

// RunCanary answers when the worker can reach the database.
func (a *Canary) RunCanary(ctx context.Context, _ NoInput) (Done, error) {
	return Done{}, a.Database.Ping(ctx)
}
