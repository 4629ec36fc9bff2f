package faults

import (
	"context"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

type corruptWorker struct{}

// badRules are valid JSON with one zero too many, as after a careless change. They fail their own check.
const badRules = `{
  "about": "The rules of the chaos target's worker, with a careless change.",
  "rules": { "maxWeight": 2800, "monthlyPosts": 500, "newest": 20 },
  "checks": [
    { "name": "280 characters go out", "text": "x", "repeat": 280, "spent": 0, "verdict": "goes_out" },
    { "name": "281 do not", "text": "x", "repeat": 281, "spent": 0, "verdict": "too_long" }
  ]
}
`

func (corruptWorker) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "corrupt-worker", Title: "Corrupt the worker",
		About:   "Overwrites the rules of the worker with rules that fail their own check, so that it stops its rounds.",
		Promise: chaos.QuickPromise, Weight: 2,
	}
}

func (corruptWorker) Check(_ context.Context, t *Target) error {
	return intact(t, target.FileRules)
}

func (corruptWorker) Inject(_ context.Context, t *Target) error {
	return confined.Replace(t.Live, target.FileRules, []byte(badRules), 0o600)
}

func (corruptWorker) Revert(ctx context.Context, t *Target) error {
	return t.Files.Restore(ctx, target.FileRules)
}
