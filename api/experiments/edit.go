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

// MoveExperiment answers by the row. A run that is not told now is begun, or reads the row again,
// by itself.
func (a *API) MoveExperiment(ctx context.Context, req *changeBySlug[ExperimentStep]) (ExperimentDetail, error) {
	return a.changed(ctx, req.Slug, audit.MoveExperiment, "", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.MoveExperiment(ctx, id, req.Body.Version, experiment.Status(req.Body.To), req.Body.Reason, a.Now())
	})
}

// notify tells the run of an experiment that its row has changed.
func (a *API) notify(ctx context.Context, id string) {
	const patience = 5 * time.Second
	notifying, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := a.Runs.NotifyExperiment(notifying, id); err != nil {
		slog.WarnContext(ctx, "the run of an experiment is told later", "experiment_id", id, "error", err)
	}
}

func (a *API) RegisterMetric(ctx context.Context, req *changeBySlug[NewMetric]) (ExperimentDetail, error) {
	promise := experiment.Registration{Metric: experiment.Metric(req.Body.Metric), Threshold: req.Body.Threshold, DueAt: req.Body.DueAt}
	said := fmt.Sprintf("promises %s of %g by %s", promise.Metric, promise.Threshold, promise.DueAt.UTC().Format(time.RFC3339))
	return a.changed(ctx, req.Slug, audit.RegisterMetric, said, func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Body.Version, &promise, a.Now())
	})
}

func (a *API) UnregisterMetric(ctx context.Context, req *unregisterMetricRequest) (ExperimentDetail, error) {
	return a.changed(ctx, req.Slug, audit.DropMetric, "promises nothing any more", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Version, nil, a.Now())
	})
}

// changed changes an experiment that the caller may see, notes it, as one, and shows what came of it.
// A change that says nothing is a move: the note says where it led, and a run that has begun and not ended is told.
func (a *API) changed(
	ctx context.Context, key string, action audit.Action, said string, change func(ctx context.Context, id string) (experiment.Experiment, error),
) (ExperimentDetail, error) {
	found, err := a.experimentNamed(ctx, key)
	if err != nil {
		return ExperimentDetail{}, err
	}
	var e experiment.Experiment
	moves := said == ""
	err = httpapi.Audited(ctx, a.Audits, a.Now(), action, func(ctx context.Context) (_ string, err error) {
		e, err = change(ctx, found.ID)
		if moves {
			said = fmt.Sprintf("went from %s to %s", found.Status, e.Status)
			if e.Reason != "" {
				said += ": " + e.Reason
			}
		}
		return noted(e, said), err
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

// noted is what the audit says of an experiment.
func noted(e experiment.Experiment, said string) string {
	return fmt.Sprintf("Experiment %s (%s) %s.", experiment.ShownID(e), e.Title, said)
}
