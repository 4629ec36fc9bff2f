package faults

import (
	"context"

	"customerzero/internal/domain/chaos"
)

type crashAPI struct{}

func (crashAPI) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "crash-api", Title: "Crash the API",
		About:   "Kills the process that serves the pages and the API, with SIGKILL.",
		Promise: chaos.SlowPromise, Weight: 3,
	}
}

func (crashAPI) Check(_ context.Context, target *Target) error {
	if !target.Process.Alive() {
		return refuse("This fault cannot be injected now: the process is not running.")
	}
	return nil
}

func (crashAPI) Inject(_ context.Context, target *Target) error { return target.Process.Kill() }

func (crashAPI) Revert(ctx context.Context, target *Target) error {
	if target.Process.Alive() {
		return nil
	}
	return target.Process.Restart(ctx)
}
