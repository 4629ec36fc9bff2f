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

// Dispatcher starts a run for every row that should have one, and a schedule for every recurring post
// and every scheduled workflow. Rows are written before their run is started, so a process that fails in
// between leaves a row without a run; a Temporal server that lost its data leaves all of them without.
type Dispatcher struct {
	Posts interface {
		Waiting(ctx context.Context, all bool) ([]post.Post, error)
	}
	Emails interface {
		WaitingEmails(ctx context.Context, all bool) ([]email.Message, error)
	}
	Checkouts interface {
		WaitingCheckouts(ctx context.Context, all bool, before time.Time) ([]checkout.Checkout, error)
	}
	RecurringPost interface {
		RecurringPostsToPlan(ctx context.Context, all bool, before time.Time) ([]schedule.RecurringPost, error)
	}
	Chaos interface { // nil if there is no chaos target
		OpenChaos(ctx context.Context) (*chaos.Run, error) // nil if none
		TargetState(ctx context.Context) (heal.TargetState, error)
	}
	Verifications interface {
		OpenVerifications(ctx context.Context) ([]verification.Run, error) // oldest first
	}
	Experiments interface {
		// OpenExperiments lists running experiments, and ended ones whose votes are not counted yet.
		OpenExperiments(ctx context.Context) ([]experiment.Experiment, error)
	}
	AccountDeletions interface {
		OpenDeletions(ctx context.Context) ([]account.Deletion, error) // oldest first
	}
	Store interface {
		Tidy(ctx context.Context, at time.Time) error
	}
	Runs  Runs
	Every time.Duration

	scheduled bool
}

// Runs starts and ends workflow runs. *client.Client implements it; every start is safe to repeat and
// leaves an open run alone.
type Runs interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	SendEmail(ctx context.Context, emailID string) error
	StartCheckout(ctx context.Context, checkoutID string) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	PlanRecurringPost(ctx context.Context, id string) error
	EnsureSchedules(ctx context.Context) error
	StartSelfHeal(ctx context.Context) error
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StopChaos(ctx context.Context) error
	ChaosOpen(ctx context.Context, runID string) (bool, error)
	SweepChaos(ctx context.Context, chaosID string) error
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
	StartExperiment(ctx context.Context, experimentID string) error
	NotifyExperiment(ctx context.Context, experimentID string) error
	StartAccountDeletion(ctx context.Context, id string) (runID string, err error)
}

const (
	// sweepWithin and sweepAllWithin bound a sweep, in case the database or Temporal does not answer.
	sweepWithin    = time.Minute
	sweepAllWithin = 10 * time.Minute
	// tidyEvery is the interval between deletions of expired rows.
	tidyEvery = 6 * time.Hour
	// healEvery is how soon the healer is restarted if an operator ended it.
	healEvery = 10 * time.Second
	// carryEvery is how soon an experiment or an account deletion gets a new run if an operator ended it, and
	// a run is signaled that its experiment has ended.
	carryEvery = time.Minute
	// leftAlone is how long the request that created a checkout has to start its run, for which it waits. The
	// schedule of a recurring post has as long.
	leftAlone = 15 * time.Second
	// begunByOthers is how long the request that created another row has to start its run.
	begunByOthers = 2 * time.Second
	// worthBeginning is how long after the request a chaos run is still started: later the user has left.
	worthBeginning = 20 * time.Second
	// longOver is how long after its lease a chaos run has certainly ended by itself.
	longOver = 10 * time.Second
	// neverLeased is how long after the request a chaos run certainly has a lease.
	neverLeased = time.Minute
	// endedByThen is how long after the request a verification with a run has certainly ended; after that
	// another run is started to end it.
	endedByThen = 3 * time.Minute
)

// Run starts a run for every open row once, and then periodically for rows that never had one.
func (s *Dispatcher) Run(ctx context.Context) {
	s.sweep(ctx, true)
	s.tidy(ctx)
	tidying, healing, carrying := time.Tick(tidyEvery), time.Tick(healEvery), time.Tick(carryEvery)
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
	s.ensureSchedules(ctx)
	before := time.Now().Add(-leftAlone)
	posts, err := s.Posts.Waiting(ctx, all)
	startAll(ctx, "post", posts, err, func(p post.Post) (string, error) { _, err := s.Runs.StartPost(ctx, p); return p.ID, err })
	emails, err := s.Emails.WaitingEmails(ctx, all)
	startAll(ctx, "email", emails, err, func(m email.Message) (string, error) { return m.ID, s.Runs.SendEmail(ctx, m.ID) })
	checkouts, err := s.Checkouts.WaitingCheckouts(ctx, all, before)
	startAll(ctx, "checkout", checkouts, err, func(c checkout.Checkout) (string, error) { return c.ID, s.Runs.StartCheckout(ctx, c.ID) })
	recurring, err := s.RecurringPost.RecurringPostsToPlan(ctx, all, before)
	startAll(ctx, "recurring post", recurring, err, func(r schedule.RecurringPost) (string, error) { return r.ID, s.plan(ctx, r, before) })
	if s.Chaos != nil {
		s.sweepChaos(ctx)
	}
	s.sweepVerifications(ctx)
	s.sweepExperiments(ctx, all)
	s.sweepAccountDeletions(ctx, all)
}

