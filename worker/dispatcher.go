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

// Dispatcher gives a run to every row that should have one, and a schedule to every recurring post and
// to every flow that runs by the clock. Rows are written before their run is started, so a process that
// dies in between leaves a row without a run; a Temporal server that lost its data leaves all of them
// without.
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
	Chaos interface { // nil: there is no chaos target
		OpenChaos(ctx context.Context) (*chaos.Run, error) // nil: none
		TargetState(ctx context.Context) (heal.TargetState, error)
	}
	Verifications interface {
		OpenVerifications(ctx context.Context) ([]verification.Run, error) // the oldest first
	}
	Experiments interface {
		// OpenExperiments are those that are active or testing, and those that have ended and whose votes
		// are not counted.
		OpenExperiments(ctx context.Context) ([]experiment.Experiment, error)
	}
	AccountDeletions interface {
		OpenDeletions(ctx context.Context) ([]account.Deletion, error) // the oldest first
	}
	Store interface {
		Tidy(ctx context.Context, at time.Time) error
	}
	Runs  Runs
	Every time.Duration

	scheduled bool
}

// Runs starts and ends flows. *client.Client implements it; every start is safe to repeat and leaves
// an open run alone.
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
	// sweepWithin and sweepAllWithin bound a sweep: a database or a Temporal that does not answer must not
	// stop the sweeps for ever.
	sweepWithin    = time.Minute
	sweepAllWithin = 10 * time.Minute
	// tidyEvery is the interval between deletions of expired rows.
	tidyEvery = 6 * time.Hour
	// healEvery is how long the chaos target is without a healer at most, if an operator ended it.
	healEvery = 10 * time.Second
	// carryEvery is how long an experiment or an account deletion is without a run at most, if an operator
	// ended it, and how long a run may not know that its experiment has ended.
	carryEvery = time.Minute
	// leftAlone is how long a checkout has to get its run from the request that wrote it, which waits for
	// it. A recurring post has as long for the runs that its schedule starts.
	leftAlone = 15 * time.Second
	// begunByOthers is how long other rows have to get their run from the request that wrote them.
	begunByOthers = 2 * time.Second
	// worthBeginning is how long after the request a chaos run is still started: later its user has left.
	worthBeginning = 20 * time.Second
	// longOver is how long after its lease a chaos run has surely ended itself.
	longOver = 10 * time.Second
	// neverLeased is how long after the request a chaos run surely has a lease.
	neverLeased = time.Minute
	// endedByThen is how long after the request a verification has surely ended, if a run carries it:
	// another run ends it.
	endedByThen = 3 * time.Minute
)

// Run starts a run for every open row once, and from then on for those that never had one.
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

// startAll starts a run for each row until one cannot be started: the next sweep tries again.
func startAll[Row any](ctx context.Context, kind string, rows []Row, err error, start func(Row) (id string, err error)) {
	if err != nil {
		slog.WarnContext(ctx, "rows without a run could not be listed", "kind", kind, "error", err)
	}
	for _, row := range rows {
		if id, err := start(row); err != nil {
			slog.WarnContext(ctx, "a run could not be started", "kind", kind, "id", id, "error", err)
			return
		}
	}
}

// ensureSchedules sets up the schedules of the flows, at every sweep until it has succeeded once.
func (s *Dispatcher) ensureSchedules(ctx context.Context) {
	if s.scheduled {
		return
	}
	if err := s.Runs.EnsureSchedules(ctx); err != nil {
		slog.WarnContext(ctx, "schedules could not be set up; the next sweep tries again", "error", err)
		return
	}
	s.scheduled = true
}

// plan makes the schedule match the row, and plans the times that the schedule has missed by leftAlone.
func (s *Dispatcher) plan(ctx context.Context, r schedule.RecurringPost, before time.Time) error {
	if err := s.Runs.ScheduleRecurringPost(ctx, r); err != nil || r.State != schedule.Active || r.PlannedUntil.After(before) {
		return err
	}
	return s.Runs.PlanRecurringPost(ctx, r.ID)
}

func (s *Dispatcher) tidy(ctx context.Context) {
	if err := s.Store.Tidy(ctx, time.Now()); err != nil {
		slog.WarnContext(ctx, "expired rows could not be deleted; the next round tries again", "error", err)
	}
}

// heal starts the healer, if an operator ended it.
func (s *Dispatcher) heal(ctx context.Context) {
	if s.Chaos == nil {
		return
	}
	if err := s.Runs.StartSelfHeal(ctx); err != nil {
		slog.WarnContext(ctx, "the healer could not be started; the next round tries again", "error", err)
	}
}

// sweepChaos checks the open chaos run, if there is one.
func (s *Dispatcher) sweepChaos(ctx context.Context) {
	run, err := s.Chaos.OpenChaos(ctx)
	if err == nil && run != nil {
		err = s.tend(ctx, *run, time.Now())
	}
	if err != nil {
		slog.WarnContext(ctx, "the open chaos run could not be checked", "error", err)
	}
}

func (s *Dispatcher) tend(ctx context.Context, r chaos.Run, now time.Time) error {
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
	target, err := s.Chaos.TargetState(ctx) // switched off, and the request could not signal the run
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

// sweepAccountDeletions starts a run for every account deletion that has none. With all, also for
// those whose run may be lost.
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

// sweepExperiments starts a run for experiments that never had one. With all it checks every open
// one. Only an end is signalled: every other signal would stay in the history.
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

// sweepVerifications starts a run for every verification that has none, and another one for those
// that were left behind: the next verification of the same user waits for them.
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
