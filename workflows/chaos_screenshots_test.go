package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// screenshotWorld is a chaosWorld with a browser and the stored screenshots.
type screenshotWorld struct {
	*chaosWorld
	acts  *activities.ChaosScreenshots
	took  time.Duration // duration of a capture
	dead  func(failing target.Failing) error
	shots []verification.TargetScreenshot
	looks []verification.PageRequest
	full  bool // no screenshot can be stored
}

func (a *screenshotWorld) Look(ctx context.Context, l verification.PageRequest) (verification.Capture, error) {
	a.mu.Lock()
	a.pass()
	a.looks = append(a.looks, l)
	failing := a.failing
	a.mu.Unlock()
	seen := verification.Capture{PNG: pngOf(0), Facts: verification.Facts{Width: 64, Height: 48}}
	if failing.Any() {
		seen.PNG = pngOf(20)
	}
	err := a.dead(failing)
	if err == nil {
		select {
		case <-time.After(a.took):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return seen, err
}

func (a *screenshotWorld) SaveChaosScreenshot(_ context.Context, shot verification.TargetScreenshot) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.full {
		return errors.New("the disk is full")
	}
	if !slices.ContainsFunc(a.shots, func(s verification.TargetScreenshot) bool { return s.Moment == shot.Moment }) {
		a.shots = append(a.shots, shot)
	}
	return nil
}

func (a *screenshotWorld) ChaosScreenshots(context.Context, string) ([]verification.TargetScreenshot, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.shots), nil
}

func inScreenshotWorld(t *testing.T, play func(t *testing.T, a *screenshotWorld)) {
	inChaosWorld(t, func(t *testing.T, p *chaosWorld) {
		a := &screenshotWorld{chaosWorld: p, took: 300 * time.Millisecond, dead: func(target.Failing) error { return nil }}
		a.acts = &activities.ChaosScreenshots{Store: a, Chaos: a, Target: p, Browser: a, Pictures: newFakeImages(), TargetURL: "http://cell", Now: time.Now}
		a.env.RegisterActivity(a.acts)
		a.env.RegisterWorkflow(workflows.ChaosScreenshots)
		play(t, a)
	})
}

// shotSummary summarizes a stored screenshot.
type shotSummary struct {
	moment  verification.Moment
	picture bool
	says    string // error
	sick    bool   // by the probe
	steady  bool
	opinion verification.Opinion
}

func (a *screenshotWorld) summaries() (all []shotSummary) {
	for _, s := range a.shots {
		all = append(all, shotSummary{s.Moment, s.ImageHash != "", s.Error, s.Failing.Any(), s.Stable, s.Opinion})
	}
	return all
}

