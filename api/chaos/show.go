package chaos

import (
	"context"
	"errors"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
)

// healerAhead is how long before the supervisor's report of a fault the healer may have seen it.
const healerAhead = time.Second

func (a *API) GetChaosRun(ctx context.Context, req *httpapi.ByID) (ChaosRun, error) {
	run, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return ChaosRun{}, err
	}
	return a.wholeChaos(ctx, run)
}

func (a *API) wholeChaos(ctx context.Context, run chaos.Run) (ChaosRun, error) {
	shown := ChaosRun{Event: showChaos(run), LeaseMS: run.LeaseMS}
	samples, badSamples := a.samplesOf(ctx, run.ID)
	incident, badIncident := a.incidentOf(ctx, run)
	if incident != nil {
		shown.Incident = new(a.showIncident(ctx, *incident, run.ID))
	}
	replays, badReplays := a.Chaos.ReplaysOf(ctx, run.ID)
	shots, err := a.Verifications.ChaosScreenshots(ctx, run.ID)
	shown.Replays, shown.Captures = append([]string{}, replays...), httpapi.Map(shots, showCapture)
	if run.RunID != "" {
		check, bad := a.Chaos.HistoryCheck(ctx, run.WorkflowID, run.RunID)
		if check != nil {
			shown.Check = new(showCheck(*check))
		}
		err = errors.Join(err, bad)
	}
	shown.Timeline, shown.Probes = timelineOf(run, samples, incident, a.Now()), probesOf(run, samples)
	return shown, errors.Join(badSamples, badIncident, badReplays, err)
}

func (a *API) samplesOf(ctx context.Context, id string) ([]target.Sample, error) {
	parts, err := a.Chaos.ChaosParts(ctx, id)
	if err != nil {
		return nil, err
	}
	return chaos.Samples(parts)
}

// incidentOf returns the incident during the run's fault, or nil. It matches by time, because the healer does not
// know about runs.
func (a *API) incidentOf(ctx context.Context, run chaos.Run) (*heal.Incident, error) {
	if run.InjectedAt == nil {
		return nil, nil //nolint:nilnil // without a fault there is no incident
	}
	until := a.Now()
	if run.EndedAt != nil {
		until = *run.EndedAt
	}
	return a.Chaos.IncidentDuring(ctx, run.InjectedAt.Add(-healerAhead), until)
}

func (a *API) CheckChaosHistory(ctx context.Context, req *httpapi.ByID) (HistoryCheck, error) {
	run, err := a.Chaos.ChaosRun(ctx, req.ID)
	if err != nil {
		return HistoryCheck{}, err
	}
	if run.Stage != chaos.Ended {
		return HistoryCheck{}, problem.New(problem.Conflict, "This run hasn't ended yet. Check its history once it has.")
	}
	if run.RunID == "" {
		return HistoryCheck{}, problem.New(problem.Conflict, "This run ended before its workflow started, so it has no history to check.")
	}
	check, err := a.Runs.CheckHistory(ctx, run.WorkflowID, run.RunID)
	return showCheck(check), err
}

func showCheck(c chaos.HistoryCheck) HistoryCheck {
	return HistoryCheck{Passed: c.Passed, Events: c.Events, Message: c.Message, Build: c.Build, CheckedAt: c.CheckedAt}
}

func showCapture(shot verification.TargetScreenshot) TargetCapture {
	return TargetCapture{
		Moment: string(shot.Moment), Path: shot.Path, Picture: httpapi.PicturePath(shot.ImageHash), Width: shot.Width, Height: shot.Height,
		Error: shot.Error, Failing: namesOf(shot.Failing.Checks()), Steady: shot.Stable, Opinion: string(shot.Opinion), Review: shot.Review,
		Analyst: shot.ReviewedBy, TakenAt: shot.TakenAt,
	}
}
