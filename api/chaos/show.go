package chaos

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
)

// healerAhead is how much before the supervisor's word of a fault the healer may have seen it.
const healerAhead = time.Second

func (a *API) GetChaosRun(ctx context.Context, req *chaosRunRequest) (*chaosRunReply, error) {
	run, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	shown, err := a.wholeChaos(ctx, run)
	return &chaosRunReply{shown}, err
}

// wholeChaos puts together what is known of a run so far.
func (a *API) wholeChaos(ctx context.Context, run chaos.Run) (ChaosRun, error) {
	shown := ChaosRun{Event: a.showChaos(run), LeaseMS: run.LeaseMS}
	samples, err := a.samplesOf(ctx, run.ID)
	if err != nil {
		return shown, err
	}
	incident, err := a.incidentOf(ctx, run)
	if err != nil {
		return shown, err
	}
	if incident != nil {
		at := a.showIncident(ctx, *incident, run.ID)
		shown.Incident = &at
	}
	if shown.Replays, err = a.Chaos.ReplaysOf(ctx, run.ID); err != nil {
		return shown, err
	}
	if shown.Replays == nil {
		shown.Replays = []string{}
	}
	if shown.Captures, err = a.capturesOf(ctx, run.ID); err != nil {
		return shown, err
	}
	shown.Check, err = a.lastCheck(ctx, run)
	shown.Timeline, shown.Probes = timelineOf(run, samples, incident, a.Now()), seriesOf(run, samples)
	return shown, err
}

func (a *API) samplesOf(ctx context.Context, id string) ([]target.Sample, error) {
	parts, err := a.Chaos.ChaosParts(ctx, id)
	if err != nil {
		return nil, err
	}
	return chaos.Samples(parts)
}

// incidentOf finds what the healer did while the run's fault was there. It is found by time:
// the healer was told of no run.
func (a *API) incidentOf(ctx context.Context, run chaos.Run) (*heal.Incident, error) {
	if run.InjectedAt == nil {
		return nil, nil //nolint:nilnil // nothing was broken, so nothing was healed
	}
	until := a.Now()
	if run.EndedAt != nil {
		until = *run.EndedAt
	}
	return a.Chaos.IncidentDuring(ctx, run.InjectedAt.Add(-healerAhead), until)
}

func (a *API) lastCheck(ctx context.Context, run chaos.Run) (*HistoryCheck, error) {
	if run.RunID == "" {
		return nil, nil //nolint:nilnil // no run carried it yet
	}
	check, err := a.Chaos.HistoryCheck(ctx, run.WorkflowID, run.RunID)
	if err != nil || check == nil {
		return nil, err
	}
	shown := showCheck(*check)
	return &shown, nil
}

func (a *API) CheckChaosHistory(ctx context.Context, req *chaosRunRequest) (*historyCheckReply, error) {
	run, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	if run.Stage != chaos.Ended {
		return nil, problem.New(problem.Conflict, "This run has not ended yet. Its history can be checked when it has.")
	}
	if run.RunID == "" {
		return nil, problem.New(problem.Conflict, "This run ended before a workflow began. It has no history to check.")
	}
	check, err := a.Runs.CheckHistory(ctx, run.WorkflowID, run.RunID)
	if err != nil {
		return nil, err
	}
	return &historyCheckReply{showCheck(check)}, nil
}

func showCheck(c chaos.HistoryCheck) HistoryCheck {
	return HistoryCheck{Passed: c.Passed, Events: c.Events, Message: c.Message, Build: c.Build, CheckedAt: c.CheckedAt}
}

// capturesOf are the pictures of the chaos target in a chaos run.
func (a *API) capturesOf(ctx context.Context, chaosID string) ([]CellCapture, error) {
	shots, err := a.Verifications.ChaosScreenshots(ctx, chaosID)
	shown := make([]CellCapture, len(shots))
	for i, shot := range shots {
		shown[i] = showCapture(shot)
	}
	return shown, err
}

func showCapture(shot verification.TargetScreenshot) CellCapture {
	return CellCapture{
		Moment: string(shot.Moment), Path: shot.Path, Picture: httpapi.PicturePath(shot.ImageHash), Width: shot.Width, Height: shot.Height,
		Error: shot.Error, Failing: namesOf(shot.Failing.Checks()), Steady: shot.Stable, Opinion: string(shot.Opinion), Says: shot.Review,
		Analyst: shot.ReviewedBy, TakenAt: shot.TakenAt,
	}
}
