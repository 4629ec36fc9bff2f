package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
)

// Dispatcher gives a run to every post, letter, checkout and experiment that should have one, and a
// schedule to every series and to every flow that runs by the clock. Rows are written before their run
// is started, so a process that dies in between leaves a row without a run; a Temporal server that lost
// its data leaves all of them without.
type Dispatcher struct {
	Posts interface {
		Waiting(ctx context.Context, all bool) ([]post.Post, error)
	}
	Emails interface {
		WaitingLetters(ctx context.Context, all bool) ([]email.Message, error)
	}
	Checkouts interface {
		WaitingCheckouts(ctx context.Context, all bool, before time.Time) ([]checkout.Checkout, error)
	}
	RecurringPost interface {
		SeriesToKeep(ctx context.Context, all bool, before time.Time) ([]schedule.RecurringPost, error)
	}
	Runs interface {
		StartPost(ctx context.Context, p post.Post) (runID string, err error)
		SendEmail(ctx context.Context, letterID string) error
		StartCheckout(ctx context.Context, checkoutID string) error
		ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
		PlanRecurringPost(ctx context.Context, seriesID string) error
		EnsureSchedules(ctx context.Context) error
	}
	Chaos     ChaosRows  // nil: there is no chaos target
	ChaosRuns ChaosFlows // nil: there is no chaos target

	Verifications       VerificationRows
	VerificationRuns    VerificationFlows
	Experiments         ExperimentRows
	ExperimentRuns      ExperimentFlows
	AccountDeletions    AccountDeletionRows
	AccountDeletionRuns AccountDeletionFlows
	Store               interface {
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
			s.sweepAccountDeletions(ctx, true)
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
	s.sweepEmails(ctx, all)
	s.sweepCheckouts(ctx, all)
	s.sweepRecurringPosts(ctx, all)
	if s.Chaos != nil {
		s.sweepChaos(ctx)
	}
	if s.Verifications != nil {
		s.sweepVerifications(ctx)
	}
	s.sweepExperiments(ctx, all)
	s.sweepAccountDeletions(ctx, all)
}

// keepSchedules sets up the schedules of the flows, at every sweep until it has succeeded once.
func (s *Dispatcher) keepSchedules(ctx context.Context) {
	if s.scheduled {
		return
	}
	if err := s.Runs.EnsureSchedules(ctx); err != nil {
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
func (s *Dispatcher) sweepRecurringPosts(ctx context.Context, all bool) {
	before := time.Now().Add(-leftAlone)
	waiting, err := s.RecurringPost.SeriesToKeep(ctx, all, before)
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

func (s *Dispatcher) keep(ctx context.Context, r schedule.RecurringPost, before time.Time) error {
	if err := s.Runs.ScheduleRecurringPost(ctx, r); err != nil || r.State != schedule.Active || r.CursorAt.After(before) {
		return err
	}
	return s.Runs.PlanRecurringPost(ctx, r.ID)
}

func (s *Dispatcher) tidy(ctx context.Context) {
	if err := s.Store.Tidy(ctx, time.Now()); err != nil {
		slog.WarnContext(ctx, "what is over could not be deleted; the next round tries again", "error", err)
	}
}

func (s *Dispatcher) sweepEmails(ctx context.Context, all bool) {
	waiting, err := s.Emails.WaitingLetters(ctx, all)
	if err != nil {
		slog.WarnContext(ctx, "letters without a run could not be listed", "error", err)
	}
	for _, l := range waiting {
		if err := s.Runs.SendEmail(ctx, l.ID); err != nil {
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

// ChaosRows is how the chaos target stands. *store.Chaos implements it.
type ChaosRows interface {
	OpenChaos(ctx context.Context) (*chaos.Run, error) // nil: none
	Cell(ctx context.Context) (heal.TargetState, error)
}

// ChaosFlows starts and ends what breaks the chaos target and what heals it. *client.Client
// implements it.
type ChaosFlows interface {
	StartSelfHeal(ctx context.Context) error
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StopChaos(ctx context.Context) error
	ChaosOpen(ctx context.Context, runID string) (bool, error)
	SweepChaos(ctx context.Context, chaosID string) error
}

const (
	// healEvery is how long the chaos target is without a healer at most, if somebody ended it.
	healEvery = 10 * time.Second
	// begunByOthers is how long a chaos run has to get its flow from whoever wrote it down.
	begunByOthers = 2 * time.Second
	// worthBeginning is how long after somebody asked a run is still begun: they have left.
	worthBeginning = 20 * time.Second
	// longOver is how long after its lease a run has surely ended itself.
	longOver = 10 * time.Second
	// neverLeased is how long after it was asked for a run surely has a lease.
	neverLeased = time.Minute
)

// heal makes the healer work, if somebody ended it.
func (s *Dispatcher) heal(ctx context.Context) {
	if s.ChaosRuns == nil {
		return
	}
	if err := s.ChaosRuns.StartSelfHeal(ctx); err != nil {
		slog.WarnContext(ctx, "the healer could not be started; the next round tries again", "error", err)
	}
}

// sweepChaos looks after the chaos run that is open, if there is one.
func (s *Dispatcher) sweepChaos(ctx context.Context) {
	run, err := s.Chaos.OpenChaos(ctx)
	if err == nil && run != nil {
		err = s.tend(ctx, *run, time.Now())
	}
	if err != nil {
		slog.WarnContext(ctx, "the chaos run that is open could not be looked after", "error", err)
	}
}

func (s *Dispatcher) tend(ctx context.Context, r chaos.Run, now time.Time) error {
	switch {
	case r.RunID == "" && now.Sub(r.RequestedAt) < begunByOthers:
		return nil
	case r.RunID == "" && now.Sub(r.RequestedAt) < worthBeginning:
		_, err := s.ChaosRuns.StartChaos(ctx, r.ID)
		return err
	case r.RunID == "", overdue(r, now):
		return s.ChaosRuns.SweepChaos(ctx, r.ID)
	}
	carried, err := s.ChaosRuns.ChaosOpen(ctx, r.RunID)
	if err != nil {
		return err
	}
	if !carried {
		return s.ChaosRuns.SweepChaos(ctx, r.ID)
	}
	return s.stopSwitchedOff(ctx)
}

func overdue(r chaos.Run, now time.Time) bool {
	if r.LeaseUntil == nil {
		return now.Sub(r.RequestedAt) > neverLeased
	}
	return now.Sub(*r.LeaseUntil) > longOver
}

// stopSwitchedOff tells a run again that whoever threw the switch could not tell.
func (s *Dispatcher) stopSwitchedOff(ctx context.Context) error {
	seen, err := s.Chaos.Cell(ctx)
	if err != nil || seen.ChaosOn {
		return err
	}
	return s.ChaosRuns.StopChaos(ctx)
}

// DepartureRows are the departures that have not ended. *store.Deletions implements it.
type AccountDeletionRows interface {
	OpenDepartures(ctx context.Context) ([]account.Deletion, error) // the oldest first
}

// DepartureFlows starts what carries them. *client.Client implements it.
type AccountDeletionFlows interface {
	// Depart is safe to repeat: a flow that is under way stays.
	StartAccountDeletion(ctx context.Context, departureID string) (runID string, err error)
}

// sweepDepartures gives a flow to every departure that has none. With all, also to those whose
// flow may be lost: whoever asked waits to be forgotten.
func (s *Dispatcher) sweepAccountDeletions(ctx context.Context, all bool) {
	if s.AccountDeletions == nil {
		return
	}
	open, err := s.AccountDeletions.OpenDepartures(ctx)
	if err != nil {
		slog.WarnContext(ctx, "departures that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, d := range open {
		if !all && (d.RunID != "" || now.Sub(d.RequestedAt) < begunByOthers) {
			continue
		}
		if _, err := s.AccountDeletionRuns.StartAccountDeletion(ctx, d.ID); err != nil {
			slog.WarnContext(ctx, "a departure's flow could not be started", "departure_id", d.ID, "error", err)
			return
		}
	}
}

// ExperimentRows are the experiments that need a run: those that are active or testing, and
// those that have ended and whose votes are not counted. *store.Experiments implements it.
type ExperimentRows interface {
	OpenExperiments(ctx context.Context) ([]experiment.Experiment, error)
}

// ExperimentFlows carries them. *client.Client implements it.
type ExperimentFlows interface {
	// CarryExperiment is safe to repeat: a run that is under way stays, and is told nothing.
	StartExperiment(ctx context.Context, experimentID string) error
	// NotifyExperiment tells the run that its row has changed.
	NotifyExperiment(ctx context.Context, experimentID string) error
}

// carryEvery is how long an experiment is without a run at most, if somebody ended it, and how
// long its run may not know that the experiment has ended.
const carryEvery = time.Minute

// sweepExperiments gives a run to experiments that never had one. With all it looks after every
// open one.
func (s *Dispatcher) sweepExperiments(ctx context.Context, all bool) {
	if s.Experiments == nil {
		return
	}
	open, err := s.Experiments.OpenExperiments(ctx)
	if err != nil {
		slog.WarnContext(ctx, "experiments that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, e := range open {
		if !all && (e.RunID != "" || now.Sub(e.UpdatedAt) < begunByOthers) {
			continue
		}
		if err := s.carry(ctx, e); err != nil {
			slog.WarnContext(ctx, "an experiment's flow could not be started", "experiment_id", e.ID, "error", err)
			return
		}
	}
}

// carry tells a run of the end only: every word of the others would stay in its history.
func (s *Dispatcher) carry(ctx context.Context, e experiment.Experiment) error {
	if err := s.ExperimentRuns.StartExperiment(ctx, e.ID); err != nil || e.EndedAt == nil {
		return err
	}
	return s.ExperimentRuns.NotifyExperiment(ctx, e.ID)
}

// VerificationRows are the verifications that have not ended. *store.Verifications implements it.
type VerificationRows interface {
	OpenVerifications(ctx context.Context) ([]verification.Run, error) // the oldest first
}

// VerificationFlows starts what carries them. *client.Client implements it.
type VerificationFlows interface {
	// Verify is safe to repeat: a flow that is under way stays.
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
}

// endedByThen is how long after it was asked for a run has surely ended, if somebody carries
// it: another flow ends it.
const endedByThen = 3 * time.Minute

// sweepVerifications gives a flow to every run that has none, and another one to those that
// were left behind: the next run of who asked waits for them.
func (s *Dispatcher) sweepVerifications(ctx context.Context) {
	open, err := s.Verifications.OpenVerifications(ctx)
	if err != nil {
		slog.WarnContext(ctx, "verifications that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, run := range open {
		age := now.Sub(run.RequestedAt)
		if (run.RunID != "" || age < begunByOthers) && age < endedByThen {
			continue
		}
		if _, err := s.VerificationRuns.StartVerification(ctx, run.ID); err != nil {
			slog.WarnContext(ctx, "a verification's flow could not be started", "verification_id", run.ID, "error", err)
			return
		}
	}
}
