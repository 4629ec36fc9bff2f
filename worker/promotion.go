package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/workflows/client"
)

// Promotion makes the build of this program the current one: it continues all open runs from their next
// step, and starts new ones.
type Promotion struct {
	Deployment Deployment // of this program
	Runs       *client.Client
	Replayer   *Replayer
	All        bool          // replay every open run instead of some of each workflow
	Wait       time.Duration // how long to wait for its workers
	Report     func(format string, args ...any)
}

const (
	// replayedRuns is how many of a workflow's newest and of its oldest runs are replayed.
	replayedRuns = 25
	// namedRuns is how many runs an error names.
	namedRuns = 5
	// canaryTimeout bounds the canary workflow.
	canaryTimeout = 10 * time.Second
	// promoteEvery is the interval between attempts to make the build current.
	promoteEvery = 250 * time.Millisecond
)

// Promote makes this build current if its code replays the open runs and one of its workers completes
// the canary. Otherwise it changes nothing and returns the reason.
func (p *Promotion) Promote(ctx context.Context) error {
	if err := p.replayOpenRuns(ctx); err != nil {
		return err
	}
	before, err := p.Runs.CurrentBuild(ctx, p.Deployment.Name)
	if err != nil {
		return err
	}
	late := time.NewTimer(p.Wait)
	defer late.Stop()
	for tick := time.Tick(promoteEvery); ; {
		seen, err := p.Runs.CurrentBuild(ctx, p.Deployment.Name)
		switch {
		case err != nil:
			return err
		case seen.Build == p.Deployment.Build:
			p.Report("build %s is current\n", seen.Build)
			return nil
		case seen.Build != before.Build:
			return fmt.Errorf("build %s was made current by another process, so nothing was changed; promote again to replace it", seen.Build)
		}
		missing, err := p.takeOver(ctx, seen)
		if err != nil {
			return fmt.Errorf("build %s could not be made current: %w", p.Deployment.Build, err)
		}
		if missing == nil {
			p.Report("build %s is current; before it: %s\n", p.Deployment.Build, cmp.Or(seen.Build, "none"))
			return nil
		}
		select {
		case <-tick:
		case <-late.C:
			return missing
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Settle makes this build current in a deployment that has none, once its workers work. Of several
// concurrent attempts one succeeds, and the others find a current build. It leaves a deployment with a
// current build alone, so that a restarted worker does not take work back from another build.
func (p *Promotion) Settle(ctx context.Context) {
	for tick := time.Tick(time.Second); ; {
		done, err := p.settle(ctx)
		if done || ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.WarnContext(ctx, "no worker build is current yet; the next round retries", "deployment", p.Deployment.Name, "error", err)
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}

func (p *Promotion) settle(ctx context.Context) (done bool, err error) {
	seen, err := p.Runs.CurrentBuild(ctx, p.Deployment.Name)
	if err != nil || seen.Build != "" {
		return seen.Build != "", err
	}
	if err := p.replayOpenRuns(ctx); err != nil {
		return false, err
	}
	missing, err := p.takeOver(ctx, seen)
	return missing == nil && err == nil, err
}

// takeOver makes the build current once it has completed the canary, because Temporal lists a killed
// worker for another minute. missing is what is still needed.
func (p *Promotion) takeOver(ctx context.Context, seen client.CurrentBuild) (missing, err error) {
	canary, cancel := context.WithTimeout(ctx, canaryTimeout)
	defer cancel()
	if p.Runs.RunCanaryIn(canary, p.Deployment.Name, p.Deployment.Build) != nil {
		build := p.Deployment.Build
		return fmt.Errorf("no worker of build %s is polling; start one with WORKER_BUILD=%s", build, build), ctx.Err()
	}
	err = p.Runs.MakeCurrent(ctx, p.Deployment.Name, seen, p.Deployment.Build)
	if errors.Is(err, client.ErrBuildsChanged) {
		return err, nil
	}
	return nil, err
}

// replayOpenRuns replays the open runs with the code of this program, and returns an error that names
// those that fail.
func (p *Promotion) replayOpenRuns(ctx context.Context) error {
	most := replayedRuns
	if p.All {
		most = 0
	}
	open, err := p.Runs.OpenRuns(ctx, most)
	if err != nil {
		return fmt.Errorf("list the open runs: %w", err)
	}
	replayed := 0
	var failed []string
	for _, flow := range slices.Sorted(maps.Keys(open)) {
		for _, run := range open[flow] {
			check, err := p.Replayer.Replay(ctx, run.ID, run.RunID)
			if err != nil && problem.CodeOf(err) != problem.NotFound { // an ended run may be deleted
				return fmt.Errorf("read the history of %s: %w", run.ID, err)
			}
			if replayed++; check.Message != "" {
				p.Report("FAILED  %s %s\n    %s\n", run.ID, run.RunID, check.Message)
				failed = append(failed, run.ID)
			}
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("build %s was not made current, because %d of the open runs do not replay with it: %s; guard the change with workflow.GetVersion",
			p.Deployment.Build, len(failed), strings.Join(failed[:min(len(failed), namedRuns)], ", "))
	}
	p.Report("%d open runs replayed with build %s\n", replayed, p.Deployment.Build)
	return nil
}
