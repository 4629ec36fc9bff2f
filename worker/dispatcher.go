package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/recurring"
)

// Dispatcher gives a run to every post, letter, checkout and experiment that should have one, and a
// schedule to every series and to every flow that runs by the clock. Rows are written before their run
// is started, so a process that dies in between leaves a row without a run; a Temporal server that lost
// its data leaves all of them without.
type Dispatcher struct {
	Posts interface {
		Waiting(ctx context.Context, all bool) ([]post.Post, error)
	}
	Letters interface {
		WaitingLetters(ctx context.Context, all bool) ([]email.Letter, error)
	}
	Checkouts interface {
		WaitingCheckouts(ctx context.Context, all bool, before time.Time) ([]checkout.Checkout, error)
	}
	Series interface {
		SeriesToKeep(ctx context.Context, all bool, before time.Time) ([]recurring.Series, error)
	}
	Runs interface {
		StartPost(ctx context.Context, p post.Post) (runID string, err error)
		SendLetter(ctx context.Context, letterID string) error
		StartCheckout(ctx context.Context, checkoutID string) error
		KeepSeries(ctx context.Context, r recurring.Series) error
		PlanSeries(ctx context.Context, seriesID string) error
		KeepSchedules(ctx context.Context) error
	}
	Chaos ChaosRows  // nil: there is no chaos target
	Cell  ChaosFlows // nil: there is no chaos target

	Verifications    VerificationRows
	VerificationRuns VerificationFlows
	Experiments      ExperimentRows
	ExperimentRuns   ExperimentFlows
	Departures       DepartureRows
	DeletionRuns     DepartureFlows
	Store            interface {
		Tidy(ctx context.Context, at time.Time) error
	}
	Every time.Duration

	scheduled bool
}

// A database or a Temporal that does not answer must not stop the looks for ever: the next one
// may be answered.
const (
	sweepWithin    = time.Minute
	sweepAllWithin = 10 * time.Minute
)

// tidyEvery is how often what is over is deleted.
const tidyEvery = 6 * time.Hour

// Run looks at every open post once, and from then on at those not yet begun.
func (s *Dispatcher) Run(ctx context.Context) {
	s.sweep(ctx, true)
	s.tidy(ctx)
	tidying := time.Tick(tidyEvery)
	healing := time.Tick(healEvery)
	carrying := time.Tick(carryEvery)
	s.heal(ctx)
	for tick := time.Tick(s.Every); ; {
		select {
		case <-tick:
			s.sweep(ctx, false)
		case <-tidying:
			s.tidy(ctx)
		case <-healing:
			s.heal(ctx)
		case <-carrying:
			s.sweepExperiments(ctx, true)
			s.sweepDepartures(ctx, true)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Dispatcher) sweep(ctx context.Context, all bool) {
	within := sweepWithin
	if all {
		within = sweepAllWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	s.keepSchedules(ctx)
	s.sweepPosts(ctx, all)
	s.sweepLetters(ctx, all)
	s.sweepCheckouts(ctx, all)
	s.sweepSeries(ctx, all)
	if s.Chaos != nil {
		s.sweepChaos(ctx)
	}
	if s.Verifications != nil {
		s.sweepVerifications(ctx)
	}
	s.sweepExperiments(ctx, all)
	s.sweepDepartures(ctx, all)
}

// keepSchedules sets up the schedules of the flows, at every sweep until it has succeeded once.
func (s *Dispatcher) keepSchedules(ctx context.Context) {
	if s.scheduled {
		return
	}
	if err := s.Runs.KeepSchedules(ctx); err != nil {
		slog.WarnContext(ctx, "schedules could not be set up; the next sweep tries again", "error", err)
		return
	}
	s.scheduled = true
}

// leftAlone is how long a checkout has to get its run from whoever wrote it down: they wait
// for it. A series has as long for what its schedule starts.
const leftAlone = 15 * time.Second

func (s *Dispatcher) sweepCheckouts(ctx context.Context, all bool) {
	waiting, err := s.Checkouts.WaitingCheckouts(ctx, all, time.Now().Add(-leftAlone))
	if err != nil {
		slog.WarnContext(ctx, "checkouts without a run could not be listed", "error", err)
	}
	for _, c := range waiting {
		if err := s.Runs.StartCheckout(ctx, c.ID); err != nil {
			slog.WarnContext(ctx, "a checkout's run could not be started", "checkout_id", c.ID, "error", err)
			return
		}
	}
}

// sweepSeries makes the schedules as the rows say, and plans the series whose schedule did not:
// nobody else may for leftAlone.
func (s *Dispatcher) sweepSeries(ctx context.Context, all bool) {
	before := time.Now().Add(-leftAlone)
	waiting, err := s.Series.SeriesToKeep(ctx, all, before)
	if err != nil {
		slog.WarnContext(ctx, "series without a schedule could not be listed", "error", err)
	}
	for _, r := range waiting {
		if err := s.keep(ctx, r, before); err != nil {
			slog.WarnContext(ctx, "a series could not be kept", "series_id", r.ID, "error", err)
			return
		}
	}
}

func (s *Dispatcher) keep(ctx context.Context, r recurring.Series, before time.Time) error {
	if err := s.Runs.KeepSeries(ctx, r); err != nil || r.State != recurring.Active || r.CursorAt.After(before) {
		return err
	}
	return s.Runs.PlanSeries(ctx, r.ID)
}

func (s *Dispatcher) tidy(ctx context.Context) {
	if err := s.Store.Tidy(ctx, time.Now()); err != nil {
		slog.WarnContext(ctx, "what is over could not be deleted; the next round tries again", "error", err)
	}
}

func (s *Dispatcher) sweepLetters(ctx context.Context, all bool) {
	waiting, err := s.Letters.WaitingLetters(ctx, all)
	if err != nil {
		slog.WarnContext(ctx, "letters without a run could not be listed", "error", err)
	}
	for _, l := range waiting {
		if err := s.Runs.SendLetter(ctx, l.ID); err != nil {
			slog.WarnContext(ctx, "a letter's run could not be started", "letter_id", l.ID, "error", err)
			return
		}
	}
}

func (s *Dispatcher) sweepPosts(ctx context.Context, all bool) {
	waiting, err := s.Posts.Waiting(ctx, all)
	if err != nil {
		slog.WarnContext(ctx, "posts without a run could not be listed", "error", err)
	}
	for _, p := range waiting {
		if _, err := s.Runs.StartPost(ctx, p); err != nil {
			slog.WarnContext(ctx, "a post's run could not be started", "post_id", p.ID, "error", err)
			return
		}
	}
}
