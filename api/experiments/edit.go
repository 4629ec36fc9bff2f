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

func (a *API) EditExperiment(ctx context.Context, req *editExperimentRequest) (*experimentDetailReply, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	b := req.Body
	edit := experiment.Edit{
		Title: b.Title, Problem: b.Problem, Hypothesis: b.Hypothesis, Impact: b.Impact, Difficulty: (*experiment.Difficulty)(b.Difficulty),
		Progress: b.Progress, Methodology: b.Methodology, TechStack: b.TechStack, SuccessMetrics: b.SuccessMetrics,
	}
	changed, err := a.changed(ctx, audit.EditExperiment, "was edited", func(ctx context.Context) (experiment.Experiment, error) {
		return a.Experiments.EditExperiment(ctx, found.ID, b.Version, edit, a.Now())
	})
	return a.replyChange(ctx, changed, err)
}

// MoveExperiment answers by the row. A run that is not told now is begun, or reads the row again,
// by itself.
func (a *API) MoveExperiment(ctx context.Context, req *moveExperimentRequest) (*experimentDetailReply, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	var moved experiment.Experiment
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.MoveExperiment, func(ctx context.Context) (_ string, err error) {
		moved, err = a.Experiments.MoveExperiment(ctx, found.ID, req.Body.Version, experiment.Status(req.Body.To), req.Body.Reason, a.Now())
		said := fmt.Sprintf("went from %s to %s", found.Status, moved.Status)
		if moved.Reason != "" {
			said += ": " + moved.Reason
		}
		return noted(moved, said), err
	})
	if err != nil {
		return nil, err
	}
	if moved.StartedAt != nil && moved.Status != experiment.Shipped { // its run has ended
		a.heed(ctx, moved.ID)
	}
	return a.replyChange(ctx, moved, nil)
}

// heed tells the run of an experiment that its row has changed.
func (a *API) heed(ctx context.Context, id string) {
	const patience = 5 * time.Second
	telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := a.Runs.NotifyExperiment(telling, id); err != nil {
		slog.WarnContext(ctx, "the run of an experiment is told later", "experiment_id", id, "error", err)
	}
}

func (a *API) RegisterMetric(ctx context.Context, req *registerMetricRequest) (*experimentDetailReply, error) {
	promise := experiment.Registration{Metric: experiment.Metric(req.Body.Metric), Threshold: req.Body.Threshold, DueAt: req.Body.DueAt}
	said := fmt.Sprintf("promises %s of %g by %s", promise.Metric, promise.Threshold, promise.DueAt.UTC().Format(time.RFC3339))
	return a.promise(ctx, req.Slug, req.Body.Version, &promise, audit.RegisterMetric, said)
}

func (a *API) UnregisterMetric(ctx context.Context, req *unregisterMetricRequest) (*experimentDetailReply, error) {
	return a.promise(ctx, req.Slug, req.Version, nil, audit.DropMetric, "promises nothing any more")
}

func (a *API) promise(
	ctx context.Context, key string, version int, r *experiment.Registration, action audit.Action, said string,
) (*experimentDetailReply, error) {
	found, err := a.experimentNamed(ctx, key)
	if err != nil {
		return nil, err
	}
	changed, err := a.changed(ctx, action, said, func(ctx context.Context) (experiment.Experiment, error) {
		return a.Experiments.RegisterMetric(ctx, found.ID, version, r, a.Now())
	})
	return a.replyChange(ctx, changed, err)
}

// replyChange shows what came of a change.
func (a *API) replyChange(ctx context.Context, e experiment.Experiment, err error) (*experimentDetailReply, error) {
	if err != nil {
		return nil, err
	}
	listed, err := a.Experiments.Experiment(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	return a.replyExperiment(ctx, listed)
}

// changed changes an experiment and notes it, as one.
func (a *API) changed(
	ctx context.Context, action audit.Action, said string, change func(ctx context.Context) (experiment.Experiment, error),
) (e experiment.Experiment, err error) {
	err = httpapi.Audited(ctx, a.Audits, a.Now(), action, func(ctx context.Context) (string, error) {
		e, err = change(ctx)
		return noted(e, said), err
	})
	return e, err
}

// noted is what the audit says of an experiment.
func noted(e experiment.Experiment, said string) string {
	return fmt.Sprintf("Experiment %s (%s) %s.", experiment.ShownID(e), e.Title, said)
}
