package chaos

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/heal"
)

func (a *API) ListIncidents(ctx context.Context, req *listIncidentsRequest) (*incidentsReply, error) {
	found, total, err := a.Chaos.Incidents(ctx, req.Limit, req.Offset)
	if err != nil {
		return nil, err
	}
	page := Incidents{Incidents: make([]Incident, len(found)), Pagination: req.Of(total)}
	for i, incident := range found {
		if page.Incidents[i], err = a.incidentWithCause(ctx, incident); err != nil {
			return nil, err
		}
	}
	return &incidentsReply{page}, nil
}

// incidentWithCause names the chaos run that ran then, if one did.
func (a *API) incidentWithCause(ctx context.Context, i heal.Incident) (Incident, error) {
	until := a.Now()
	if i.EndedAt != nil {
		until = *i.EndedAt
	}
	run, err := a.Chaos.ChaosDuring(ctx, i.OpenedAt, until)
	if err != nil || run == nil {
		return a.showIncident(ctx, i, ""), err
	}
	return a.showIncident(ctx, i, run.ID), nil
}

// showIncident tells founders alone why a step was not done: it may name the machine's business.
func (a *API) showIncident(ctx context.Context, i heal.Incident, chaosID string) Incident {
	shown := Incident{
		RunRef: httpapi.RunOf(i.WorkflowID, i.RunID), ID: i.ID, OpenedAt: i.OpenedAt, SickAt: i.SickAt, EndedAt: i.EndedAt,
		Failing: namesOf(i.Failing.Checks()), Steps: make([]Mended, len(i.Steps)), Alarm: i.Alarm, ChaosID: chaosID,
	}
	for n, step := range i.Steps {
		shown.Steps[n] = Mended{Kind: string(step.Kind), Files: step.Files, At: step.At, MS: step.MS, Error: step.Error}
		if step.Error != "" && httpapi.CallerOf(ctx).Role != account.Founder {
			shown.Steps[n].Error = "This step was not done."
		}
	}
	return shown
}
