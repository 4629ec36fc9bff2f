package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// album is a pit with somebody who photographs: the rows of the pictures, and a browser.
type album struct {
	*pit
	took  time.Duration // a look
	dead  func(failing target.Failing) error
	shots []verification.CellShot
	looks []verification.Look
	full  bool // no picture can be written down
}

func (a *album) Look(ctx context.Context, l verification.Look) (verification.Seen, error) {
	a.mu.Lock()
	a.pass()
	a.looks = append(a.looks, l)
	failing := a.failing
	a.mu.Unlock()
	seen := verification.Seen{PNG: pngOf(0), Facts: verification.Facts{Width: 64, Height: 48}}
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

func (a *album) SaveCellShot(_ context.Context, shot verification.CellShot) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.full {
		return errors.New("the disk is full")
	}
	if !slices.ContainsFunc(a.shots, func(s verification.CellShot) bool { return s.Moment == shot.Moment }) {
		a.shots = append(a.shots, shot)
	}
	return nil
}

func (a *album) CellShots(context.Context, string) ([]verification.CellShot, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.shots), nil
}

// inAlbum plays something with a browser at hand.
func inAlbum(t *testing.T, play func(t *testing.T, a *album, acts *activities.CellShots, env *testsuite.TestWorkflowEnvironment)) {
	inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
		a := &album{pit: p, took: 300 * time.Millisecond, dead: func(target.Failing) error { return nil }}
		acts := &activities.CellShots{Store: a, Chaos: a, Cell: p, Browser: a, Pictures: newDrawer(), CellURL: "http://cell", Now: time.Now}
		env.RegisterActivity(acts)
		env.RegisterWorkflow(workflows.CellAlbum)
		play(t, a, acts, env)
	})
}

// told is a picture in short.
type told struct {
	moment  verification.Moment
	picture bool
	says    string // why there is none
	sick    bool   // a probe saw
	steady  bool
	opinion verification.Opinion
}

func (a *album) told() (all []told) {
	for _, s := range a.shots {
		all = append(all, told{s.Moment, s.Picture != "", s.Error, s.Failing.Any(), s.Steady, s.Opinion})
	}
	return all
}

func TestCellIsPhotographedBeforeBrokenAndHealed(t *testing.T) {
	t.Parallel()
	before := told{verification.Before, true, "", false, true, verification.LooksWell}
	broken := told{verification.During, true, "", true, true, verification.LooksBroken}
	healed := told{verification.Healed, true, "", false, true, verification.LooksWell}
	none := func(m verification.Moment, says string, sick, steady bool) told {
		return told{m, false, says, sick, steady, verification.LooksUnclear}
	}
	for name, tt := range map[string]struct {
		given   func(a *album, acts *activities.CellShots)
		verdict chaos.Verdict
		want    []told
	}{
		"healed": {
			given:   func(a *album, _ *activities.CellShots) { a.heals = 600 * time.Millisecond },
			verdict: chaos.Healed, want: []told{before, broken, healed},
		},
		"not healed": {
			given:   func(*album, *activities.CellShots) {},
			verdict: chaos.Failed, want: []told{before, broken, healed},
		},
		"healed while it is looked at": {
			given:   func(a *album, _ *activities.CellShots) { a.heals, a.took = 600*time.Millisecond, time.Second },
			verdict: chaos.Healed, want: []told{before, {verification.During, true, "", true, false, verification.LooksBroken}, healed},
		},
		"healed before a slow browser has seen it": {
			given:   func(a *album, _ *activities.CellShots) { a.heals, a.took = 600*time.Millisecond, 2900*time.Millisecond },
			verdict: chaos.Healed, want: []told{before, none(verification.During, "It was healed before a picture could be taken.", true, false), healed},
		},
		"it does not show": {
			given:   func(a *album, _ *activities.CellShots) { a.breaks = 0 },
			verdict: chaos.Aborted, want: []told{before, none(verification.During, "It was healed before a picture could be taken.", false, false), healed},
		},
		"nobody is there to show the page": {
			given: func(a *album, _ *activities.CellShots) {
				a.dead = func(f target.Failing) error {
					if f.Any() {
						return problem.New(problem.PageUnreachable, "The page cannot be reached.")
					}
					return nil
				}
			},
			verdict: chaos.Failed, want: []told{before, none(verification.During, "The page cannot be reached.", true, true), healed},
		},
		"the browser dies": {
			given: func(a *album, _ *activities.CellShots) {
				a.dead = func(target.Failing) error { return errKilled }
			},
			verdict: chaos.Failed, want: []told{
				none(verification.Before, "The browser died while it looked.", false, true),
				none(verification.During, "The browser died while it looked.", true, true),
				none(verification.Healed, "The browser died while it looked.", false, true),
			},
		},
		"no browser is there in time": {
			given:   func(a *album, _ *activities.CellShots) { a.took = time.Minute },
			verdict: chaos.Failed, want: []told{
				none(verification.Before, "No browser was ready in time.", false, true),
				none(verification.During, "No browser was ready in time.", true, true),
				none(verification.Healed, "No browser was ready in time.", false, true),
			},
		},
		"the browser is missing": {
			given: func(a *album, _ *activities.CellShots) {
				a.dead = func(target.Failing) error { return problem.New(problem.BrowserMissing, "There is no Chromium.") }
			},
			verdict: chaos.Failed,
		},
		"there is none": {
			given:   func(_ *album, acts *activities.CellShots) { acts.Browser = nil },
			verdict: chaos.Failed,
		},
		"nothing can be written down": {
			given:   func(a *album, _ *activities.CellShots) { a.full = true },
			verdict: chaos.Failed,
		},
		"the keeper refuses": {
			given: func(a *album, _ *activities.CellShots) {
				a.refuses = problem.New(problem.CellRefused, "The file is not there.")
			},
			verdict: chaos.Aborted, want: []told{before},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inAlbum(t, func(t *testing.T, a *album, acts *activities.CellShots, env *testsuite.TestWorkflowEnvironment) {
				tt.given(a, acts)
				result := a.breakIt(t, env)
				require.Equal(t, tt.verdict, result.Verdict, a.run.Reason)
				<-time.After(time.Minute) // nobody waits for the pictures
				require.Equal(t, tt.want, a.told())
				for _, l := range a.looks {
					require.Equal(t, "http://cell/", l.URL)
					require.True(t, l.Quick)
				}
			})
		})
	}
}

