package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// Promotion makes a build the current one: it carries on all runs from their next step, and
// begins new ones.
type Promotion struct {
	Deployment Deployment // whose code this program is
	Runs       *workflows.Client
	Replayer   *Replayer
	All        bool          // every open run is replayed, not some of each flow
	Wait       time.Duration // for its workers
	Tell       func(format string, args ...any)
}

const (
	// someRuns is how many of a flow's newest runs are replayed, and of its oldest.
	someRuns = 25
	// sungWithin is how long a flow may take that does nothing.
	sungWithin = 10 * time.Second
	// lookEvery is how often it is looked whether workers are there.
	lookEvery = 250 * time.Millisecond
)

// Promote makes the build of this program current: when its code replays what is under way,
// and its workers ask at every queue.
func (p *Promotion) Promote(ctx context.Context) error {
	if err := p.gate(ctx); err != nil {
		return err
	}
	return p.switchTo(ctx, p.Deployment.Build)
}

// Return makes another build current. Whether its code replays only it can say; it did while
// it was current.
func (p *Promotion) Return(ctx context.Context, build string) error {
	return p.switchTo(ctx, build)
}

// Settle makes this build current in a deployment that has none, when its workers are there.
// Of several that try at once one succeeds, and the others find a current build. A deployment
// that has one is left alone, whichever it is: a worker that is started again must not take
// back what was given to another build.
func (p *Promotion) Settle(ctx context.Context) {
	for tick := time.Tick(time.Second); ; {
		done, err := p.settle(ctx)
		if done || ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.WarnContext(ctx, "no build of the worker is current yet; the next round tries again", "deployment", p.Deployment.Name, "error", err)
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
	}
}

func (p *Promotion) settle(ctx context.Context) (done bool, err error) {
	seen, err := p.Runs.Builds(ctx, p.Deployment.Name)
	if err != nil || seen.Current != "" || !seen.Build(p.Deployment.Build).Ready() {
		return seen.Current != "", err
	}
	if err := p.gate(ctx); err != nil {
		return false, err
	}
	err = p.Runs.MakeCurrent(ctx, seen, p.Deployment.Build)
	if errors.Is(err, workflows.ErrBuildsChanged) {
		return false, nil
	}
	return err == nil, err
}

// gate replays what is under way with the code of this program.
func (p *Promotion) gate(ctx context.Context) error {
	most := someRuns
	if p.All {
		most = 0
	}
	open, err := p.Runs.OpenRuns(ctx, most)
	if err != nil {
		return fmt.Errorf("the open runs cannot be listed: %w", err)
	}
	replayed := 0
	var failed []string
	for _, flow := range slices.Sorted(maps.Keys(open)) {
		for _, run := range open[flow] {
			failure, err := p.replay(ctx, run)
			if err != nil {
				return err
			}
			if replayed++; failure != "" {
				p.Tell("FAILED  %s %s\n    %s\n", run.WorkflowID, run.RunID, failure)
				failed = append(failed, run.WorkflowID)
			}
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("build %s is not made current, because it cannot carry on %d of the open runs: %s; guard what changed with workflow.GetVersion",
			p.Deployment.Build, len(failed), strings.Join(failed[:min(len(failed), namedAtMost)], ", "))
	}
	p.Tell("%d open runs replayed with build %s\n", replayed, p.Deployment.Build)
	return nil
}

// namedAtMost is how many runs a sentence names.
const namedAtMost = 5

// replay says where a run went another way; one that has gone meanwhile goes none.
func (p *Promotion) replay(ctx context.Context, run workflows.OpenRun) (failure string, err error) {
	check, err := p.Replayer.Replay(ctx, run.WorkflowID, run.RunID)
	if gone := err != nil && problem.CodeOf(err) == problem.NotFound; gone || err == nil {
		return check.Message, nil // empty if it passed
	}
	return "", fmt.Errorf("the history of %s cannot be fetched: %w", run.WorkflowID, err)
}

// switchTo makes a build current when its workers are there.
func (p *Promotion) switchTo(ctx context.Context, build string) error {
	seen, err := p.builds(ctx)
	if err != nil {
		return err
	}
	s := &switching{Promotion: p, build: build, before: seen.Current}
	late := time.NewTimer(p.Wait)
	defer late.Stop()
	for tick := time.Tick(lookEvery); ; {
		if done, err := s.try(ctx); done || err != nil {
			return err
		}
		select {
		case <-tick:
		case <-late.C:
			return s.lacks
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *Promotion) builds(ctx context.Context) (workflows.Builds, error) {
	seen, err := p.Runs.Builds(ctx, p.Deployment.Name)
	if err != nil {
		err = fmt.Errorf("the builds of %s cannot be listed: %w", p.Deployment.Name, err)
	}
	return seen, err
}

// switching is a change of the current build under way.
type switching struct {
	*Promotion
	build, before string
	sang          bool  // a flow ended in the build
	lacks         error // why it is not current yet
}

// try makes the build current, or notes what that lacks yet.
func (s *switching) try(ctx context.Context) (done bool, err error) {
	seen, err := s.builds(ctx)
	known := seen.Build(s.build)
	switch {
	case err != nil:
		return false, err
	case seen.Current == s.build:
		s.Tell("build %s is current\n", s.build)
		return true, nil
	case seen.Current != s.before:
		return false, fmt.Errorf("somebody else has made build %s current meanwhile; promote again if that is to change", seen.Current)
	case !known.Ready():
		s.lacks = absent(known, s.build)
		return false, nil
	case !s.sang: // a worker that was killed seems to ask for a minute more
		return false, s.sing(ctx)
	}
	err = s.Runs.MakeCurrent(ctx, seen, s.build)
	switch {
	case errors.Is(err, workflows.ErrBuildsChanged): // also when its workers have just come
		s.lacks = err
		return false, nil
	case err != nil:
		return false, fmt.Errorf("build %s could not be made current: %w", s.build, err)
	}
	s.Tell("build %s is current; before it: %s\n", s.build, orNone(seen.Current))
	return true, nil
}

// sing has a flow end in the build, or notes that none does.
func (s *switching) sing(ctx context.Context) error {
	singing, cancel := context.WithTimeout(ctx, sungWithin)
	defer cancel()
	s.sang = s.Runs.SingIn(singing, s.Deployment.Name, s.build) == nil
	s.lacks = absent(workflows.KnownBuild{}, s.build)
	return ctx.Err()
}

func absent(known workflows.KnownBuild, build string) error {
	if len(known.Workers) == 0 {
		return fmt.Errorf("no worker of build %s asks for work; start one with WORKER_BUILD=%s", build, build)
	}
	return fmt.Errorf("no worker of build %s asks at the queue %s; look at its log", build, strings.Join(known.Missing, ", "))
}

func orNone(build string) string {
	if build == "" {
		return "none"
	}
	return build
}
