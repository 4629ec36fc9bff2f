package chaos

import (
	"context"
	"log/slog"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// PutChaosSwitch turns chaos on or off. Off takes a fault that is there back at once; pressed
// again it tries that again.
func (a *API) PutChaosSwitch(ctx context.Context, req *chaosSwitchRequest) (*chaosSwitchReply, error) {
	var is chaos.KillSwitch
	err := a.Audits.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		was, now, err := a.Chaos.SetChaosSwitch(ctx, req.Body.On, httpapi.CallerOf(ctx).Name(), req.Body.Reason, a.Now())
		is = now
		return a.switchMoved(ctx, was, is), err
	})
	if err != nil {
		return nil, err
	}
	if !is.On {
		if err := a.stopChaos(ctx); err != nil {
			return nil, err
		}
	}
	return &chaosSwitchReply{ChaosSwitch{On: is.On, By: is.By, Reason: is.Reason, At: is.At}}, nil
}

// stopChaos does not wait for whoever pressed the switch: it counts though they leave.
func (a *API) stopChaos(ctx context.Context) error {
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), chaosStart)
	defer cancel()
	err := a.Runs.StopChaos(stopping)
	if err == nil {
		return nil
	}
	slog.WarnContext(ctx, "chaos was not stopped", "error", err)
	return problem.New(problem.Unavailable,
		"Chaos is switched off, but a test that is running could not be told. Its fault goes within %.0f s, when its lease ends; or try again.",
		a.chaosLease().Seconds())
}

// switchMoved says what has changed, for other founders to read.
func (a *API) switchMoved(ctx context.Context, was, is chaos.KillSwitch) []audit.Entry {
	switch {
	case is.On && !was.On:
		return []audit.Entry{httpapi.Entry(ctx, a.Now(), audit.AllowChaos, audit.Done, "Chaos may begin.")}
	case !is.On && (was.On || was.Reason != is.Reason):
		detail := "Chaos is switched off."
		if is.Reason != "" {
			detail = "Chaos is switched off: " + is.Reason + "."
		}
		return []audit.Entry{httpapi.Entry(ctx, a.Now(), audit.StopChaos, audit.Done, detail)}
	}
	return nil
}