// A chaos run without a browser must be as quick as it was.
func TestNoHealWaitsForAPicture(t *testing.T) {
	t.Parallel()
	took := func(given func(a *album, acts *activities.CellShots)) (d time.Duration, healMS int) {
		inAlbum(t, func(t *testing.T, a *album, acts *activities.CellShots, env *testsuite.TestWorkflowEnvironment) {
			a.heals = 600 * time.Millisecond
			given(a, acts)
			began := time.Now()
			healMS = *a.breakIt(t, env).HealMS
			d = a.run.EndedAt.Sub(began)
		})
		return d, healMS
	}
	bare, heal := took(func(_ *album, acts *activities.CellShots) { acts.Browser = nil })
	slow, same := took(func(a *album, _ *activities.CellShots) { a.took = 20 * time.Second })
	require.Less(t, bare, 3*time.Second)
	require.Less(t, slow, bare+4100*time.Millisecond, "the picture before is given up")
	require.InDelta(t, heal, same, 260, "probes are that far apart")
}

func TestARunThatIsCancelledWhileItIsPhotographedBreaksNothing(t *testing.T) {
	t.Parallel()
	inAlbum(t, func(t *testing.T, a *album, _ *activities.CellShots, env *testsuite.TestWorkflowEnvironment) {
		a.took = 2 * time.Second
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
		result := a.breakIt(t, env)
		require.Equal(t, chaos.Aborted, result.Verdict)
		require.Equal(t, "The run was cancelled by hand.", a.run.Reason)
		require.Zero(t, a.broken)
	})
}

// The worker dies while it waits: its successor takes the pictures that are missing.
func TestAnAlbumGoesOnAfterItsWorkersDeath(t *testing.T) {
	t.Parallel()
	inAlbum(t, func(t *testing.T, a *album, _ *activities.CellShots, env *testsuite.TestWorkflowEnvironment) {
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
		env.ExecuteWorkflow(workflows.CellAlbum, workflows.CellAlbumInput{ChaosID: a.run.ID, Lease: 5 * time.Second})
		require.NoError(t, env.GetWorkflowError())
		require.Len(t, a.shots, 2)
		require.NotEmpty(t, a.shots[0].Picture)
		require.Equal(t, verification.During, a.shots[0].Moment)
	})
}
