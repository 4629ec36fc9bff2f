package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// errStopping ends a long step whose worker is asked to stop: another worker goes on at once.
var errStopping = temporal.NewApplicationError("The worker stops; another one goes on.", "worker_stopping")

// each does something at once and again and again, until it says that it is done. From one
// beginning to the next it is never less than every: two probes that follow at once see the
// same moment twice.
func each(ctx context.Context, every time.Duration, do func() (done bool)) error {
	for {
		next := time.NewTimer(every)
		done := do()
		if done {
			next.Stop()
			return nil
		}
		select {
		case <-next.C:
		case <-activity.GetWorkerStopChannel(ctx):
			next.Stop()
			return errStopping
		case <-ctx.Done():
			next.Stop()
			return ctx.Err()
		}
	}
}
