package chaos

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// targetSeen is the age after which the last probe no longer shows the state of the chaos target.
const targetSeen = 10 * time.Second

func (a *API) GetChaosTarget(ctx context.Context, _ *struct{}) (TargetReport, error) {
	seen, badTarget := a.Chaos.TargetState(ctx)
	running, badRun := a.Chaos.OpenChaos(ctx)
	incident, err := a.Chaos.OpenIncident(ctx)
	report := a.showTarget(seen)
	if running != nil {
		report.Running = new(showChaos(*running))
	}
	if incident != nil {
		var open Incident
		open, err = a.incidentWithCause(ctx, *incident)
		report.Incident = &open
	}
	return report, errors.Join(badTarget, badRun, err)
}

func (a *API) showTarget(c heal.TargetState) TargetReport {
	return TargetReport{
		Status: a.statusOf(c), URL: a.TargetURL, SeenAt: c.SeenAt, Failing: namesOf(c.Failing.Checks()),
		Process: c.ProcessID, StartedAt: c.StartedAt, Manifest: c.SignedNote, Verifier: c.VerifierKey,
		Switch: ChaosSwitch{On: c.ChaosOn, By: c.SwitchedBy, Reason: c.SwitchReason, At: c.SwitchedAt},
		Limits: ChaosLimits{PerVisitor: chaos.Limits.PerVisitor.Most, Overall: chaos.Limits.Overall.Most},
		Files: httpapi.Map(c.ManifestFiles, func(file target.File) TargetFile {
			return TargetFile{Name: file.Name, Size: file.Size, SHA256: file.SHA256, OK: !c.Failing.Has(target.FileCheck(file.Name))}
		}),
		Faults: httpapi.Map(a.Faults, func(f chaos.Fault) ChaosFault {
			return ChaosFault{Type: f.Name, Title: f.Title, About: f.About, PromiseMS: int(f.Promise.Milliseconds()), Weight: f.Weight}
		}),
	}
}

func (a *API) statusOf(c heal.TargetState) string {
	switch {
	case c.SeenAt == nil || a.Now().Sub(*c.SeenAt) > targetSeen:
		return "unseen"
	case c.Failing.Any():
		return "broken"
	}
	return "healthy"
}

func (a *API) ListIncidents(ctx context.Context, req *httpapi.PageQuery) (Incidents, error) {
	found, total, err := a.Chaos.Incidents(ctx, req.Limit, req.Offset)
	if err != nil {
		return Incidents{}, err
	}
	page := Incidents{Incidents: make([]Incident, len(found)), Pagination: req.Of(total)}
	for i, incident := range found {
		if page.Incidents[i], err = a.incidentWithCause(ctx, incident); err != nil {
			return Incidents{}, err
		}
	}
	return page, nil
}

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

// showIncident shows the errors of steps to founders only, because they may contain details of the machine.
func (a *API) showIncident(ctx context.Context, i heal.Incident, chaosID string) Incident {
	return Incident{
		RunRef: httpapi.RunOf(i.WorkflowID, i.RunID), ID: i.ID, OpenedAt: i.OpenedAt, UnhealthyAt: i.UnhealthyAt, EndedAt: i.EndedAt,
		Failing: namesOf(i.Failing.Checks()), Alarm: i.Alarm, ChaosID: chaosID,
		Steps: httpapi.Map(i.Steps, func(step heal.Repair) Repaired {
			if step.Error != "" && httpapi.CallerOf(ctx).Role != account.Founder {
				step.Error = "This step failed."
			}
			return Repaired(step)
		}),
	}
}

// PutChaosSwitch turns chaos testing on or off. Turning it off reverts the current fault; repeating that retries it.
func (a *API) PutChaosSwitch(ctx context.Context, req *httpapi.Body[ChaosSwitchChange]) (ChaosSwitch, error) {
	var is chaos.KillSwitch
	err := a.Audits.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		was, now, err := a.Chaos.SetChaosSwitch(ctx, req.Body.On, httpapi.CallerOf(ctx).Name(), req.Body.Reason, a.Now())
		is = now
		return a.switchEntries(ctx, was, is), err
	})
	if err != nil {
		return ChaosSwitch{}, err
	}
	if !is.On {
		if err := a.stopChaos(ctx); err != nil {
			return ChaosSwitch{}, err
		}
	}
	return ChaosSwitch(is), nil
}

// stopChaos reverts the current fault even if the client disconnects.
func (a *API) stopChaos(ctx context.Context) error {
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), chaosStart)
	defer cancel()
	err := a.Runs.StopChaos(stopping)
	if err == nil {
		return nil
	}
	slog.WarnContext(ctx, "chaos test not stopped", "error", err)
	return problem.New(problem.Unavailable,
		"Chaos testing is off, but the running test couldn't be stopped. Its fault is reverted automatically within %.0f s; retry to stop it sooner.",
		a.chaosLease().Seconds())
}

func (a *API) switchEntries(ctx context.Context, was, is chaos.KillSwitch) []audit.Entry {
	switch {
	case is.On && !was.On:
		return []audit.Entry{httpapi.Entry(ctx, a.Now(), audit.AllowChaos, audit.Done, "Chaos testing was turned on.")}
	case !is.On && (was.On || was.Reason != is.Reason):
		detail := "Chaos testing was turned off."
		if is.Reason != "" {
			detail = "Chaos testing was turned off: " + is.Reason + "."
		}
		return []audit.Entry{httpapi.Entry(ctx, a.Now(), audit.StopChaos, audit.Done, detail)}
	}
	return nil
}
