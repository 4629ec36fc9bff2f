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

// chaosStart is how long a visitor waits for a run to begin.
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

// ReplayChaosRun asks for the same fault again. A fault that is gone cannot be repeated.
func (a *API) ReplayChaosRun(ctx context.Context, req *httpapi.ByID) (ChaosStarted, error) {
	first, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return ChaosStarted{}, err
	}
	if first.Stage != chaos.Ended {
		return ChaosStarted{}, problem.New(problem.Conflict, "This run has not ended yet. It can be repeated when it has.")
	}
	if _, err := a.faultNamed(first.Fault); err != nil {
		return ChaosStarted{}, err
	}
	return a.beginChaos(ctx, first.Replay(xid.New().String(), "replay", chaos.Requester(httpapi.CallerOf(ctx).Role.String()), a.Now()))
}

// beginChaos writes a run down and starts it. One that does not start now is begun by the
// starter, when the workflow service answers again.
func (a *API) beginChaos(ctx context.Context, run chaos.Run) (ChaosStarted, error) {
	if err := a.Chaos.RequestChaos(ctx, run, httpapi.CallerOf(ctx).CountedFor(a.Marks)); err != nil {
		return ChaosStarted{}, a.whyNoChaos(ctx, err)
	}
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), chaosStart)
	defer cancel()
	message := "The chaos target is being broken: " + run.Fault + "."
	runID, err := a.Runs.StartChaos(starting, run.ID)
	if err != nil {
		slog.WarnContext(ctx, "a chaos run starts later", "chaos_id", run.ID, "error", err)
		message = "The test " + run.Fault + " is written down, but its run could not be started yet. It begins by itself, within seconds if the workflow service answers."
	}
	if written, err := a.Chaos.ChaosRun(starting, run.ID); err == nil {
		run = written // it may be under way already
	}
	if run.RunID == "" && runID != "" { // it has not written itself into the row yet
		run.WorkflowID, run.RunID = workflows.ChaosRunID, runID
	}
	return ChaosStarted{ChaosEvent: showChaos(run), Success: true, Message: message}, nil
}

// whyNoChaos names the test that is in the way.
func (a *API) whyNoChaos(ctx context.Context, refused error) error {
	if problem.CodeOf(refused) != problem.ChaosRunning {
		return refused
	}
	running, err := a.Chaos.OpenChaos(ctx)
	if err != nil {
		return err
	}
	if running == nil {
		return problem.New(problem.ChaosRunning, "Another test was running until this moment. Try again.")
	}
	return problem.New(problem.ChaosRunning, "The test %s has been running since %s UTC. There is one at a time: try again when it has ended.",
		running.Fault, running.RequestedAt.UTC().Format(time.TimeOnly))
}

func (a *API) faultNamed(name string) (chaos.Fault, error) {
	names, remark := make([]string, len(a.Faults)), ""
	for i, fault := range a.Faults {
		if fault.Name == name {
			return fault, nil
		}
		if strings.EqualFold(fault.Name, name) {
			remark = " Fault names are written in small letters."
		}
		names[i] = fault.Name
	}
	return chaos.Fault{}, &problem.Error{
		Code: problem.FaultUnknown, Message: "There is no such fault." + remark + " Choose one of: " + strings.Join(names, ", ") + ".",
		Details: []problem.Detail{{Field: "body.type", Reason: "it is none of the list"}},
	}
}

func (a *API) chaosLease() time.Duration { return cmp.Or(a.ChaosLease, chaos.DefaultLease) }
