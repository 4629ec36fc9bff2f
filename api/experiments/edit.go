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
	edited, err := a.changed(ctx, req.Slug, audit.EditExperiment, "was edited", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.EditExperiment(ctx, id, req.Body.Version, req.Body.Edit, a.Now())
	})
	return a.showChanged(ctx, edited, err)
}

// MoveExperiment answers by the row. A run that is not told now is begun, or reads the row again,
// by itself.
func (a *API) MoveExperiment(ctx context.Context, req *changeBySlug[ExperimentStep]) (ExperimentDetail, error) {
	moved, err := a.changed(ctx, req.Slug, audit.MoveExperiment, "", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.MoveExperiment(ctx, id, req.Body.Version, experiment.Status(req.Body.To), req.Body.Reason, a.Now())
	})
	if err == nil && moved.StartedAt != nil && moved.Status != experiment.Shipped { // its run has ended
		a.notify(ctx, moved.ID)
	}
	return a.showChanged(ctx, moved, err)
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
	registered, err := a.changed(ctx, req.Slug, audit.RegisterMetric, said, func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Body.Version, &promise, a.Now())
	})
	return a.showChanged(ctx, registered, err)
}

func (a *API) UnregisterMetric(ctx context.Context, req *unregisterMetricRequest) (ExperimentDetail, error) {
	dropped, err := a.changed(ctx, req.Slug, audit.DropMetric, "promises nothing any more", func(ctx context.Context, id string) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, id, req.Version, nil, a.Now())
	})
	return a.showChanged(ctx, dropped, err)
}

// changed changes an experiment that the caller may see, and notes it, as one. Of a move the note says
// where it led.
func (a *API) changed(
	ctx context.Context, key string, action audit.Action, said string, change func(ctx context.Context, id string) (experiment.Experiment, error),
) (e experiment.Experiment, err error) {
	found, err := a.experimentNamed(ctx, key)
	if err != nil {
		return e, err
	}
	err = httpapi.Audited(ctx, a.Audits, a.Now(), action, func(ctx context.Context) (_ string, err error) {
		e, err = change(ctx, found.ID)
		switch {
		case said != "":
			return noted(e, said), err
		case e.Reason != "":
			return noted(e, fmt.Sprintf("went from %s to %s: %s", found.Status, e.Status, e.Reason)), err
		}
		return noted(e, fmt.Sprintf("went from %s to %s", found.Status, e.Status)), err
	})
	return e, err
}

// showChanged shows what came of a change.
func (a *API) showChanged(ctx context.Context, e experiment.Experiment, err error) (ExperimentDetail, error) {
	if err != nil {
		return ExperimentDetail{}, err
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
