package faults

import (
	"context"
	"errors"
	"sync"

	"customerzero/internal/domain/chaos"
)

// nuclearOption injects all other faults at once.
type nuclearOption struct{}

func (nuclearOption) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "nuclear-option", Title: "Nuclear option",
		About:   "Injects all of these faults at once.",
		Promise: chaos.SlowPromise, Weight: 5,
	}
}

func (nuclearOption) Check(ctx context.Context, target *Target) error {
	for _, one := range single() {
		if err := one.Check(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

func (nuclearOption) Inject(ctx context.Context, target *Target) error {
	faults := single()
	errs := make([]error, len(faults))
	var wait sync.WaitGroup
	for i, one := range faults {
		wait.Go(func() { errs[i] = one.Inject(ctx, target) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// Revert reverts all faults in turn, because restoring the database restarts the process. It continues after
// an error.
func (nuclearOption) Revert(ctx context.Context, target *Target) error {
	var errs []error
	for _, one := range single() {
		errs = append(errs, one.Revert(ctx, target))
	}
	return errors.Join(errs...)
}
