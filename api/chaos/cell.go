package chaos

import (
	"context"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

// cellSeen is how old the last probe may be that says how the chaos target is.
const cellSeen = 10 * time.Second

func (a *API) GetCell(ctx context.Context, _ *struct{}) (*cellReply, error) {
	seen, err := a.Chaos.Cell(ctx)
	if err != nil {
		return nil, err
	}
	report := a.showCell(seen)
	running, err := a.Chaos.OpenChaos(ctx)
	if err != nil {
		return nil, err
	}
	if running != nil {
		event := a.showChaos(*running)
		report.Running = &event
	}
	incident, err := a.Chaos.OpenIncident(ctx)
	if err != nil {
		return nil, err
	}
	if incident != nil {
		open, err := a.incidentWithCause(ctx, *incident)
		if err != nil {
			return nil, err
		}
		report.Incident = &open
	}
	return &cellReply{report}, nil
}

func (a *API) showCell(c heal.TargetState) CellReport {
	report := CellReport{
		Status: a.statusOf(c), URL: a.CellURL, SeenAt: c.SeenAt, Failing: namesOf(c.Failing.Checks()),
		Process: c.Process, StartedAt: c.StartedAt, Files: make([]CellFile, len(c.Files)), Manifest: c.Note, Verifier: c.Verifier,
		Faults: make([]ChaosFault, len(a.Faults)),
		Switch: ChaosSwitch{On: c.ChaosOn, By: c.SwitchedBy, Reason: c.SwitchReason, At: c.SwitchedAt},
		Limits: ChaosLimits{PerVisitor: chaos.PerVisitor.Most, Overall: chaos.Overall.Most},
	}
	for i, file := range c.Files {
		report.Files[i] = CellFile{Name: file.Name, Size: file.Size, SHA256: file.SHA256, OK: !c.Failing.Has(target.FileCheck(file.Name))}
	}
	for i, fault := range a.Faults {
		report.Faults[i] = ChaosFault{
			Type: fault.Name, Title: fault.Title, About: fault.About, PromiseMS: int(fault.Promise.Milliseconds()), Weight: fault.Weight,
		}
	}
	return report
}

func (a *API) statusOf(c heal.TargetState) string {
	switch {
	case c.SeenAt == nil || a.Now().Sub(*c.SeenAt) > cellSeen:
		return "unseen"
	case c.Failing.Any():
		return "broken"
	}
	return "healthy"
}
