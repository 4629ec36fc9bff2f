package chaos

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

const chaosStart = 5 * time.Second

func (a *API) StartChaos(ctx context.Context, req *httpapi.Body[NewChaos]) (ChaosStarted, error) {
	fault, err := a.faultNamed(req.Body.Type)
	if err != nil {
		return ChaosStarted{}, err
	}
	return a.beginChaos(ctx, chaos.Run{
		ID: xid.New().String(), Fault: fault.Name, Source: req.Body.Source, RequestedBy: chaos.Requester(httpapi.CallerOf(ctx).Role.String()),
		Stage: chaos.Requested, PromiseMS: int(fault.Promise.Milliseconds()), LeaseMS: int(a.chaosLease().Milliseconds()),
		RequestedAt: a.Now(),
	})
}

// ReplayChaosRun starts a run with the same fault, if that fault still exists.
func (a *API) ReplayChaosRun(ctx context.Context, req *httpapi.ByID) (ChaosStarted, error) {
	first, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return ChaosStarted{}, err
	}
	if first.Stage != chaos.Ended {
		return ChaosStarted{}, problem.New(problem.Conflict, "This run hasn't ended yet. Repeat it once it has.")
	}
	if _, err := a.faultNamed(first.Fault); err != nil {
		return ChaosStarted{}, err
	}
	return a.beginChaos(ctx, first.Replay(xid.New().String(), "replay", chaos.Requester(httpapi.CallerOf(ctx).Role.String()), a.Now()))
}

// beginChaos stores a run and starts its workflow. If the start fails, the dispatcher retries it.
func (a *API) beginChaos(ctx context.Context, run chaos.Run) (ChaosStarted, error) {
	if err := a.Chaos.RequestChaos(ctx, run, httpapi.CallerOf(ctx).Asker(a.Marks)); err != nil {
		return ChaosStarted{}, a.explainRunning(ctx, err)
	}
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), chaosStart)
	defer cancel()
	message := "Injecting the fault " + run.Fault + " into the chaos target."
	runID, err := a.Runs.StartChaos(starting, run.ID)
	if err != nil {
		slog.WarnContext(ctx, "chaos run not started; the dispatcher retries", "chaos_id", run.ID, "error", err)
		message = "The test " + run.Fault + " is saved, but its run couldn't be started yet. It starts automatically as soon as the workflow service responds."
	}
	if stored, err := a.Chaos.ChaosRun(starting, run.ID); err == nil {
		run = stored // it may be running already
	}
	if run.RunID == "" && runID != "" { // the workflow has not stored its run ID yet
		run.WorkflowID, run.RunID = workflows.ChaosRunID, runID
	}
	return ChaosStarted{ChaosEvent: showChaos(run), Event: showChaos(run), Success: true, Message: message}, nil
}

// explainRunning adds the running test to the error that refuses a second one.
func (a *API) explainRunning(ctx context.Context, refused error) error {
	if problem.CodeOf(refused) != problem.ChaosRunning {
		return refused
	}
	running, err := a.Chaos.OpenChaos(ctx)
	if err != nil {
		return err
	}
	if running == nil {
		return problem.New(problem.ChaosRunning, "Another test has only just finished. Try again.")
	}
	return problem.New(problem.ChaosRunning, "The test %s has been running since %s UTC, and only one can run at a time. Try again when it has ended.",
		running.Fault, running.RequestedAt.UTC().Format(time.TimeOnly))
}

func (a *API) faultNamed(name string) (chaos.Fault, error) {
	for _, fault := range a.Faults {
		if fault.Name == name {
			return fault, nil
		}
	}
	names := httpapi.Map(a.Faults, func(f chaos.Fault) string { return f.Name })
	return chaos.Fault{}, &problem.Error{
		Code: problem.FaultUnknown, Message: "Unknown fault, so no test was started. Choose one of: " + strings.Join(names, ", ") + ".",
		Details: []problem.Detail{{Field: "body.type", Reason: httpapi.OneOf(name, names)}},
	}
}

func (a *API) chaosLease() time.Duration { return cmp.Or(a.ChaosLease, chaos.DefaultLease) }