// startAll starts a run for each row until one fails: the next sweep retries.
func startAll[Row any](ctx context.Context, kind string, rows []Row, err error, start func(Row) (id string, err error)) {
	if err != nil {
		slog.WarnContext(ctx, "could not list rows without a run", "kind", kind, "error", err)
	}
	for _, row := range rows {
		if id, err := start(row); err != nil {
			slog.WarnContext(ctx, "could not start a run", "kind", kind, "id", id, "error", err)
			return
		}
	}
}

// ensureSchedules creates the schedules of workflows, at every sweep until it has succeeded once.
func (s *Dispatcher) ensureSchedules(ctx context.Context) {
	if s.scheduled {
		return
	}
	if err := s.Runs.EnsureSchedules(ctx); err != nil {
		slog.WarnContext(ctx, "could not create schedules; the next sweep retries", "error", err)
		return
	}
	s.scheduled = true
}

// plan updates the schedule, and plans times that the schedule has missed by leftAlone.
func (s *Dispatcher) plan(ctx context.Context, r schedule.RecurringPost, before time.Time) error {
	if err := s.Runs.ScheduleRecurringPost(ctx, r); err != nil || r.State != schedule.Active || r.PlannedUntil.After(before) {
		return err
	}
	return s.Runs.PlanRecurringPost(ctx, r.ID)
}

func (s *Dispatcher) tidy(ctx context.Context) {
	if err := s.Store.Tidy(ctx, time.Now()); err != nil {
		slog.WarnContext(ctx, "could not delete expired rows; the next round retries", "error", err)
	}
}

// heal restarts the healer if an operator ended it.
func (s *Dispatcher) heal(ctx context.Context) {
	if s.Chaos == nil {
		return
	}
	if err := s.Runs.StartSelfHeal(ctx); err != nil {
		slog.WarnContext(ctx, "could not start the healer; the next round retries", "error", err)
	}
}

func (s *Dispatcher) sweepChaos(ctx context.Context) {
	run, err := s.Chaos.OpenChaos(ctx)
	if err == nil && run != nil {
		err = s.checkChaos(ctx, *run, time.Now())
	}
	if err != nil {
		slog.WarnContext(ctx, "could not check the open chaos run", "error", err)
	}
}

func (s *Dispatcher) checkChaos(ctx context.Context, r chaos.Run, now time.Time) error {
	switch {
	case r.RunID == "" && now.Sub(r.RequestedAt) < begunByOthers:
		return nil
	case r.RunID == "" && now.Sub(r.RequestedAt) < worthBeginning:
		_, err := s.Runs.StartChaos(ctx, r.ID)
		return err
	case r.RunID == "", overdue(r, now):
		return s.Runs.SweepChaos(ctx, r.ID)
	}
	open, err := s.Runs.ChaosOpen(ctx, r.RunID)
	if err != nil {
		return err
	}
	if !open {
		return s.Runs.SweepChaos(ctx, r.ID)
	}
	target, err := s.Chaos.TargetState(ctx) // chaos may have been switched off without signaling the run
	if err != nil || target.ChaosOn {
		return err
	}
	return s.Runs.StopChaos(ctx)
}

func overdue(r chaos.Run, now time.Time) bool {
	if r.LeaseUntil == nil {
		return now.Sub(r.RequestedAt) > neverLeased
	}
	return now.Sub(*r.LeaseUntil) > longOver
}

// sweepAccountDeletions starts a run for account deletions without one or, with all, for every open one.
func (s *Dispatcher) sweepAccountDeletions(ctx context.Context, all bool) {
	open, err := s.AccountDeletions.OpenDeletions(ctx)
	now := time.Now()
	startAll(ctx, "account deletion", open, err, func(d account.Deletion) (string, error) {
		if !all && (d.RunID != "" || now.Sub(d.RequestedAt) < begunByOthers) {
			return d.ID, nil
		}
		_, err := s.Runs.StartAccountDeletion(ctx, d.ID)
		return d.ID, err
	})
}

// sweepExperiments starts a run for experiments without one or, with all, for every open one. Only an
// end is signaled, because every signal stays in the history.
func (s *Dispatcher) sweepExperiments(ctx context.Context, all bool) {
	open, err := s.Experiments.OpenExperiments(ctx)
	now := time.Now()
	startAll(ctx, "experiment", open, err, func(e experiment.Experiment) (string, error) {
		if !all && (e.RunID != "" || now.Sub(e.UpdatedAt) < begunByOthers) {
			return e.ID, nil
		}
		if err := s.Runs.StartExperiment(ctx, e.ID); err != nil || e.EndedAt == nil {
			return e.ID, err
		}
		return e.ID, s.Runs.NotifyExperiment(ctx, e.ID)
	})
}

// sweepVerifications starts a run for verifications without one, and another for those that did not end
// in time: the next verification of the same user waits for them.
func (s *Dispatcher) sweepVerifications(ctx context.Context) {
	open, err := s.Verifications.OpenVerifications(ctx)
	now := time.Now()
	startAll(ctx, "verification", open, err, func(v verification.Run) (string, error) {
		age := now.Sub(v.RequestedAt)
		if (v.RunID != "" || age < begunByOthers) && age < endedByThen {
			return v.ID, nil
		}
		_, err := s.Runs.StartVerification(ctx, v.ID)
		return v.ID, err
	})
}
