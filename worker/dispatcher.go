package worker

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
)

// Dispatcher starts a run for every row that should have one, and a schedule for every recurring post
// and every scheduled workflow. Rows are written before their run is started, so a process that fails in
// between leaves a row without a run; a Temporal server that lost its data leaves all of them without, and
// an operator can terminate, cancel, reset or delete any run.
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
	Generations interface {
		OpenGenerations(ctx context.Context) ([]generation.Generation, error)
	}
	Diagnoses interface {
		OpenDiagnoses(ctx context.Context, before time.Time) ([]diagnostic.Run, error)
	}
	Logins interface {
		OpenXLogins(ctx context.Context, before time.Time) ([]account.XLogin, error)
	}
	Credentials interface {
		OpenConnections(ctx context.Context, before time.Time) ([]bot.Connection, error)
		OpenKeys(ctx context.Context, before time.Time) ([]bot.ProviderKeys, error)
	}
	Store interface {
		Tidy(ctx context.Context, at time.Time) error
	}
	Runs       Runs
	Every      time.Duration
	CheckEvery time.Duration // how often every open row is checked for its run; checkEvery if 0

	scheduled bool
}

// Runs starts and ends workflow runs. *client.Client implements it; every start is safe to repeat and
// leaves an open run alone.
type Runs interface {
	// OpenRuns and Schedules list what Temporal has; both may be a moment old.
	OpenRuns(ctx context.Context, most int) (map[string][]workflow.Execution, error)
	Schedules(ctx context.Context) (map[string]bool, error)

	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	SendEmail(ctx context.Context, emailID string) error
	StartCheckout(ctx context.Context, checkoutID string) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	PlanRecurringPost(ctx context.Context, id string) error
	EnsureSchedules(ctx context.Context, known map[string]bool) error
	StartSelfHeal(ctx context.Context) error
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StopChaos(ctx context.Context) error
	ChaosOpen(ctx context.Context, runID string) (bool, error)
	SweepChaos(ctx context.Context, chaosID string) error
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
	StartExperiment(ctx context.Context, experimentID string) error
	NotifyExperiment(ctx context.Context, experimentID string) error
	StartAccountDeletion(ctx context.Context, id string) (runID string, err error)
	StartGeneration(ctx context.Context, generationID string) (runID string, err error)
	StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error)
	EndXLogin(ctx context.Context, loginID string) error
	EndConnection(ctx context.Context, connectionID string) error
	EndKeys(ctx context.Context, providerKeyID string) error
}

const (
	// sweepWithin and sweepAllWithin bound a sweep, in case the database or Temporal does not answer.
	sweepWithin    = time.Minute
	sweepAllWithin = 10 * time.Minute
	// tidyEvery is the interval between deletions of expired rows.
	tidyEvery = 6 * time.Hour
	// healEvery is how soon the healer is restarted if an operator ended it.
	healEvery = 10 * time.Second
	// checkEvery is how soon a row gets a new run if an operator ended it, how soon a deleted schedule is
	// created again, and how soon a run is signaled that its experiment has ended.
	checkEvery = 30 * time.Second
	// leftAlone is how long a request that waits for its run has to start it. The schedule of a recurring
	// post has as long.
	leftAlone = 15 * time.Second
	// begunByOthers is how long the request that created another row has to start its run.
	begunByOthers = 2 * time.Second
	// worthBeginning is how long after the request a chaos run is still started: later the user has left.
	worthBeginning = 20 * time.Second
	// longOver is how long after its lease a chaos run has certainly ended by itself.
	longOver = 10 * time.Second
	// neverLeased is how long after the request a chaos run certainly has a lease.
	neverLeased = time.Minute
)

// Run starts a run for every open row once, then periodically for rows that never had one, and less often for
// rows whose run has ended by force.
func (s *Dispatcher) Run(ctx context.Context) {
	s.sweep(ctx, &open{all: true})
	s.tidy(ctx)
	tidying, healing, checking := time.Tick(tidyEvery), time.Tick(healEvery), time.Tick(cmp.Or(s.CheckEvery, checkEvery))
	s.heal(ctx)
	for tick := time.Tick(s.Every); ; {
		select {
		case <-tick:
			s.sweep(ctx, nil)
		case <-tidying:
			s.tidy(ctx)
		case <-healing:
			s.heal(ctx)
		case <-checking:
			s.check(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// open is what Temporal has.
type open struct {
	all             bool // it is unknown: every row gets a run
	runs, schedules map[string]bool
}

func (o *open) run(workflowID string) bool { return !o.all && o.runs[workflowID] }
func (o *open) schedule(id string) bool    { return !o.all && o.schedules[id] }

// check starts a run for every open row whose run has ended. It reads Temporal first: a run that ends in
// between has ended its row.
func (s *Dispatcher) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	runs, err := s.Runs.OpenRuns(ctx, 0)
	if err == nil {
		has := open{runs: map[string]bool{}}
		for _, run := range slices.Concat(slices.Collect(maps.Values(runs))...) {
			has.runs[run.ID] = true
		}
		if has.schedules, err = s.Runs.Schedules(ctx); err == nil {
			s.sweep(ctx, &has)
			return
		}
	}
	slog.WarnContext(ctx, "could not list open runs and schedules; the next check retries", "error", err)
}

// sweep starts a run for each row without one. With has it also checks the rows that had one.
func (s *Dispatcher) sweep(ctx context.Context, has *open) {
	within := sweepWithin
	if has != nil && has.all {
		within = sweepAllWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	s.ensureSchedules(ctx, has)
	for _, k := range s.kinds(time.Now()) {
		s.start(ctx, k, has)
	}
	if s.Chaos != nil {
		s.sweepChaos(ctx)
	}
}

// start starts a run for each row of a kind until one fails: the next sweep retries.
func (s *Dispatcher) start(ctx context.Context, k kind, has *open) {
	if has == nil && k.checkedOnly {
		return
	}
	rows, err := k.rows(ctx, has != nil)
	if err != nil {
		slog.WarnContext(ctx, "could not list rows without a run", "kind", k.name, "error", err)
	}
	for _, r := range rows {
		if has == nil && r.hadRun || has != nil && r.fine(has) {
			continue
		}
		if err := r.start(ctx); err != nil {
			slog.WarnContext(ctx, "could not start a run", "kind", k.name, "id", r.id, "error", err)
			return
		}
	}
}

// ensureSchedules creates the schedules of workflows, at every sweep until it has succeeded once, and later
// those that an operator has deleted.
func (s *Dispatcher) ensureSchedules(ctx context.Context, has *open) {
	var known map[string]bool
	switch {
	case !s.scheduled: // their times may have changed
	case has == nil:
		return
	default:
		known = has.schedules
	}
	if err := s.Runs.EnsureSchedules(ctx, known); err != nil {
		slog.WarnContext(ctx, "could not create schedules; the next sweep retries", "error", err)
		return
	}
	s.scheduled = true
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
