package experiments

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
)

func (a *API) EditExperiment(ctx context.Context, req *changeBySlug[ExperimentEdit]) (ExperimentDetail, error) {
	return a.changed(ctx, req.Slug, audit.EditExperiment, "was edited", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.EditExperiment(ctx, id, req.Body.Version, req.Body.Edit, a.Now())
	})
}

// MoveExperiment changes the status in the row. If the workflow cannot be notified, the dispatcher starts it or it
// polls the row.
func (a *API) MoveExperiment(ctx context.Context, req *changeBySlug[ExperimentStep]) (ExperimentDetail, error) {
	return a.changed(ctx, req.Slug, audit.MoveExperiment, "", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.MoveExperiment(ctx, id, req.Body.Version, experiment.Status(req.Body.To), req.Body.Reason, a.Now())
	})
}

func (a *API) notify(ctx context.Context, id string) {
	notifying, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := a.Runs.NotifyExperiment(notifying, id); err != nil {
		slog.WarnContext(ctx, "experiment workflow not notified", "experiment_id", id, "error", err)
	}
}

func (a *API) RegisterMetric(ctx context.Context, req *changeBySlug[NewMetric]) (ExperimentDetail, error) {
	metric := experiment.Registration{Metric: experiment.Metric(req.Body.Metric), Threshold: req.Body.Threshold, DueAt: req.Body.DueAt}
	detail := fmt.Sprintf("promises %s of %g by %s", metric.Metric, metric.Threshold, metric.DueAt.UTC().Format(time.RFC3339))
	return a.changed(ctx, req.Slug, audit.RegisterMetric, detail, func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Body.Version, &metric, a.Now())
	})
}

func (a *API) UnregisterMetric(ctx context.Context, req *unregisterMetricRequest) (ExperimentDetail, error) {
	return a.changed(ctx, req.Slug, audit.DropMetric, "no longer promises a metric", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Version, nil, a.Now())
	})
}

// changed changes an experiment that the caller may see, records it in the audit log in the same transaction, and
// returns the result. An empty detail means a move: the audit entry then holds both statuses, and a running workflow
// is notified.
func (a *API) changed(
	ctx context.Context, key string, action audit.Action, detail string, change func(ctx context.Context, id string) (experiment.Experiment, error),
) (ExperimentDetail, error) {
	found, err := a.experimentNamed(ctx, key)
	if err != nil {
		return ExperimentDetail{}, err
	}
	var e experiment.Experiment
	moves := detail == ""
	err = httpapi.Audited(ctx, a.Audits, a.Now(), action, func(ctx context.Context) (_ string, err error) {
		e, err = change(ctx, found.ID)
		if moves {
			detail = fmt.Sprintf("went from %s to %s", found.Status, e.Status)
			if e.Reason != "" {
				detail += ": " + e.Reason
			}
		}
		return noted(e, detail), err
	})
	if err != nil {
		return ExperimentDetail{}, err
	}
	if moves && e.StartedAt != nil && e.Status != experiment.Shipped {
		a.notify(ctx, e.ID)
	}
	listed, err := a.Experiments.Experiment(ctx, e.ID)
	if err != nil {
		return ExperimentDetail{}, err
	}
	return a.showDetail(ctx, listed)
}

func noted(e experiment.Experiment, detail string) string {
	return fmt.Sprintf("Experiment %s (%s) %s.", experiment.ShownID(e), e.Title, detail)
}