func TestChaosScreenshots(t *testing.T) {
	t.Parallel()
	before := shotSummary{verification.Before, true, "", false, true, verification.LooksWell}
	broken := shotSummary{verification.During, true, "", true, true, verification.LooksBroken}
	healed := shotSummary{verification.Healed, true, "", false, true, verification.LooksWell}
	shaken := shotSummary{verification.During, true, "", true, false, verification.LooksBroken}
	none := func(m verification.Moment, says string, sick, steady bool) shotSummary {
		return shotSummary{m, false, says, sick, steady, verification.LooksUnclear}
	}
	never := func(says string) []shotSummary {
		return []shotSummary{none(verification.Before, says, false, true), none(verification.During, says, true, true), none(verification.Healed, says, false, true)}
	}
	dies := func(err error) func(a *screenshotWorld) {
		return func(a *screenshotWorld) { a.dead = func(target.Failing) error { return err } }
	}
	missed := func(sick bool) shotSummary {
		return none(verification.During, "The target recovered before a screenshot could be taken.", sick, false)
	}
	unreachable := problem.New(problem.PageUnreachable, "The page cannot be reached.")
	const heals = 600 * time.Millisecond
	for name, c := range map[string]struct {
		given   func(a *screenshotWorld)
		verdict chaos.Verdict
		want    []shotSummary
	}{
		"healed":                    {func(a *screenshotWorld) { a.heals = heals }, chaos.Healed, []shotSummary{before, broken, healed}},
		"not healed":                {func(*screenshotWorld) {}, chaos.Failed, []shotSummary{before, broken, healed}},
		"healed during the capture": {func(a *screenshotWorld) { a.heals, a.took = heals, time.Second }, chaos.Healed, []shotSummary{before, shaken, healed}},
		"partly healed during the capture": {func(a *screenshotWorld) {
			a.dead = func(f target.Failing) error {
				if f.Any() {
					a.mu.Lock()
					defer a.mu.Unlock()
					a.failing = target.Failed(target.CheckWorker)
				}
				return nil
			}
		}, chaos.Failed, []shotSummary{before, shaken, healed}},
		"healed before a slow browser captured it": {func(a *screenshotWorld) { a.heals, a.took = heals, 2900*time.Millisecond }, chaos.Healed, []shotSummary{before, missed(true), healed}},
		"the fault is not visible":                 {func(a *screenshotWorld) { a.breaks = 0 }, chaos.Aborted, []shotSummary{before, missed(false), healed}},
		"the page does not load": {func(a *screenshotWorld) {
			a.dead = func(f target.Failing) error { return map[bool]error{true: unreachable}[f.Any()] }
		}, chaos.Failed, []shotSummary{before, none(verification.During, "The page cannot be reached.", true, true), healed}},
		"the browser crashes":         {dies(errKilled), chaos.Failed, never("The browser crashed while it loaded the page.")},
		"no browser is ready in time": {func(a *screenshotWorld) { a.took = time.Minute }, chaos.Failed, never("No browser was ready in time.")},
		"the browser is missing":      {dies(problem.New(problem.BrowserMissing, "There is no Chromium.")), chaos.Failed, nil},
		"no browser":                  {func(a *screenshotWorld) { a.acts.Browser = nil }, chaos.Failed, nil},
		"nothing can be stored":       {func(a *screenshotWorld) { a.full = true }, chaos.Failed, nil},
		"the supervisor refuses": {func(a *screenshotWorld) {
			a.refuses = problem.New(problem.TargetRefused, "The file is not there.")
		}, chaos.Aborted, []shotSummary{before}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inScreenshotWorld(t, func(t *testing.T, a *screenshotWorld) {
				c.given(a)
				result := a.breakIt(t)
				require.Equal(t, c.verdict, result.Verdict, a.run.Reason)
				<-time.After(time.Minute) // let the screenshots finish
				require.Equal(t, c.want, a.summaries())
				for _, l := range a.looks {
					require.Equal(t, "http://cell/", l.URL)
					require.True(t, l.Quick)
				}
			})
		})
	}
}

// TestRepairDoesNotWaitForScreenshots checks that a chaos run takes as long as without screenshots.
func TestRepairDoesNotWaitForScreenshots(t *testing.T) {
	t.Parallel()
	took := func(given func(a *screenshotWorld)) (d time.Duration, healMS int) {
		inScreenshotWorld(t, func(t *testing.T, a *screenshotWorld) {
			a.heals = 600 * time.Millisecond
			given(a)
			began := time.Now()
			healMS = *a.breakIt(t).HealMS
			d = a.run.EndedAt.Sub(began)
		})
		return d, healMS
	}
	bare, heal := took(func(a *screenshotWorld) { a.acts.Browser = nil })
	slow, same := took(func(a *screenshotWorld) { a.took = 20 * time.Second })
	require.Less(t, bare, 3*time.Second)
	require.Less(t, slow, bare+4100*time.Millisecond, "the first screenshot is abandoned")
	require.InDelta(t, heal, same, 260, "probes are that far apart")
}

func TestCancelledDuringFirstScreenshotInjectsNothing(t *testing.T) {
	t.Parallel()
	inScreenshotWorld(t, func(t *testing.T, a *screenshotWorld) {
		a.took = 2 * time.Second
		a.after(time.Second, a.env.CancelWorkflow)
		require.Equal(t, chaos.Aborted, a.breakIt(t).Verdict)
		require.Equal(t, "The run was cancelled.", a.run.Reason)
		require.Zero(t, a.broken)
	})
}

// TestChaosScreenshotsSurviveALostWorker loses the worker while it waits: the next one takes the missing
// screenshots.
func TestChaosScreenshotsSurviveALostWorker(t *testing.T) {
	t.Parallel()
	inScreenshotWorld(t, func(t *testing.T, a *screenshotWorld) {
		a.run.InjectedAt, a.run.LeaseUntil = new(time.Now()), new(time.Now().Add(time.Hour))
		a.failing, a.brokenAt = a.breaks, time.Now()
		dies := true
		a.dead = func(f target.Failing) error {
			if f.Any() && dies {
				dies = false
				panic("killed")
			}
			return nil
		}
		a.env.ExecuteWorkflow(workflows.ChaosScreenshots, workflows.ChaosScreenshotsInput{ChaosID: a.run.ID, Lease: 5 * time.Second})
		require.NoError(t, a.env.GetWorkflowError())
		require.Len(t, a.shots, 2)
		require.NotEmpty(t, a.shots[0].ImageHash)
		require.Equal(t, verification.During, a.shots[0].Moment)
	})
}
