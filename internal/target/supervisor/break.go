package supervisor

import (
	"context"
	"errors"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/faults"
)

// longestLease limits requested leases.
const longestLease = 10 * time.Minute

// Break injects a fault under a lease, which is stored first. Repeated for the same run, it returns the first
// result without injecting again, unless the supervisor died during the injection; then it injects for the
// rest of the lease.
func (s *Supervisor) Break(ctx context.Context, name string, in target.Break) (target.Broken, error) {
	breaks, err := findFault(name, in)
	if err != nil {
		return target.Broken{}, err
	}
	done, err := s.lock(ctx)
	if err != nil {
		return target.Broken{}, err
	}
	defer done()
	t, err := s.target()
	if err != nil {
		return target.Broken{}, err
	}
	defer func() { _ = t.Live.Close() }()
	held, err := s.existingLease(name, in.RunID)
	if err != nil {
		return target.Broken{}, err
	}
	if held == nil {
		if err := breaks.Check(ctx, t); err != nil {
			return target.Broken{}, err
		}
		now := time.Now().UTC()
		held = &lease{Lease: target.Lease{RunID: in.RunID, Fault: name, Since: now, Until: now.Add(time.Duration(in.LeaseMS) * time.Millisecond)}}
		if err := s.leases.hold(held); err != nil {
			return target.Broken{}, err
		}
	}
	if held.InjectedAt != nil {
		return held.broken(), nil
	}
	return s.inject(ctx, breaks, t, held)
}

func findFault(name string, in target.Break) (faults.Fault, error) {
	breaks, known := faults.Named(name)
	switch {
	case !known:
		return nil, problem.New(problem.FaultUnknown, "There is no fault of that name.")
	case in.RunID == "":
		return nil, problem.New(problem.Invalid, "`runId` is required.")
	case in.LeaseMS <= 0 || in.LeaseMS > longestLease.Milliseconds():
		return nil, problem.New(problem.Invalid, "`leaseMs` must be between 1 and 600000.")
	}
	return breaks, nil
}

// existingLease returns the lease that a run already has, or nil. It returns an error if the run cannot get one.
func (s *Supervisor) existingLease(name, run string) (*lease, error) {
	open, last := s.leases.current(), s.leases.last()
	switch {
	case open == nil && (last == nil || last.RunID != run):
		return nil, nil //nolint:nilnil // the run has no lease yet
	case open == nil && last.Fault == name && last.InjectedAt != nil:
		return last, nil
	case open == nil:
		return nil, problem.New(problem.TargetRefused, "The lease of this run is over.")
	case open.RunID != run || open.Fault != name:
		return nil, problem.New(problem.TargetRefused, "Another fault is active. Only one is allowed at a time.")
	case open.InjectedAt == nil && open.over(time.Now()):
		return nil, problem.New(problem.TargetRefused, "The lease of this run is over.")
	}
	return open, nil
}

// inject injects the fault. InjectedAt is the time before, so that a probe cannot see the fault earlier.
func (s *Supervisor) inject(ctx context.Context, breaks faults.Fault, t *faults.Target, held *lease) (target.Broken, error) {
	at := time.Now().UTC()
	if err := breaks.Inject(ctx, t); err != nil {
		return target.Broken{}, s.abandon(ctx, breaks, t, err)
	}
	injected := &lease{Lease: held.Lease, InjectedAt: &at}
	if err := s.leases.hold(injected); err != nil { // the fault is injected anyway
		s.log.ErrorContext(ctx, "supervisor: the lease could not be written", "run", held.RunID, "error", err)
		s.leases.setOpen(injected)
	}
	return injected.broken(), nil
}

// abandon reverts a failed injection. If that fails too, it keeps the lease and expires it.
func (s *Supervisor) abandon(ctx context.Context, breaks faults.Fault, target *faults.Target, cause error) error {
	if err := breaks.Revert(ctx, target); err != nil {
		s.expireNow()
		return errors.Join(cause, err)
	}
	return errors.Join(cause, s.leases.drop())
}
