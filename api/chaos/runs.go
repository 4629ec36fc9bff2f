package chaos

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
)

// recentMost is how long the event log is.
const recentMost = 50

func (a *API) GetRecentChaos(ctx context.Context, _ *struct{}) (*recentChaosReply, error) {
	runs, _, err := a.Chaos.ChaosRuns(ctx, chaos.Filter{}, recentMost, 0)
	if err != nil {
		return nil, err
	}
	return &recentChaosReply{RecentChaos{a.showChaosRuns(runs)}}, nil
}

func (a *API) ListChaosRuns(ctx context.Context, req *listChaosRunsRequest) (*chaosRunsReply, error) {
	filter := chaos.Filter{Fault: req.Fault, Verdict: chaos.Verdict(req.Verdict)}
	runs, total, err := a.Chaos.ChaosRuns(ctx, filter, req.Limit, req.Offset)
	if err != nil {
		return nil, err
	}
	return &chaosRunsReply{ChaosRuns{Runs: a.showChaosRuns(runs), Pagination: req.Of(total)}}, nil
}

func (a *API) showChaosRuns(runs []chaos.Run) []ChaosEvent {
	shown := make([]ChaosEvent, len(runs))
	for i, run := range runs {
		shown[i] = a.showChaos(run)
	}
	return shown
}

func (a *API) showChaos(r chaos.Run) ChaosEvent {
	shown := ChaosEvent{
		RunRef: httpapi.RunOf(r.WorkflowID, r.RunID), ID: r.ID, Type: r.Fault, Source: r.Source, RequestedBy: string(r.RequestedBy),
		Restored: r.Restored, Timestamp: r.RequestedAt, Stage: string(r.Stage), Verdict: string(r.Verdict), Reason: r.Reason,
		PromiseMS: r.PromiseMS, DetectMS: r.DetectMS, HealMS: r.HealMS, InjectedAt: r.InjectedAt, EndedAt: r.EndedAt,
	}
	if r.ReplayOf != nil {
		shown.ReplayOf = *r.ReplayOf
	}
	return shown
}
